#include "learning/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

constexpr double most_cells = 1099511627776.0;  // 2^40
constexpr Index blocks = 16;
// Up to this many joint states a component is one clique: nothing is gained by eliminating one variable after the other.
constexpr double one_clique = 64.0;
constexpr Offset rows_at_once = 4096;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t number) noexcept {
    hash = (hash ^ (number + 0x9E3779B97F4A7C15ULL)) * 0xBF58476D1CE4E5B9ULL;
    return hash ^ (hash >> 29);
}

}  // namespace

FamilyLayout::FamilyLayout(const Graph& graph, Vector<Index> states) : states_(std::move(states)) {
    if (static_cast<Index>(states_.size()) != graph.size())
        throw std::invalid_argument("every variable needs its number of states");
    if (std::any_of(states_.begin(), states_.end(), [](Index count) { return count < 1; })) {
        throw std::invalid_argument("every variable needs a state");
    }
    offsets_.push_back(0);
    Vector<Index> members;
    for (Index variable = 0; variable < graph.size(); ++variable) {
        const Indices parents = graph.parents()[variable];
        members.assign(parents.begin(), parents.end());
        members.push_back(variable);
        members_.append(members);
        double cells = 1.0;
        for (const Index member : members) cells *= states_[member];
        if (cells + static_cast<double>(offsets_.back()) > most_cells) throw std::invalid_argument("the tables are too large");
        const std::size_t first = strides_.size();
        strides_.resize(first + members.size());
        Offset stride = 1;
        for (std::size_t k = members.size(); k-- > 0;) {
            strides_[first + k] = stride;
            stride *= states_[members[k]];
        }
        offsets_.push_back(offsets_.back() + stride);
    }
}

std::span<const Offset> FamilyLayout::strides(Index variable) const {
    return {strides_.data() + members_.offsets()[variable], static_cast<std::size_t>(members_.length(variable))};
}

// ---- Planning: the cliques of one kind of component ----------------------------------------------------------------------

namespace {

// Eliminates the missing variables of a component, the one that makes the smallest table first.
class Planner {
public:
    Planner(const FamilyLayout& layout, const Vector<Index>& variables, const Vector<Index>& families)
        : layout_(layout), size_(static_cast<Index>(variables.size())) {
        plan_.variables = variables;
        plan_.families = families;
    }

    ComponentPlan planned() {
        gather_factors();
        if (joint_cells() <= one_clique) {
            Vector<Index> all(static_cast<std::size_t>(size_));
            std::iota(all.begin(), all.end(), 0);
            add_clique(all, {});
        } else {
            Vector<char> is_left(static_cast<std::size_t>(size_), 1);
            for (Index round = 0; round < size_; ++round) {
                const Index next = smallest(is_left);
                is_left[next] = 0;
                add_clique({next}, neighbours(next));
            }
        }
        place();
        return std::move(plan_);
    }

private:
    // A factor that no clique has multiplied yet: its variables, by number within the component.
    struct Waiting {
        bool is_message;
        Index number;
        Vector<Index> scope;
    };

    void gather_factors() {
        for (std::size_t f = 0; f < plan_.families.size(); ++f) {
            Waiting factor{false, static_cast<Index>(f), {}};
            for (const Index member : layout_.members(plan_.families[f])) {
                const auto found = std::lower_bound(plan_.variables.begin(), plan_.variables.end(), member);
                if (found != plan_.variables.end() && *found == member) {
                    factor.scope.push_back(static_cast<Index>(found - plan_.variables.begin()));
                }
            }
            waiting_.push_back(std::move(factor));
        }
    }

    double states(Index local) const { return layout_.states(plan_.variables[local]); }

    double joint_cells() const {
        double cells = 1.0;
        for (Index local = 0; local < size_; ++local) cells *= states(local);
        return cells;
    }

