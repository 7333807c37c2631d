#include "inference/contraction_path.hpp"

#include <algorithm>

#include "inference/planning_limits.hpp"

namespace dconvex {
namespace {

// Up to this many tables with one variable the best pair is multiplied first; of more, neighbours are.
constexpr std::size_t many_tables = 40;
// Calls `meet(axis, in how many of the two scopes it is)` for each axis of the union, ascending.
template <class Meet>
void for_union(Indices one, Indices other, Meet meet) {
    const Index *a = one.data(), *b = other.data();
    const Index *a_end = a + one.size(), *b_end = b + other.size();
    while (a != a_end || b != b_end) {
        if (b == b_end || (a != a_end && *a < *b)) {
            meet(*a++, 1);
        } else if (a == a_end || *b < *a) {
            meet(*b++, 1);
        } else {
            meet(*a, 2);
            ++a;
            ++b;
        }
    }
}

bool holds(Indices scope, Index axis) { return std::binary_search(scope.begin(), scope.end(), axis); }

}  // namespace

double ContractionPath::largest_size() const noexcept {
    double largest = 0.0;
    for (const Table& table : tables_) largest = std::max(largest, table.size);
    return largest;
}

// Numbers the table whose scope lies at the end of the pool.
Index ContractionPath::close_table(Offset begin) {
    Table table{begin, static_cast<Index>(static_cast<Offset>(pool_.size()) - begin), none, 1.0, 0.0, 0};
    const Index* scope = pool_.data() + begin;
    for (Index k = 0; k < table.length; ++k) {
        const Axis& axis = axes_[scope[k]];
        table.size *= axis.states;
        table.log_size += axis.log_states;
        table.signature |= std::uint64_t{1} << (scope[k] & 63);
    }
    tables_.push_back(table);
    poll_(table.length + 1);
    return static_cast<Index>(tables_.size() - 1);
}

void ContractionPath::add_step(Index left, Index right, Index product, Elimination elimination, double cost) {
    tables_[left].used_by = tables_[right].used_by = static_cast<Index>(steps_.size());
    steps_.push_back({left, right, product, elimination});
    cost_ += cost;
}

// A step that multiplies two tables and eliminates what no other table holds, of the axes that go this way.
Index ContractionPath::multiply(Index left, Index right, Elimination now) {
    const auto begin = static_cast<Offset>(pool_.size());
    pool_.resize(pool_.size() + scope(left).size() + scope(right).size());
    Index* end = pool_.data() + begin;
    double cost = 1.0;
    for_union(scope(left), scope(right), [&](Index axis, Index times) {
        cost *= axes_[axis].states;
        if (now != Elimination::none && axes_[axis].elimination == now && holders_[axis] == times) {
            holders_[axis] = 0;
        } else {
            holders_[axis] += 1 - times;
            *end++ = axis;
        }
    });
    pool_.resize(static_cast<std::size_t>(end - pool_.data()));
    const Index product = close_table(begin);
    add_step(left, right, product, now, cost);
    return product;
}

// A step that multiplies two tables and keeps of their axes those of a third.
Index ContractionPath::multiply_within(Index left, Index right, Index within) {
    const auto begin = static_cast<Offset>(pool_.size());
    pool_.resize(pool_.size() + scope(within).size());
    Index* end = pool_.data() + begin;
    const Indices allowed = scope(within);
    const Index *next = allowed.data(), *last = next + allowed.size();
    double cost = 1.0;
    for_union(scope(left), scope(right), [&](Index axis, Index) {
        cost *= axes_[axis].states;
        while (next != last && *next < axis) ++next;
        if (next != last && *next == axis) *end++ = axis;
    });
    pool_.resize(static_cast<std::size_t>(end - pool_.data()));
    const Index product = close_table(begin);
    add_step(left, right, product, Elimination::sum, cost);
    return product;
}

double ContractionPath::log_size_of_union(Index one_table, Index other) const {
    double total = tables_[one_table].log_size + tables_[other].log_size;
    if ((tables_[one_table].signature & tables_[other].signature) == 0) return total;
    for_union(scope(one_table), scope(other), [&](Index axis, Index times) {
        if (times == 2) total -= axes_[axis].log_states;
    });
    return total;
}

// Multiplies the tables in `work_` pairwise, the smallest product first, until at most this many are left there.
void ContractionPath::multiply_down_to(std::size_t enough, Elimination now) {
    if (work_.size() <= enough) return;
    sorted_work_.clear();
    for (const Index table : work_) {  // by their last axes
        const Indices own = scope(table);
        const std::uint64_t last = own.empty() ? 0 : static_cast<std::uint64_t>(own.back()) + 1;
        sorted_work_.push_back((last << 32) | static_cast<std::uint64_t>(table));
    }
    std::sort(sorted_work_.begin(), sorted_work_.end());
    for (std::size_t k = 0; k < work_.size(); ++k) work_[k] = static_cast<Index>(sorted_work_[k] & 0xFFFFFFFF);
    while (work_.size() > many_tables) {
        std::size_t half = 0;
        for (std::size_t k = 0; k + 1 < work_.size(); k += 2) work_[half++] = multiply(work_[k], work_[k + 1], now);
        if (work_.size() % 2) work_[half++] = work_.back();
        work_.resize(half);
    }
    union_sizes_.resize(many_tables * many_tables);
    double* sizes = union_sizes_.data();
    const auto pair = [](std::size_t i, std::size_t j) { return i * many_tables + j; };
    std::size_t many = work_.size();
    for (std::size_t i = 0; i < many; ++i) {
        for (std::size_t j = i + 1; j < many; ++j) sizes[pair(i, j)] = log_size_of_union(work_[i], work_[j]);
    }
    while (many > enough) {
        poll_(static_cast<std::int64_t>(many * many));
        std::size_t first = 0, second = 1;  // the smallest union, among equals that of the closest pair
        for (std::size_t i = 0; i < many; ++i) {
            for (std::size_t j = i + 1; j < many; ++j) {
                const double gain = sizes[pair(first, second)] - sizes[pair(i, j)];
                if (gain > 1e-9 || (gain > -1e-9 && j - i < second - first)) {
                    first = i;
                    second = j;
                }
            }
        }
        work_[first] = multiply(work_[first], work_[second], now);
        work_.erase(work_.begin() + static_cast<std::ptrdiff_t>(second));
        --many;
        for (std::size_t i = 0; i < many; ++i) {
            for (std::size_t j = i + 1; j < many; ++j) {
                if (i == first || j == first) {
                    sizes[pair(i, j)] = log_size_of_union(work_[i], work_[j]);
                } else {
                    sizes[pair(i, j)] = sizes[pair(i + (i >= second), j + (j >= second))];
                }
            }
        }
    }
}

void ContractionPath::find(const Factors& factors, std::span<const Axis> axes, Index eliminated, Indices axis_of) {
    axes_ = axes;
    eliminated_ = eliminated;
    leaves_ = factors.size();
    cost_ = 0.0;
    poll_ = Poll();
    tables_.clear();
    steps_.clear();
    pool_.clear();
    scalars_.clear();
    holders_.assign(axes.size(), 0);
    first_filed_.assign(axes.size(), none);
    next_filed_.clear();
    close_table(0);  // `one`
    for (Index factor = 0; factor < leaves_; ++factor) {
        const Index table = add_leaf(factors.scopes[factor], axis_of);
        if (tables_[table].length) file(table);
    }
    for (Index leaf = 1; leaf <= leaves_; ++leaf) {  // all observed: a number, which a step takes along
        if (tables_[leaf].length == 0) file(multiply(leaf, one, Elimination::none));
    }
    for (Index axis = 0; axis < eliminated; ++axis) {
        const Elimination now = axes[axis].elimination;
        work_.clear();
        take_filed(axis);
        if (work_.empty()) continue;
        multiply_down_to(2, now);
        file(multiply(work_[0], work_.size() == 2 ? work_[1] : one, now));
    }
    work_.clear();
    for (Index axis = eliminated; axis < static_cast<Index>(axes.size()); ++axis) take_filed(axis);
    multiply_down_to(2, Elimination::none);
    answer_ = make_answer(leaves_);
}

Index ContractionPath::add_leaf(Indices scope_of_factor, Indices axis_of) {
    const auto begin = static_cast<Offset>(pool_.size());
    for (const Index variable : scope_of_factor) {
        const Index axis = axis_of[variable];
        ++holders_[axis];
        pool_.push_back(axis);
    }
    std::sort(pool_.begin() + begin, pool_.end());
    return close_table(begin);
}

// Puts a table into the list of its first axis, or among the scalars.
void ContractionPath::file(Index table) {
    const Indices own = scope(table);
    if (own.empty()) {
        scalars_.push_back(table);
        return;
    }
    next_filed_.resize(tables_.size(), none);
    next_filed_[table] = first_filed_[own[0]];
    first_filed_[own[0]] = table;
}

// Adds the tables with this first axis to the work.
void ContractionPath::take_filed(Index axis) {
    for (Index table = first_filed_[axis]; table != none; table = next_filed_[table]) work_.push_back(table);
}

// The table with the answer, made by the last step of the tables that are left, at most two.
Index ContractionPath::make_answer(Index leaves) {
    const auto targets = static_cast<Index>(axes_.size()) - eliminated_;
    if (work_.size() == 1 && tables_[work_[0]].length == targets && work_[0] > leaves) {
        move_step_to_end(work_[0]);
        return work_[0];
    }
    const auto begin = static_cast<Offset>(pool_.size());
    for (Index axis = eliminated_; axis < static_cast<Index>(axes_.size()); ++axis) pool_.push_back(axis);
    const Index answer = close_table(begin);
    const Index left = work_.empty() ? one : work_[0], right = work_.size() == 2 ? work_[1] : one;
    add_step(left, right, answer, Elimination::none, tables_[answer].size);
    return answer;
}

// The step that makes the answer becomes the last one; no other uses it.
void ContractionPath::move_step_to_end(Index product) {
    const auto is_wanted = [product](const Step& step) { return step.product == product; };
    const auto found = std::find_if(steps_.begin(), steps_.end(), is_wanted);
    std::rotate(found, found + 1, steps_.end());
}

Index ContractionPath::normalize_early() {
    const double cost = cost_;
    const Step last = steps_.back();
    steps_.pop_back();
    Index left = last.left, right = last.right, total;
    if (right == one) {
        total = multiply_within(left, one, one);
    } else {
        const Index of_left = multiply_within(left, one, right), of_right = multiply_within(right, one, left);
        total = multiply_within(of_left, of_right, one);
        lengthen_ends(left, right, last.product);
    }
    add_step(left, right, last.product, last.elimination, 0.0);
    cost_ = cost;
    return total;
}

// Repeats two factors along the last axes of the answer where these alternate between them: long loops run faster.
void ContractionPath::lengthen_ends(Index& left, Index& right, Index answer) {
    const Vector<Index> axes(scope(answer).begin(), scope(answer).end());
    double run = 1.0, block = 1.0;  // the innermost loop as it is, and as it could be
    double left_size = tables_[left].size, right_size = tables_[right].size;
    std::size_t first = axes.size();
    enum class Holder { unknown, neither, only_left, only_right, both, changed } holder = Holder::unknown;
    for (std::size_t at = axes.size(); at-- > 0;) {
        const Axis& axis = axes_[axes[at]];
        const bool in_left = holds(scope(left), axes[at]), in_right = holds(scope(right), axes[at]);
        const Holder own = in_left    ? (in_right ? Holder::both : Holder::only_left)
                           : in_right ? Holder::only_right
                                      : Holder::neither;
        if (holder == Holder::unknown || own == holder) {
            run *= axis.states;
            holder = own;
        } else {
            holder = Holder::changed;
        }
        if (!in_left) left_size *= axis.states;
        if (!in_right) right_size *= axis.states;
        if (block >= long_end || sparing * std::max(left_size, right_size) > tables_[answer].size) break;
        block *= axis.states;
        first = at;
    }
    if (run >= long_enough || block < 2.0 * run) return;
    const Indices last_axes = Indices(axes).subspan(first);
    left = repeat_along(left, last_axes);
    right = repeat_along(right, last_axes);
}

// A step that repeats a table along those of these axes that it lacks; they come after all its others.
Index ContractionPath::repeat_along(Index table, Indices last_axes) {
    const auto begin = static_cast<Offset>(pool_.size());
    const Vector<Index> own(scope(table).begin(), scope(table).end());
    for (const Index axis : own) {
        if (axis < last_axes[0]) pool_.push_back(axis);
    }
    pool_.insert(pool_.end(), last_axes.begin(), last_axes.end());
    const Index longer = close_table(begin);
    add_step(table, one, longer, Elimination::none, tables_[longer].size);
    return longer;
}

void ContractionPath::differentiate(std::span<const std::uint8_t> is_wanted, Flags& is_output) {
    steps_.pop_back();
    const auto forward = static_cast<Index>(steps_.size());
    tables_[one].used_by = none;
    find_homes(is_wanted);
    is_on_the_way_.assign(tables_.size(), 0);
    derivative_.assign(tables_.size(), none);
    for (const Index home : home_) {
        for (Index table = home; table != none && !is_on_the_way_[table];) {
            is_on_the_way_[table] = 1;
            const Index step = tables_[table].used_by;
            table = step != none && step < forward ? steps_[step].product : none;
        }
    }
    for (Index number = forward; number-- > 0;) {
        const Step step = steps_[number];
        if (!is_on_the_way_[step.left] && !is_on_the_way_[step.right]) continue;
        const Index known = derivative_[step.product];
        const Index outer = known == none ? one : known;  // a scalar that nothing uses is the end of a part
        if (step.right == one) {
            derivative_[step.left] = outer;
            continue;
        }
        if (is_on_the_way_[step.left]) derivative_[step.left] = multiply_within(outer, step.right, step.left);
        if (is_on_the_way_[step.right]) derivative_[step.right] = multiply_within(outer, step.left, step.right);
    }
    is_output.assign(tables_.size() + 2 * axes_.size(), 0);
    for (Index axis = 0; axis < static_cast<Index>(axes_.size()); ++axis) {
        if (home_[axis] == none) continue;
        const auto begin = static_cast<Offset>(pool_.size());
        pool_.push_back(axis);
        const Index single = close_table(begin);
        is_output[multiply_within(home_[axis], derivative_[home_[axis]], single)] = 1;
    }
    is_output.resize(tables_.size());
}

void ContractionPath::find_homes(std::span<const std::uint8_t> is_wanted) {
    const auto tables = static_cast<Index>(tables_.size()) - 1;  // without the answer
    const auto forward = static_cast<Index>(steps_.size());
    home_.assign(axes_.size(), none);
    home_cost_.resize(axes_.size());
    for (Index table = 1; table < tables; ++table) {
        const Index step = tables_[table].used_by;
        if (step == none || step >= forward) continue;
        double cost = tables_[table].size;
        if (table <= leaves_ && steps_[step].right != one) {
            cost = 2.0 * std::max(tables_[steps_[step].left].size, tables_[steps_[step].right].size);
        }
        poll_(tables_[table].length);
        for (const Index axis : scope(table)) {
            if (is_wanted[axis] && (home_[axis] == none || cost <= home_cost_[axis])) {
                home_[axis] = table;
                home_cost_[axis] = cost;
            }
        }
    }
}

}  // namespace dconvex
