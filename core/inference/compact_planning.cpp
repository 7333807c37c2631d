#include "inference/compact_planning.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "inference/planning_limits.hpp"

namespace dconvex {
namespace {

using Word = std::uint64_t;

constexpr Word bit(Index number) { return Word{1} << number; }
constexpr Word below(Index number) { return number < 64 ? bit(number) - 1 : ~Word{0}; }
constexpr bool has(Word set, Index number) { return (set >> number & 1) != 0; }
Index lowest(Word set) { return std::countr_zero(set); }
// std::popcount is a call where the machine's instruction may not be used.
Index count_of(Word set) {
    set -= set >> 1 & 0x5555555555555555;
    set = (set & 0x3333333333333333) + (set >> 2 & 0x3333333333333333);
    set = (set + (set >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return static_cast<Index>(set * 0x0101010101010101 >> 56);
}
Index highest(Word set) { return 63 - std::countl_zero(set); }

// Calls `visit` for each number in a set, ascending.
template <class Visit>
void for_each(Word set, Visit visit) {
    for (; set; set &= set - 1) visit(lowest(set));
}

// The logarithm of the number of joint states up to which sizes are exact enough.
constexpr double most_log_states = 1000.0;

}  // namespace

bool CompactPlanner::plan(const TableLayout& layout, const Question& question, IndexMarks& marks, ProgramDraft& program) {
    if (question.ending == Ending::trace || !question.context.empty() || !question.sliced.empty()) return false;
    if (question.targets.size() + question.observed.size() + question.soft.size() > most) return false;
    if (!cut(layout.index(), question, marks)) return false;
    program.uses_all_evidence = find_evidence(question, marks);
    collect_factors();
    double log_states = 0.0;
    for_each(active_, [&](Index v) {
        states_[v] = static_cast<double>(layout.states()[nodes_[v]]);
        log_states_[v] = layout.log_states()[nodes_[v]];
        log_states += log_states_[v];
    });
    if (log_states > most_log_states) return false;
    find_path(question, marks);
    Index early_sum = none;
    const double answer_size = path_.tables[path_.answer].size;
    if (question.ending == Ending::marginals) {
        Word wanted = 0;
        for_each(targets_ & active_, [&](Index v) { wanted |= bit(axis_of_[v]); });
        differentiate(wanted);
    } else {
        if (answer_size > large_result && answer_size < Program::most) early_sum = normalize_early();
        is_output_.assign(path_.tables.size(), 0);
        is_output_[path_.answer] = 1;
    }
    program.ending = question.ending;
    program.finish = question.ending == Ending::answer ? Finish::joint : Finish::each;
    write(layout, marks, early_sum, program);
    return true;
}

// --- the network ---

// In a coherent model, evidence that does not matter is left out and the cut begins again without it.
bool CompactPlanner::cut(const ClusterIndex& index, const Question& question, IndexMarks& marks) {
    observed_list_ = question.observed;
    soft_list_ = question.soft;
    while (true) {
        if (!cut_once(index, question, marks)) return false;
        targets_ = named(question.targets, marks);
        observed_ = named(observed_list_, marks);
        soft_ = named(soft_list_, marks);
        outputs_ = question.ending == Ending::answer ? targets_ : 0;
        requisite_ = reached_ = below(count_);
        if (question.targets.empty() || (observed_ | soft_) == 0) return true;  // all of it is above what is asked
        roll_bayes_ball();
        if (question.network == NetworkPart::whole || !question.coherent) return true;
        const bool drops_observed = drop_unreached(observed_list_, marks), drops_soft = drop_unreached(soft_list_, marks);
        if (!drops_observed && !drops_soft) return true;
    }
}

// Numbers the variables named and their ancestors; false where they are too many. `marks` say where each is.
bool CompactPlanner::cut_once(const ClusterIndex& index, const Question& question, IndexMarks& marks) {
    wanted_ = question.targets;
    wanted_.insert(wanted_.end(), observed_list_.begin(), observed_list_.end());
    wanted_.insert(wanted_.end(), soft_list_.begin(), soft_list_.end());
    std::sort(wanted_.begin(), wanted_.end());  // the order in which they are named must not matter
    const bool is_pruned = question.network == NetworkPart::pruned;
    if (is_pruned) {  // each variable has the table of the kept cluster that is nearest to its family
        const Indices kept = index.kept_clusters(wanted_, marks, climb_);
        const Offset* const offsets = index.clusters().offsets().data();
        const Index *const members = index.clusters().values().data(), *const toward = index.toward().data();
        for (const Index cluster : kept) {
            for (Offset entry = offsets[cluster]; entry < offsets[cluster + 1]; ++entry) {
                if (toward[entry] < 0 || marks.cluster[toward[entry]] != marks.stamp) {
                    marks.local[members[entry]] = index.member_table()[entry];
                }
            }
        }
    }
    const std::int64_t stamp = ++marks.stamp;
    count_ = 0;
    const auto number = [&](Index variable) {
        if (marks.variable[variable] == stamp) return marks.local[variable];
        if (count_ == most) return none;
        marks.variable[variable] = stamp;
        nodes_[count_] = variable;
        tables_[count_] = is_pruned ? marks.local[variable] : variable;
        marks.local[variable] = count_;
        return count_++;
    };
    for (const Index variable : wanted_) {
        if (number(variable) == none) return false;
    }
    for (Index v = 0; v < count_; ++v) {
        Word parents = 0;
        for (const Index parent : index.table_parents()[tables_[v]]) {
            const Index found = number(parent);
            if (found == none) return false;
            parents |= bit(found);
        }
        parents_[v] = parents;
    }
    return true;
}

CompactPlanner::Word CompactPlanner::named(std::span<const Index> variables, const IndexMarks& marks) const {
    Word found = 0;
    for (const Index variable : variables) found |= bit(marks.local[variable]);
    return found;
}

// As SmallNetworkCutter does it, each variable once from a child and once from a parent.
void CompactPlanner::roll_bayes_ball() {
    std::fill_n(children_.begin(), count_, 0);
    for (Index v = 0; v < count_; ++v) {
        for_each(parents_[v], [&](Index parent) { children_[parent] |= bit(v); });
    }
    Word upward = targets_, downward = 0, was_upward = upward, was_downward = 0;
    requisite_ = 0;
    const auto go_up = [&](Index v) {
        requisite_ |= bit(v);
        upward |= parents_[v] & ~was_upward;
        was_upward |= parents_[v];
    };
    const auto go_down = [&](Index v) {
        downward |= children_[v] & ~was_downward;
        was_downward |= children_[v];
    };
    while (upward | downward) {
        if (upward) {
            const Index v = lowest(upward);
            upward &= upward - 1;
            if (has(observed_, v)) continue;
            go_up(v);
            go_down(v);
        } else {
            const Index v = lowest(downward);
            downward &= downward - 1;
            if (has(observed_ | soft_, v)) go_up(v);
            if (!has(observed_, v)) go_down(v);
        }
    }
    reached_ = was_upward | was_downward;
}

bool CompactPlanner::drop_unreached(Vector<Index>& evidence, const IndexMarks& marks) const {
    return std::erase_if(evidence, [&](Index variable) { return !has(reached_, marks.local[variable]); }) > 0;
}

// Notes where the evidence on each variable lies; whether all of it is looked at.
bool CompactPlanner::find_evidence(const Question& question, const IndexMarks& marks) {
    bool uses_all = true;
    const auto is_in = [&](Index variable, Word set) {
        return marks.variable[variable] == marks.stamp && has(set, marks.local[variable]);
    };
    for (std::size_t k = 0; k < question.observed.size(); ++k) {
        const Index variable = question.observed[k], v = marks.local[variable];
        if (!is_in(variable, observed_)) {
            uses_all = false;
            continue;
        }
        observation_[v] = static_cast<Index>(k);
        if (question.shows_impossible && (parents_[v] & ~observed_) == 0) requisite_ |= bit(v);
        if (!has(requisite_, v)) uses_all = false;
    }
    for (std::size_t k = 0; k < question.soft.size(); ++k) {
        const Index variable = question.soft[k], v = marks.local[variable];
        if (!is_in(variable, soft_)) {
            uses_all = false;
            continue;
        }
        likelihood_[v] = static_cast<Index>(k);
        if (!has(reached_, v)) uses_all = false;
    }
    return uses_all;
}

// The requisite tables, and the likelihoods of the variables that they have.
void CompactPlanner::collect_factors() {
    factor_count_ = 0;
    Word covered = 0;
    active_ = outputs_;
    for_each(requisite_, [&](Index v) {
        const Word scope = parents_[v] | bit(v);
        covered |= scope;
        active_ |= scope & ~observed_;
        factors_[factor_count_++] = {scope & ~observed_, {Source::Kind::table, tables_[v]}, v};
    });
    for_each(soft_ & covered,
             [&](Index v) { factors_[factor_count_++] = {bit(v), {Source::Kind::likelihood, likelihood_[v]}, v}; });
}

// --- the order ---

// A path by one rule, by others too where it is worth it: the cheapest that fits into the limit is in `path_`.
void CompactPlanner::find_path(const Question& question, const IndexMarks& marks) {
    struct Attempt {
        OrderingRule rule;
        bool takes_first;  // of equal variables; the last ones are farther from what is asked
        double enough;     // with fewer multiplications, the writing of the answer left out, no other attempt is made
    };
    constexpr Attempt attempts[] = {{OrderingRule::fewest_new_edges, false, worth_other_ties},
                                    {OrderingRule::fewest_new_edges, true, worth_another_try},
                                    {OrderingRule::smallest_table, true, worth_another_try},
                                    {OrderingRule::least_growth, true, worth_another_try}};
    double best = std::numeric_limits<double>::infinity();
    bool is_first = true;
    const bool is_answer = question.ending == Ending::answer;  // on the way back to all variables the last ones do better
    for (const auto& [rule, takes_first, enough] : attempts) {
        if (rule == OrderingRule::fewest_new_edges && takes_first && !is_answer) continue;
        order(rule, takes_first && is_answer);
        if (is_answer) {
            for (const Index target : question.targets) path_.order[path_.axis_count++] = marks.local[target];
        }
        contract();
        if (const double found = worth(question.max_bytes); is_first || found < best) {
            best = found;
            std::swap(path_, best_);
        }
        is_first = false;
        if (best_.cost - 2.0 * best_.tables[best_.answer].size <= enough) break;
    }
    std::swap(path_, best_);
    eliminated_ = below(path_.eliminated);
    for (Index axis = 0; axis < path_.axis_count; ++axis) {
        axis_of_[path_.order[axis]] = axis;
        axis_states_[axis] = states_[path_.order[axis]];
    }
}

// The multiplications, and far behind whatever makes a table that does not fit.
double CompactPlanner::worth(std::int64_t max_bytes) const {
    double largest = 0.0;
    for (const Table& table : path_.tables) largest = std::max(largest, table.size);
    return path_.cost * (8.0 * largest <= static_cast<double>(max_bytes) ? 1.0 : 1e30);
}

void CompactPlanner::order(OrderingRule rule, bool takes_first) {
    path_.axis_count = 0;
    Word waiting = active_ & ~outputs_;
    path_.eliminated = count_of(waiting);
    for_each(active_, [&](Index v) { neighbours_[v] = 0; });
    for (Index factor = 0; factor < factor_count_; ++factor) {
        const Word scope = factors_[factor].scope;
        for_each(scope, [&](Index v) { neighbours_[v] |= scope; });
    }
    for_each(active_, [&](Index v) { neighbours_[v] &= ~bit(v); });
    for_each(waiting, [&](Index v) { scores_[v] = score(v, rule); });
    while (waiting) {
        Index best = lowest(waiting);
        for_each(waiting & (waiting - 1), [&](Index v) {
            if (scores_[v] < scores_[best] || (!takes_first && scores_[v] == scores_[best])) best = v;
        });
        waiting &= ~bit(best);
        path_.order[path_.axis_count++] = best;
        const Word around = neighbours_[best];
        Word touched = around;
        bool adds_edges = false;
        for_each(around, [&](Index u) {
            const Word before = neighbours_[u];
            neighbours_[u] = (before | around) & ~bit(u) & ~bit(best);
            if ((around & ~before & ~bit(u)) != 0) adds_edges = true;
        });
        // only new edges change the fill of those that are no neighbours
        if (adds_edges && rule == OrderingRule::fewest_new_edges) touched |= joined(around);
        for_each(touched & waiting, [&](Index v) { scores_[v] = score(v, rule); });
    }
}

// All neighbours of these.
CompactPlanner::Word CompactPlanner::joined(Word of) const {
    Word found = 0;
    for_each(of, [&](Index u) { found |= neighbours_[u]; });
    return found;
}

double CompactPlanner::score(Index node, OrderingRule rule) const {
    const Word around = neighbours_[node];
    double table = log_states_[node];
    Index missing = 0;
    for_each(around, [&](Index u) {
        table += log_states_[u];
        if (const Word lacking = around & ~neighbours_[u] & ~bit(u)) missing += count_of(lacking);
    });
    if (rule == OrderingRule::smallest_table) return table;
    if (rule == OrderingRule::least_growth) return std::exp2(table) - std::exp2(table - log_states_[node]) * 0.5;
    return static_cast<double>(missing / 2) + std::min(table, 4096.0) / 8192.0;
}

// --- the contraction path ---

double CompactPlanner::size_of(Word scope) const {
    double size = 1.0;
    for_each(scope, [&](Index axis) { size *= axis_states_[axis]; });
    return size;
}

double CompactPlanner::union_size(Index left, Index right) const {
    const Table &one_table = path_.tables[left], &other = path_.tables[right];
    const Word shared = one_table.scope & other.scope;
    const double size = one_table.size * other.size;
    return shared ? size / size_of(shared) : size;
}

Index CompactPlanner::add_table(Word scope) {
    path_.tables.push_back({scope, size_of(scope), none});
    return static_cast<Index>(path_.tables.size() - 1);
}

void CompactPlanner::add_step(Index left, Index right, Index product, Elimination elimination, double cost) {
    path_.tables[left].used_by = path_.tables[right].used_by = static_cast<Index>(path_.steps.size());
    path_.steps.push_back({left, right, product, elimination});
    path_.cost += cost;
}

// A step that multiplies two tables and, if it eliminates, sums out what no other table holds.
Index CompactPlanner::multiply(Index left, Index right, bool eliminates) {
    const Word a = path_.tables[left].scope, b = path_.tables[right].scope;
    const double cost = union_size(left, right);
    Word scope = a | b;
    double size = cost;
    for_each(scope & eliminated_, [&](Index axis) {
        const Index times = has(a & b, axis) ? 2 : 1;
        if (eliminates && holders_[axis] == times) {
            scope &= ~bit(axis);
            size /= axis_states_[axis];
        } else {
            holders_[axis] += 1 - times;
        }
    });
    path_.tables.push_back({scope, size, none});
    const auto product = static_cast<Index>(path_.tables.size() - 1);
    add_step(left, right, product, eliminates ? Elimination::sum : Elimination::none, cost);
    return product;
}

// A step that multiplies two tables and keeps of their axes those within a set.
Index CompactPlanner::multiply_within(Index left, Index right, Word within) {
    const double cost = union_size(left, right);
    const Index product = add_table((path_.tables[left].scope | path_.tables[right].scope) & within);
    add_step(left, right, product, Elimination::sum, cost);
    return product;
}

// By their last axes, then by number.
void CompactPlanner::sort_work() {
    const auto last = [&](Index table) {
        const Word scope = path_.tables[table].scope;
        return scope ? highest(scope) + 1 : 0;
    };
    std::sort(work_.begin(), work_.end(), [&](Index a, Index b) { return last(a) != last(b) ? last(a) < last(b) : a < b; });
}

// Multiplies the tables in `work_` pairwise, the smallest product first, until at most two are left there.
void CompactPlanner::multiply_down_to_two(bool eliminates) {
    if (work_.size() <= 2) return;
    sort_work();
    while (work_.size() > most_paired) {
        std::size_t half = 0;
        for (std::size_t k = 0; k + 1 < work_.size(); k += 2) work_[half++] = multiply(work_[k], work_[k + 1], eliminates);
        if (work_.size() % 2) work_[half++] = work_.back();
        work_.resize(half);
    }
    std::size_t many = work_.size();
    Index* const work = work_.data();
    double* const sizes = union_sizes_.data();
    for (std::size_t i = 0; i < many; ++i) {
        for (std::size_t j = i + 1; j < many; ++j) sizes[i * most_paired + j] = union_size(work[i], work[j]);
    }
    while (many > 2) {
        std::size_t first = 0, second = 1;  // the smallest union, among equals that of the closest pair
        double smallest = sizes[1];
        for (std::size_t i = 0; i < many; ++i) {
            const double* const row = sizes + i * most_paired;
            for (std::size_t j = i + 1; j < many; ++j) {
                if (row[j] > smallest || (row[j] == smallest && j - i >= second - first)) continue;
                smallest = row[j];
                first = i;
                second = j;
            }
        }
        work[first] = multiply(work[first], work[second], eliminates);
        std::copy(work + second + 1, work + many, work + second);
        --many;
        for (std::size_t i = 0; i < many; ++i) {  // take the row and the column of the second out
            double* const row = sizes + i * most_paired;
            const double* const from = i < second ? row : row + most_paired;
            for (std::size_t j = i + 1; j < many; ++j) row[j] = from[j + (j >= second)];
        }
        for (std::size_t i = 0; i < first; ++i) sizes[i * most_paired + first] = union_size(work[i], work[first]);
        for (std::size_t j = first + 1; j < many; ++j) sizes[first * most_paired + j] = union_size(work[first], work[j]);
    }
    work_.resize(many);
}

// The steps that leave one table over the axes that are not eliminated, and scalars that belong to the sum.
void CompactPlanner::contract() {
    path_.tables.clear();
    path_.steps.clear();
    path_.scalars.clear();
    path_.cost = 0.0;
    eliminated_ = below(path_.eliminated);
    for (Index axis = 0; axis < path_.axis_count; ++axis) {
        axis_of_[path_.order[axis]] = axis;
        axis_states_[axis] = states_[path_.order[axis]];
        holders_[axis] = 0;
    }
    live_.clear();
    add_table(0);  // `one`
    for (Index factor = 0; factor < factor_count_; ++factor) {
        Word scope = 0;
        for_each(factors_[factor].scope, [&](Index v) {
            scope |= bit(axis_of_[v]);
            ++holders_[axis_of_[v]];
        });
        const Index leaf = add_table(scope);
        if (scope) live_.push_back(leaf);
    }
    for (Index leaf = 1; leaf <= factor_count_; ++leaf) {  // all observed: a number, which a step takes along
        if (path_.tables[leaf].scope == 0) path_.scalars.push_back(multiply(leaf, one, false));
    }
    for (Index axis = 0; axis < path_.eliminated; ++axis) {
        work_.clear();
        std::size_t left = 0;
        for (const Index table : live_) {
            if (has(path_.tables[table].scope, axis)) {
                work_.push_back(table);
            } else {
                live_[left++] = table;
            }
        }
        live_.resize(left);
        if (work_.empty()) continue;
        multiply_down_to_two(true);
        const Index product = multiply(work_[0], work_.size() == 2 ? work_[1] : one, true);
        (path_.tables[product].scope ? live_ : path_.scalars).push_back(product);
    }
    std::swap(work_, live_);
    multiply_down_to_two(false);
    path_.answer = make_answer();
}

// The table with the answer, made by the last step of the tables that are left, at most two.
Index CompactPlanner::make_answer() {
    const Word all = below(path_.axis_count) & ~eliminated_;
    if (work_.size() == 1 && path_.tables[work_[0]].scope == all && work_[0] > factor_count_) {
        const auto makes_it = [&](const Product& step) { return step.product == work_[0]; };
        const auto found = std::find_if(path_.steps.begin(), path_.steps.end(), makes_it);
        std::rotate(found, found + 1, path_.steps.end());  // no other step uses it
        return work_[0];
    }
    const Index answer = add_table(all);
    const Index left = work_.empty() ? one : work_[0], right = work_.size() == 2 ? work_[1] : one;
    add_step(left, right, answer, Elimination::none, path_.tables[answer].size);
    return answer;
}

// Puts the sum of the answer before the step that makes it, the last one; returns the table with the sum.
Index CompactPlanner::normalize_early() {
    const double cost = path_.cost;
    const Product last = path_.steps.back();
    path_.steps.pop_back();
    Index left = last.left, right = last.right, total;
    if (right == one) {
        total = multiply_within(left, one, 0);
    } else {
        const Index of_left = multiply_within(left, one, path_.tables[right].scope);
        const Index of_right = multiply_within(right, one, path_.tables[left].scope);
        total = multiply_within(of_left, of_right, 0);
        lengthen_ends(left, right, path_.tables[last.product].scope);
    }
    add_step(left, right, last.product, last.elimination, 0.0);
    path_.cost = cost;
    return total;
}

// Repeats two factors along the last axes of the answer where these alternate between them: long loops run faster.
void CompactPlanner::lengthen_ends(Index& left, Index& right, Word answer) {
    const Word a = path_.tables[left].scope, b = path_.tables[right].scope;
    const double answer_size = size_of(answer);
    double run = 1.0, block = 1.0;  // the innermost loop as it is, and as it could be
    double left_size = path_.tables[left].size, right_size = path_.tables[right].size;
    Word last_axes = 0;
    int holder = -1;  // of the innermost loop; 4 where it has changed
    for (Word rest = answer; rest;) {
        const Index axis = highest(rest);
        rest &= ~bit(axis);
        const int own = (has(a, axis) ? 1 : 0) + (has(b, axis) ? 2 : 0);
        if (holder < 0 || own == holder) {
            run *= axis_states_[axis];
            holder = own;
        } else {
            holder = 4;
        }
        if (!has(a, axis)) left_size *= axis_states_[axis];
        if (!has(b, axis)) right_size *= axis_states_[axis];
        if (block >= long_end || sparing * std::max(left_size, right_size) > answer_size) break;
        block *= axis_states_[axis];
        last_axes |= bit(axis);
    }
    if (run >= long_enough || block < 2.0 * run) return;
    for (Index* const end : {&left, &right}) {
        const Index longer = add_table((path_.tables[*end].scope & below(lowest(last_axes))) | last_axes);
        add_step(*end, one, longer, Elimination::none, path_.tables[longer].size);
        *end = longer;
    }
}

// Replaces the last step, which makes an answer without axes, by steps back through all others, to a table for each axis.
void CompactPlanner::differentiate(Word wanted) {
    path_.steps.pop_back();
    const auto forward = static_cast<Index>(path_.steps.size());
    path_.tables[one].used_by = none;
    find_homes(wanted);
    is_on_the_way_.assign(path_.tables.size(), 0);
    derivative_.assign(path_.tables.size(), none);
    for (Index axis = 0; axis < path_.axis_count; ++axis) {
        for (Index table = home_[axis]; table != none && !is_on_the_way_[table];) {
            is_on_the_way_[table] = 1;
            const Index step = path_.tables[table].used_by;
            table = step != none && step < forward ? path_.steps[step].product : none;
        }
    }
    for (Index number = forward; number-- > 0;) {
        const Product step = path_.steps[number];
        if (!is_on_the_way_[step.left] && !is_on_the_way_[step.right]) continue;
        const Index known = derivative_[step.product];
        const Index outer = known == none ? one : known;  // a scalar that nothing uses is the end of a part
        if (step.right == one) {
            derivative_[step.left] = outer;
            continue;
        }
        const Word left = path_.tables[step.left].scope, right = path_.tables[step.right].scope;
        if (is_on_the_way_[step.left]) derivative_[step.left] = multiply_within(outer, step.right, left);
        if (is_on_the_way_[step.right]) derivative_[step.right] = multiply_within(outer, step.left, right);
    }
    is_output_.assign(path_.tables.size() + static_cast<std::size_t>(path_.axis_count), 0);
    for (Index axis = 0; axis < path_.axis_count; ++axis) {
        const Index home = home_[axis];
        if (home != none) is_output_[multiply_within(home, derivative_[home], bit(axis))] = 1;
    }
    is_output_.resize(path_.tables.size());
}

// For each wanted axis the table from which its marginal comes most cheaply.
void CompactPlanner::find_homes(Word wanted) {
    const auto tables = static_cast<Index>(path_.tables.size()) - 1;  // without the answer
    const auto forward = static_cast<Index>(path_.steps.size());
    std::fill_n(home_.begin(), path_.axis_count, none);
    for (Index table = 1; table < tables; ++table) {
        const Index step = path_.tables[table].used_by;
        if (step == none || step >= forward) continue;
        double cost = path_.tables[table].size;
        if (table <= factor_count_ && path_.steps[step].right != one) {
            cost = 2.0 * std::max(path_.tables[path_.steps[step].left].size, path_.tables[path_.steps[step].right].size);
        }
        for_each(path_.tables[table].scope & wanted, [&](Index axis) {
            if (home_[axis] != none && cost > scores_[axis]) return;
            home_[axis] = table;
            scores_[axis] = cost;
        });
    }
}

// --- the program ---

void CompactPlanner::write(const TableLayout& layout, const IndexMarks& marks, Index early_sum, ProgramDraft& program) {
    program.clear();
    for (Index axis = 0; axis < path_.axis_count; ++axis) {
        program.axes.push_back(nodes_[path_.order[axis]]);
        program.states.push_back(static_cast<Index>(axis_states_[axis]));
    }
    program.eliminated = path_.eliminated;
    program.table_count = static_cast<Index>(path_.tables.size());
    program.largest_table = 0;
    program.scope_entries = 0;
    double whole = 0.0, largest = path_.tables[0].size;
    for (Index table = 0; table < program.table_count; ++table) {
        const Table& own = path_.tables[table];
        program.scope_words.push_back(own.scope);
        program.scope_entries += count_of(own.scope);
        whole += own.size;
        if (own.size > largest) {
            largest = own.size;
            program.largest_table = table;
        }
    }
    program.leaves.clear();
    program.loads_derived = false;
    for (Index factor = 0; factor < factor_count_; ++factor) {
        const Source source = factors_[factor].source;
        program.leaves.push_back(source);
        if (source.kind == Source::Kind::table && source.number >= layout.variable_count()) program.loads_derived = true;
    }
    program.cost = static_cast<Offset>(std::min(path_.cost, Program::most));
    program.is_too_large = whole > Program::most;
    if (program.is_too_large) {
        program.workspace_size = static_cast<Offset>(std::min(whole, 4 * Program::most));
        program.result_size = 0;
        return;
    }
    place(program);
    if (early_sum >= 0) program.early_sum = {early_sum, offset_[early_sum]};
    for (const Index scalar : path_.scalars) program.scalars.push_back({scalar, offset_[scalar]});
    for (Index table = 0; table < program.table_count; ++table) {
        if (!is_output_[table]) continue;
        const Word scope = path_.tables[table].scope;
        const Index variable = std::has_single_bit(scope) ? program.axes[lowest(scope)] : -1;
        program.outputs.push_back({variable, offset_[table], static_cast<Offset>(path_.tables[table].size)});
    }
    is_loaded_.assign(static_cast<std::size_t>(factor_count_) + 1, 0);
    for (const Product& step : path_.steps) {
        write_step(step, program);
        for (const Index table : {step.left, step.right}) {
            if (table == one || table > factor_count_ || is_loaded_[table]) continue;
            is_loaded_[table] = 1;
            write_load(table, layout, marks, program);
            ++program.steps.back().loads;
        }
    }
}

// Finds where each table lies, in the workspace or among the results.
void CompactPlanner::place(ProgramDraft& program) {
    const Vector<Product>& steps = path_.steps;
    last_use_.resize(path_.tables.size());
    for (std::size_t step = 0; step < steps.size(); ++step) {
        last_use_[steps[step].left] = last_use_[steps[step].right] = static_cast<Index>(step);
    }
    offset_.assign(path_.tables.size(), -1);
    offset_[one] = 0;
    allocator_.clear(1);
    Offset results = 0;
    for (std::size_t number = 0; number < steps.size(); ++number) {
        const Product& step = steps[number];
        for (const Index table : {step.left, step.right, step.product}) {
            if (offset_[table] >= 0) continue;
            const auto size = static_cast<Offset>(path_.tables[table].size);
            if (is_output_[table]) {
                offset_[table] = results;
                results += size;
            } else {
                offset_[table] = allocator_.take(size);
            }
        }
        const auto release = [&](Index table) {
            if (table == one || last_use_[table] != static_cast<Index>(number)) return;
            allocator_.free(offset_[table], static_cast<Offset>(path_.tables[table].size));
        };
        release(step.left);
        if (step.right != step.left) release(step.right);
    }
    program.workspace_size = allocator_.top();
    program.result_size = results;
}

void CompactPlanner::write_load(Index table, const TableLayout& layout, const IndexMarks& marks, ProgramDraft& program) {
    const Factor& factor = factors_[table - 1];
    Load load{table, factor.source, offset_[table], static_cast<Offset>(path_.tables[table].size), 0, 0, 0, 0};
    load.first_fixed = static_cast<Index>(program.fixed.size());
    load.first_copied = static_cast<Index>(program.copied.size());
    std::array<Offset, most> strides;  // of the axes that are copied
    Offset stride = 1;
    const auto add = [&](Index v) {
        if (has(observed_, v)) {
            program.fixed.push_back({observation_[v], stride});
        } else {
            strides[axis_of_[v]] = stride;
        }
        stride *= layout.states()[nodes_[v]];
    };
    add(factor.owner);  // the last axis of its table; before it come its parents
    if (factor.source.kind == Source::Kind::table) {
        const Indices parents = layout.index().table_parents()[factor.source.number];
        for (std::size_t k = parents.size(); k-- > 0;) add(marks.local[parents[k]]);
    }
    for_each(path_.tables[table].scope, [&](Index axis) { program.copied.push_back({program.states[axis], strides[axis]}); });
    load.fixed_count = static_cast<Index>(program.fixed.size()) - load.first_fixed;
    load.copied_count = static_cast<Index>(program.copied.size()) - load.first_copied;
    program.loads.push_back(load);
}

// The loops of a step from the innermost out, neighbouring axes fused where the same tables have them.
void CompactPlanner::write_step(const Product& step, ProgramDraft& program) {
    const Table &left = path_.tables[step.left], &right = path_.tables[step.right], &product = path_.tables[step.product];
    Offset left_stride = 1, right_stride = 1, product_stride = 1;
    fused_.clear();
    for (Word rest = left.scope | right.scope | product.scope; rest;) {
        const Index axis = highest(rest);
        rest &= ~bit(axis);
        const bool in_left = has(left.scope, axis), in_right = has(right.scope, axis), in_product = has(product.scope, axis);
        const int holders = in_left + 2 * in_right + 4 * in_product;
        const Offset length = program.states[axis];
        if (!fused_.empty() && fused_.back().holders == holders) {
            fused_.back().loop.length *= length;
        } else {
            fused_.push_back(
                {{length, in_left ? left_stride : 0, in_right ? right_stride : 0, in_product ? product_stride : 0}, holders});
        }
        if (in_left) left_stride *= length;
        if (in_right) right_stride *= length;
        if (in_product) product_stride *= length;
    }
    append_step({step.left, step.right, step.product, offset_[step.left], offset_[step.right], offset_[step.product],
                 static_cast<Offset>(right.size), static_cast<Offset>(product.size), step.elimination,
                 is_output_[step.product] != 0, 0, 0, 0, 0},
                fused_, static_cast<Offset>(left.size), program);
}

}  // namespace dconvex