    // What is multiplied with a variable when it is eliminated now, without itself.
    Vector<Index> neighbours(Index local) const {
        Vector<Index> found;
        for (const Waiting& factor : waiting_) {
            if (std::find(factor.scope.begin(), factor.scope.end(), local) == factor.scope.end()) continue;
            found.insert(found.end(), factor.scope.begin(), factor.scope.end());
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        found.erase(std::find(found.begin(), found.end(), local));
        return found;
    }

    Index smallest(const Vector<char>& is_left) const {
        Index best = -1;
        double least = std::numeric_limits<double>::infinity();
        for (Index local = 0; local < size_; ++local) {
            if (!is_left[local]) continue;
            double cells = states(local);
            for (const Index other : neighbours(local)) cells *= states(other);
            if (best < 0 || cells < least) {
                best = local;
                least = cells;
            }
        }
        return best;
    }

    void add_clique(const Vector<Index>& eliminated, const Vector<Index>& kept) {
        ComponentPlan::Clique clique;
        clique.variables = kept;
        clique.variables.insert(clique.variables.end(), eliminated.begin(), eliminated.end());
        clique.eliminated = static_cast<Index>(eliminated.size());
        double cells = 1.0, message_cells = 1.0;
        for (std::size_t k = 0; k < clique.variables.size(); ++k) {
            clique.states.push_back(layout_.states(plan_.variables[clique.variables[k]]));
            cells *= clique.states.back();
            if (k < kept.size()) message_cells *= clique.states.back();
        }
        plan_.workspace += cells + 2.0 * message_cells;
        const auto touches = [&](const Waiting& factor) {
            return std::any_of(factor.scope.begin(), factor.scope.end(), [&](Index local) {
                return std::find(eliminated.begin(), eliminated.end(), local) != eliminated.end();
            });
        };
        const auto first =
            std::stable_partition(waiting_.begin(), waiting_.end(), [&](const Waiting& f) { return !touches(f); });
        for (auto factor = first; factor != waiting_.end(); ++factor) clique.factors.push_back(strided(*factor, clique));
        waiting_.erase(first, waiting_.end());
        plan_.cost += cells * 2.0 * static_cast<double>(clique.factors.size() + 1);
        is_too_large_ |= plan_.workspace > most_cells;
        clique.cells = is_too_large_ ? 0 : static_cast<Offset>(cells);
        clique.message_cells = is_too_large_ ? 0 : static_cast<Offset>(message_cells);
        waiting_.push_back({true, static_cast<Index>(plan_.cliques.size()), kept});
        plan_.cliques.push_back(std::move(clique));
    }

    ComponentPlan::Factor strided(const Waiting& factor, const ComponentPlan::Clique& clique) const {
        ComponentPlan::Factor found{factor.is_message, factor.number, Vector<Offset>(clique.variables.size(), 0)};
        for (std::size_t k = 0; k < clique.variables.size(); ++k) {
            found.strides[k] = factor.is_message ? message_stride(factor, clique.variables[k])
                                                 : family_stride(plan_.families[factor.number], clique.variables[k]);
        }
        return found;
    }

    Offset family_stride(Index family, Index local) const {
        const Indices members = layout_.members(family);
        const auto found = std::find(members.begin(), members.end(), plan_.variables[local]);
        return found == members.end() ? 0 : layout_.strides(family)[static_cast<std::size_t>(found - members.begin())];
    }

    // A message has the variables of its scope in their order, the last one fastest.
    Offset message_stride(const Waiting& message, Index local) const {
        Offset stride = 1;
        for (std::size_t k = message.scope.size(); k-- > 0;) {
            if (message.scope[k] == local) return stride;
            stride *= layout_.states(plan_.variables[message.scope[k]]);
        }
        return 0;
    }

    void place() {
        Offset at = 0;
        for (ComponentPlan::Clique& clique : plan_.cliques) {
            clique.begin = at;
            clique.message_begin = at + clique.cells;
            at += clique.cells + 2 * clique.message_cells;
        }
    }

    const FamilyLayout& layout_;
    Index size_;
    ComponentPlan plan_;
    Vector<Waiting> waiting_;
    bool is_too_large_ = false;
};

}  // namespace

// ---- Rows into components -------------------------------------------------------------------------------------------------

// What is known about the row at hand; entries are set again for each row.
struct ExpectedCounts::Row {
    explicit Row(Index size)
        : code(static_cast<std::size_t>(size)),
          counts(static_cast<std::size_t>(size), 0),
          leader(static_cast<std::size_t>(size)),
          has_family(static_cast<std::size_t>(size), 0) {}

