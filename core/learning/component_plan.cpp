#include "learning/component_plan.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace dconvex {
namespace {

constexpr double most_cells = 1099511627776.0;  // 2^40
// Up to this many joint states a component is one clique: nothing is gained by eliminating one variable after the other.
constexpr double one_clique = 64.0;

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

Offset FamilyLayout::base(Index variable, const Vector<Index>& codes) const {
    const Indices members = members_[variable];
    const std::span<const Offset> steps = strides(variable);
    Offset base = offsets_[static_cast<std::size_t>(variable)];
    for (std::size_t m = 0; m < members.size(); ++m) {
        if (codes[members[m]] > 0) base += codes[members[m]] * steps[m];
    }
    return base;
}

double ComponentPlan::bytes() const noexcept {
    double total = sizeof(ComponentPlan) + sizeof(Index) * static_cast<double>(variables.size() + families.size());
    for (const Clique& clique : cliques) {
        const auto axes = static_cast<double>(clique.variables.size());
        total += sizeof(Clique) + 2.0 * sizeof(Index) * axes;
        total += static_cast<double>(clique.factors.size()) * (sizeof(Factor) + sizeof(Offset) * axes);
    }
    return total;
}

namespace {

// Eliminates the missing variables of a component, the one that makes the smallest table first.
class Planner {
public:
    Planner(const FamilyLayout& layout, Indices variables, Indices families, std::span<const char> is_last)
        : layout_(layout), size_(static_cast<Index>(variables.size())), is_last_(is_last) {
        plan_.variables.assign(variables.begin(), variables.end());
        plan_.families.assign(families.begin(), families.end());
    }

    ComponentPlan planned() {
        gather_factors();
        if (is_last_.empty() && joint_cells() <= one_clique) {
            Vector<Index> all(static_cast<std::size_t>(size_));
            std::iota(all.begin(), all.end(), 0);
            add_clique(all, {});
        } else {
            Vector<char> is_left(static_cast<std::size_t>(size_), 1);
            cells_with_.resize(static_cast<std::size_t>(size_));
            for (Index local = 0; local < size_; ++local) cells_with_[local] = cells_with(local);
            for (Index round = 0; round < size_; ++round) {
                const Index next = smallest(is_left);
                const Vector<Index> kept = neighbours(next);
                is_left[next] = 0;
                add_clique({next}, kept);
                for (const Index local : kept) cells_with_[local] = cells_with(local);  // the others' factors are as before
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

    bool comes_last(Index local) const { return !is_last_.empty() && is_last_[static_cast<std::size_t>(local)]; }

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

    // The size of the table in which a variable would be eliminated now.
    double cells_with(Index local) const {
        double cells = states(local);
        for (const Index other : neighbours(local)) cells *= states(other);
        return cells;
    }

    Index smallest(const Vector<char>& is_left) const {
        Index best = -1;
        bool are_others_left = false;
        for (Index local = 0; local < size_; ++local) are_others_left |= is_left[local] && !comes_last(local);
        for (Index local = 0; local < size_; ++local) {
            if (!is_left[local] || (are_others_left && comes_last(local))) continue;
            if (best < 0 || cells_with_[local] < cells_with_[best]) best = local;
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
    std::span<const char> is_last_;
    ComponentPlan plan_;
    Vector<Waiting> waiting_;
    Vector<double> cells_with_;
    bool is_too_large_ = false;
};

}  // namespace

ComponentPlan planned_component(const FamilyLayout& layout, Indices variables, Indices families,
                                std::span<const char> is_last) {
    return Planner(layout, variables, families, is_last).planned();
}

}  // namespace dconvex
