#include "inference/factors.hpp"

namespace dconvex {

void FactorCollector::collect(const SmallNetwork& small, Indices observation, Indices likelihood, Factors& factors) {
    factors.scopes.clear();
    factors.sources.clear();
    factors.owners.clear();
    is_covered_.assign(small.nodes.size(), 0);
    for (Index v = 0; v < small.size(); ++v) {
        if (!is_factor(small, v)) continue;
        scope_.clear();
        const auto add = [&](Index member) {
            is_covered_[member] = 1;
            if (observation[member] < 0) scope_.push_back(member);
        };
        for (const Index parent : small.parents[v]) add(parent);
        add(v);
        factors.scopes.append(scope_);
        factors.sources.push_back({Source::Kind::table, small.tables[v]});
        factors.owners.push_back(v);
    }
    for (Index v = 0; v < small.size(); ++v) {
        if (!is_covered_[v] || likelihood[v] < 0) continue;
        factors.scopes.append(Indices(&v, 1));
        factors.sources.push_back({Source::Kind::likelihood, likelihood[v]});
        factors.owners.push_back(v);
    }
}

}  // namespace dconvex