    Vector<Index> code;
    Vector<Index> missing;    // the missing variables that count, in an order in which children come before parents
    Vector<char> counts;      // whether a missing variable counts: whether one of its descendants is observed
    Vector<Index> leader;     // of its component, for a missing variable that counts
    Vector<char> has_family;  // whether a family is in the list
    Vector<Index> families;   // those with a missing member, that count
    Vector<Index> variables_of, families_of;  // of the component at hand
    Vector<Offset> bases;

    Index leader_of(Index variable) {
        while (leader[variable] != variable) variable = leader[variable] = leader[leader[variable]];
        return variable;
    }
};

ExpectedCounts::ExpectedCounts(std::shared_ptr<const Graph> graph, Vector<Index> states)
    : graph_(std::move(graph)),
      layout_(*graph_, std::move(states)),
      complete_(static_cast<std::size_t>(layout_.cells()), 0.0),
      family_weight_(static_cast<std::size_t>(layout_.size()), 0.0) {}

template <class Code>
void ExpectedCounts::add_rows(const Code* codes, Offset stride, Offset rows, std::span<const double> weights) {
    for (Index variable = 0; variable < layout_.size(); ++variable) {
        const Code* own = codes + variable * stride;
        const Index states = layout_.states(variable);
        if (std::any_of(own, own + rows, [states](Code code) { return static_cast<Index>(code) >= states; })) {
            throw std::invalid_argument("a state is none of its variable's");
        }
    }
    count_complete(codes, stride, rows, weights);
    Row row(layout_.size());
    Poll poll;
    for (Offset number = 0; number < rows; ++number) {
        add_row(codes, stride, number, weights.empty() ? 1.0 : weights[static_cast<std::size_t>(number)], row);
        poll(layout_.size() + 32);
    }
}

// Counts the families whose cells are all there, a family and some rows at a time.
template <class Code>
void ExpectedCounts::count_complete(const Code* codes, Offset stride, Offset rows, std::span<const double> weights) {
    Vector<Offset> cell(static_cast<std::size_t>(rows_at_once));
    Vector<char> is_whole(static_cast<std::size_t>(rows_at_once));
    Poll poll;
    for (Index family = 0; family < layout_.size(); ++family) {
        const Indices members = layout_.members(family);
        const std::span<const Offset> strides = layout_.strides(family);
        double* counts = complete_.data() + layout_.offsets()[family];
        for (Offset first = 0; first < rows; first += rows_at_once) {
            const Offset many = std::min(rows_at_once, rows - first);
            std::fill_n(cell.begin(), many, 0);
            std::fill_n(is_whole.begin(), many, char{1});
            for (std::size_t m = 0; m < members.size(); ++m) {
                const Code* own = codes + members[m] * stride + first;
                for (Offset k = 0; k < many; ++k) {
                    cell.data()[k] += own[k] * strides[m];
                    is_whole.data()[k] &= static_cast<char>(own[k] >= 0);
                }
            }
            double weight = 0.0;
            for (Offset k = 0; k < many; ++k) {
                if (!is_whole.data()[k]) continue;
                const double own = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(first + k)];
                counts[cell.data()[k]] += own;
                weight += own;
            }
            family_weight_[family] += weight;
            poll(many * static_cast<Offset>(members.size()));
        }
    }
}

// Finds the missing variables that count and the families around them, and joins the members of a family.
template <class Code>
void ExpectedCounts::add_row(const Code* codes, Offset stride, Offset number, double weight, Row& row) {
    const Vector<Index>& order = graph_->order();
    row_weight_ += weight;
    row.missing.clear();
    bool is_complete = true;
    for (Index variable = 0; variable < layout_.size(); ++variable) {
        row.code[variable] = codes[variable * stride + number];
        is_complete &= row.code[variable] >= 0;
    }
    if (is_complete || weight == 0.0) return;
    for (std::size_t at = order.size(); at-- > 0;) {
        const Index variable = order[at];
        if (row.code[variable] >= 0) continue;
        missing_cells_ += weight;
        const Indices children = graph_->children()[variable];
        row.counts[variable] = std::any_of(children.begin(), children.end(),
                                           [&](Index child) { return row.code[child] >= 0 || row.counts[child]; });
        if (row.counts[variable]) row.missing.push_back(variable);
        row.leader[variable] = variable;
    }
    row.families.clear();
    const auto touch = [&](Index family) {
        if (row.has_family[family]) return;
        row.has_family[family] = 1;
        row.families.push_back(family);
        Index first = -1;
        for (const Index member : layout_.members(family)) {
            if (row.code[member] >= 0) continue;
            if (first >= 0) row.leader[row.leader_of(member)] = row.leader_of(first);
            first = member;
        }
    };
    for (const Index variable : row.missing) {
        touch(variable);
        for (const Index child : graph_->children()[variable]) {
            if (row.code[child] >= 0 || row.counts[child]) touch(child);
        }
    }
    add_components(weight, row);
    for (const Index family : row.families) {
        row.has_family[family] = 0;
        family_weight_[family] += weight;
    }
    for (const Index variable : row.missing) row.counts[variable] = 0;
}

void ExpectedCounts::add_components(double weight, Row& row) {
    std::sort(row.missing.begin(), row.missing.end());
    std::sort(row.families.begin(), row.families.end());
    for (const Index root : row.missing) {
        if (row.leader_of(root) != root) continue;
        row.variables_of.clear();
        row.families_of.clear();
        row.bases.clear();
        for (const Index variable : row.missing) {
            if (row.leader_of(variable) == root) row.variables_of.push_back(variable);
        }
        for (const Index family : row.families) {
            const Indices members = layout_.members(family);
            const std::span<const Offset> strides = layout_.strides(family);
            Offset base = layout_.offsets()[family];
            Index own = -1;
            for (std::size_t m = 0; m < members.size(); ++m) {
                const Index code = row.code[members[m]];
                if (code < 0) {
                    own = row.leader_of(members[m]);
                } else {
                    base += code * strides[m];
                }
            }
            if (own != root) continue;
            row.families_of.push_back(family);
            row.bases.push_back(base);
        }
        add_component(kinds_[kind_of(row.variables_of, row.families_of)], row.bases, weight);
    }
}

Index ExpectedCounts::kind_of(const Vector<Index>& variables, const Vector<Index>& families) {
    std::uint64_t hash = 0;
    for (const Index variable : variables) hash = mixed(hash, static_cast<std::uint64_t>(variable));
    for (const Index family : families) hash = mixed(hash, ~static_cast<std::uint64_t>(family));
    const auto [first, last] = kind_by_hash_.equal_range(hash);
    for (auto found = first; found != last; ++found) {
        const ComponentPlan& plan = kinds_[found->second].plan;
        if (plan.variables == variables && plan.families == families) return found->second;
    }
    const auto number = static_cast<Index>(kinds_.size());
    kinds_.push_back({Planner(layout_, variables, families).planned(), {}, {}, {}});
    kind_by_hash_.emplace(hash, number);
    const ComponentPlan& plan = kinds_.back().plan;
    if (plan.workspace > largest_workspace_) {
        largest_workspace_ = plan.workspace;
        largest_component_ = plan.variables;
    }
    return number;
}

void ExpectedCounts::add_component(Kind& kind, const Vector<Offset>& bases, double weight) {
    const std::size_t width = bases.size();
    const auto slot_of = [&kind, width](const Offset* own) {
        std::uint64_t hash = 0;
        for (std::size_t k = 0; k < width; ++k) hash = mixed(hash, static_cast<std::uint64_t>(own[k]));
        const std::size_t mask = kind.slots.size() - 1;
        std::size_t slot = static_cast<std::size_t>(hash >> 20) & mask;
        while (kind.slots[slot] >= 0 &&
               !std::equal(own, own + width, kind.bases.data() + static_cast<std::size_t>(kind.slots[slot]) * width)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    };
    if (2 * (kind.weights.size() + 1) > kind.slots.size()) {
        kind.slots.assign(std::max<std::size_t>(4, 4 * kind.slots.size()), -1);
        for (std::size_t component = 0; component < kind.weights.size(); ++component) {
            kind.slots[slot_of(kind.bases.data() + component * width)] = static_cast<Index>(component);
        }
    }
    const std::size_t slot = slot_of(bases.data());
    if (kind.slots[slot] >= 0) {
        kind.weights[kind.slots[slot]] += weight;
        return;
    }
    kind.slots[slot] = static_cast<Index>(kind.weights.size());
    kind.bases.insert(kind.bases.end(), bases.begin(), bases.end());
    kind.weights.push_back(weight);
    cost_ += kind.plan.cost;
    ++components_;
}

void ExpectedCounts::finish() {
    block_start_.assign(1, {0, 0});
    double reached = 0.0;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        Kind& kind = kinds_[k];
        kind.slots = {};
        for (std::size_t component = 0; component < kind.weights.size(); ++component) {
            const auto begun = static_cast<double>(block_start_.size());
            if (block_start_.size() < static_cast<std::size_t>(blocks) && reached >= begun * cost_ / blocks) {
                block_start_.push_back({static_cast<Index>(k), static_cast<Index>(component)});
            }
            reached += kind.plan.cost;
        }
    }
    block_start_.push_back({static_cast<Index>(kinds_.size()), 0});
}

// ---- The posterior of a component ----------------------------------------------------------------------------------------

namespace {

// Calls visit(cell, index) for each cell of a clique, the last variable fastest; the index follows a factor's strides.
template <class Visit>
inline void for_cells(const ComponentPlan::Clique& clique, const Offset* strides, Vector<Index>& count, Visit visit) {
    const std::size_t axes = clique.states.size();
    const Index* states = clique.states.data();
    const Index inner = states[axes - 1];
    const Offset step = strides[axes - 1];
    if (axes == 1) {
        for (Index k = 0; k < inner; ++k) visit(k, k * step);
        return;
    }
    std::fill_n(count.begin(), axes, 0);
    Offset index = 0;
    for (Offset cell = 0; cell < clique.cells; cell += inner) {
        for (Index k = 0; k < inner; ++k) visit(cell + k, index + k * step);
        for (std::size_t axis = axes - 1; axis-- > 0;) {
            index += strides[axis];
            if (++count[axis] < states[axis]) break;
            index -= strides[axis] * states[axis];
            count[axis] = 0;
        }
    }
}

// Runs the plan of a kind for one component after the other, in one workspace.
class Elimination {
public:
    Elimination(const ComponentPlan& plan, std::span<const double> values, std::span<double> counts)
        : plan_(plan), values_(values.data()), counts_(counts.data()), room_(static_cast<std::size_t>(plan.workspace)) {
        std::size_t axes = 1;
        for (const ComponentPlan::Clique& clique : plan.cliques) axes = std::max(axes, clique.states.size());
        count_.resize(axes);
    }

    // Adds the expected counts; the logarithm of the component's probability, -inf where it is impossible.
    double add(const Offset* bases, double weight) {
        double log_scale = 0.0;
        for (const ComponentPlan::Clique& clique : plan_.cliques) {
            multiply(clique, bases);
            const double largest = send(clique);
            if (!(largest > 0.0)) return -std::numeric_limits<double>::infinity();
            log_scale += std::log(largest);
        }
        for (std::size_t k = plan_.cliques.size(); k-- > 0;) come_back(plan_.cliques[k], bases, weight);
        return log_scale;
    }

private:
    const double* source(const ComponentPlan::Factor& factor, const Offset* bases) const {
        return factor.is_message ? room_.data() + plan_.cliques[factor.number].message_begin : values_ + bases[factor.number];
    }

    void multiply(const ComponentPlan::Clique& clique, const Offset* bases) {
        double* cells = room_.data() + clique.begin;
        bool is_first = true;
        for (const ComponentPlan::Factor& factor : clique.factors) {
            const double* from = source(factor, bases);
            if (is_first) {
                for_cells(clique, factor.strides.data(), count_, [=](Offset cell, Offset index) { cells[cell] = from[index]; });
            } else {
                for_cells(clique, factor.strides.data(), count_,
                          [=](Offset cell, Offset index) { cells[cell] *= from[index]; });
            }
            is_first = false;
        }
    }

    // Sums out the eliminated variables and scales the message, and the cells, to a maximum of one: what it was before.
    double send(const ComponentPlan::Clique& clique) {
        double* cells = room_.data() + clique.begin;
        double* message = room_.data() + clique.message_begin;
        const Offset inner = clique.cells / clique.message_cells;
        double largest = 0.0;
        for (Offset k = 0; k < clique.message_cells; ++k) {
            double total = 0.0;
            for (Offset j = 0; j < inner; ++j) total += cells[k * inner + j];
            message[k] = total;
            largest = std::max(largest, total);
        }
        if (!(largest > 0.0)) return 0.0;
        for (Offset k = 0; k < clique.cells; ++k) cells[k] /= largest;
        for (Offset k = 0; k < clique.message_cells; ++k) message[k] /= largest;
        return largest;
    }

    // What comes back to a clique is the posterior of its message's variables over the message; a message that is zero belongs
    // to cells that are all zero, so nothing is lost where it cannot be divided by.
    void come_back(const ComponentPlan::Clique& clique, const Offset* bases, double weight) {
        double* cells = room_.data() + clique.begin;
        const double* message = room_.data() + clique.message_begin;
        const double* back = message + clique.message_cells;
        const Offset inner = clique.cells / clique.message_cells;
        const bool is_last = clique.message_cells == 1;  // nothing else depends on it: its own sum is the whole
        for (Offset k = 0; k < clique.message_cells; ++k) {
            const double factor = is_last ? 1.0 / message[k] : message[k] > 0.0 ? back[k] / message[k] : 0.0;
            for (Offset j = 0; j < inner; ++j) cells[k * inner + j] *= factor;
        }
        for (const ComponentPlan::Factor& factor : clique.factors) {
            if (factor.is_message) {
                const ComponentPlan::Clique& sender = plan_.cliques[factor.number];
                if (sender.message_cells == 1) continue;
                double* into = room_.data() + sender.message_begin + sender.message_cells;
                std::fill_n(into, sender.message_cells, 0.0);
                for_cells(clique, factor.strides.data(), count_,
                          [=](Offset cell, Offset index) { into[index] += cells[cell]; });
            } else {
                double* into = counts_ + bases[factor.number];
                for_cells(clique, factor.strides.data(), count_,
                          [=](Offset cell, Offset index) { into[index] += weight * cells[cell]; });
            }
        }
    }

    const ComponentPlan& plan_;
    const double* values_;
    double* counts_;
    Vector<double> room_;
    Vector<Index> count_;
};

}  // namespace

ExpectedCounts::Expectation ExpectedCounts::expect(std::span<const double> values, Index block,
                                                   std::span<double> counts) const {
    if (static_cast<Offset>(values.size()) != layout_.cells() || static_cast<Offset>(counts.size()) != layout_.cells()) {
        throw std::invalid_argument("there must be a number for each cell of the families");
    }
    if (block < 0 || block >= block_count()) throw std::invalid_argument("there is no such block");
    Expectation found;
    Poll poll;
    Place at = block_start_[block];
    const Place end = block_start_[block + 1];
    while (at.kind < end.kind || (at.kind == end.kind && at.component < end.component)) {
        const Kind& kind = kinds_[at.kind];
        const auto last = at.kind < end.kind ? static_cast<Index>(kind.weights.size()) : end.component;
        const std::size_t width = kind.plan.families.size();
        Elimination elimination(kind.plan, values, counts);
        for (; at.component < last; ++at.component) {
            const double weight = kind.weights[at.component];
            const double log_probability = elimination.add(kind.bases.data() + at.component * width, weight);
            if (log_probability == -std::numeric_limits<double>::infinity()) {
                found.impossible_weight += weight;
            } else {
                found.log_likelihood += weight * log_probability;
            }
            poll(static_cast<std::int64_t>(kind.plan.cost));
        }
        at = {at.kind + 1, 0};
    }
    return found;
}

template void ExpectedCounts::add_rows(const std::int8_t*, Offset, Offset, std::span<const double>);
template void ExpectedCounts::add_rows(const std::int16_t*, Offset, Offset, std::span<const double>);
template void ExpectedCounts::add_rows(const std::int32_t*, Offset, Offset, std::span<const double>);

}  // namespace dconvex
