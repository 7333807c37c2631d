#include "structure/orientation.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace dconvex {
namespace {

// Two variables that are not adjacent, and a common neighbour between them.
struct Triple {
    Index one, middle, other;

    auto operator<=>(const Triple&) const = default;
};

enum class Verdict : char { collider, no_collider, undecided };

class Orientation {
public:
    Orientation(Skeleton& skeleton, const EdgeConstraints& constraints)
        : skeleton_(skeleton), constraints_(constraints), children_(static_cast<std::size_t>(skeleton.size())) {}

    Pdag run() {
        orient_known();
        orient_colliders();
        while (apply_rules()) {
        }
        Pdag found{skeleton_.size(), {}, {}};
        for (Index one = 0; one < skeleton_.size(); ++one) {
            for (const Index other : skeleton_.adjacent(one)) {
                if (has_arrow(one, other)) found.directed.push_back({one, other});
                if (one < other && is_undirected(one, other)) found.undirected.push_back({one, other});
            }
        }
        return found;
    }

private:
    bool has_arrow(Index parent, Index child) const { return children_[parent].count(child) > 0; }
    bool is_undirected(Index one, Index other) const { return !has_arrow(one, other) && !has_arrow(other, one); }

    // Whether an undirected edge may get this direction; it does.
    bool orient(Index parent, Index child) {
        if (!is_undirected(parent, child) || constraints_.is_forbidden(parent, child) || reaches(child, parent)) return false;
        children_[parent].insert(child);
        return true;
    }

    bool reaches(Index from, Index to) const {
        std::set<Index> seen{from};
        Vector<Index> open{from};
        while (!open.empty()) {
            const Index node = open.back();
            open.pop_back();
            for (const Index child : children_[node]) {
                if (child == to) return true;
                if (seen.insert(child).second) open.push_back(child);
            }
        }
        return false;
    }

    void orient_known() {
        for (Index one = 0; one < skeleton_.size(); ++one) {
            for (const Index other : skeleton_.adjacent(one)) {
                if (constraints_.is_required(one, other) || constraints_.is_forbidden(other, one)) orient(one, other);
            }
        }
    }

    void orient_colliders() {
        std::map<std::pair<Index, Index>, Index> wanted;
        for (Index middle = 0; middle < skeleton_.size(); ++middle) {
            const Indices near = skeleton_.adjacent(middle);
            for (std::size_t i = 0; i < near.size(); ++i) {
                for (std::size_t j = i + 1; j < near.size(); ++j) {
                    if (skeleton_.are_adjacent(near[i], near[j])) continue;
                    const Triple triple{near[i], middle, near[j]};
                    const Verdict verdict = judged(triple);
                    if (verdict == Verdict::undecided) undecided_.insert(triple);
                    if (verdict != Verdict::collider) continue;
                    ++wanted[{triple.one, middle}];
                    ++wanted[{triple.other, middle}];
                }
            }
        }
        for (const auto& [arrow, votes] : wanted) {
            const auto against = wanted.find({arrow.second, arrow.first});
            if (against == wanted.end() || votes > against->second) orient(arrow.first, arrow.second);
        }
    }

    Verdict judged(const Triple& triple) {
        const Indices known = skeleton_.separator(triple.one, triple.other);
        Index with = 0, without = 0;
        const auto count = [&](Indices given) {
            ++(std::binary_search(given.begin(), given.end(), triple.middle) ? with : without);
        };
        const auto size = static_cast<Index>(known.size());
        for (const Index end : {triple.one, triple.other}) {
            const Indices near = skeleton_.adjacent(end);
            if (static_cast<Index>(near.size()) < size) continue;
            Vector<Index> chosen, given(known.size());
            for (Index place = 0; place < size; ++place) chosen.push_back(place);
            do {
                for (Index place = 0; place < size; ++place) given[place] = near[chosen[place]];
                if (skeleton_.are_independent(triple.one, triple.other, given)) count(given);
            } while (next_subset(chosen, static_cast<Index>(near.size())));
        }
        if (with + without == 0) count(known);
        if (with == without) return Verdict::undecided;
        return with < without ? Verdict::collider : Verdict::no_collider;
    }

    bool apply_rules() {
        bool has_changed = false;
        for (Index one = 0; one < skeleton_.size(); ++one) {
            for (const Index other : skeleton_.adjacent(one)) {
                if (is_undirected(one, other) && must_point(one, other)) has_changed |= orient(one, other);
            }
        }
        return has_changed;
    }

    // Meek's four rules: whether one → other follows.
    bool must_point(Index one, Index other) const {
        for (const Index third : skeleton_.adjacent(one)) {
            if (third == other) continue;
            const bool is_near = skeleton_.are_adjacent(third, other);
            if (has_arrow(third, one) && !is_near && !is_undecided(third, one, other)) return true;
            if (has_arrow(one, third) && has_arrow(third, other)) return true;
            if (!is_near || !has_arrow(third, other)) continue;
            for (const Index fourth : skeleton_.adjacent(one)) {
                if (fourth == other || fourth == third) continue;
                const bool both_point = has_arrow(fourth, other) && !skeleton_.are_adjacent(third, fourth);
                if (both_point && is_undirected(one, third) && is_undirected(one, fourth)) return true;
                const bool is_chain = has_arrow(fourth, third) && !skeleton_.are_adjacent(fourth, other);
                if (is_chain && is_undirected(one, fourth)) return true;
            }
        }
        return false;
    }

    bool is_undecided(Index one, Index middle, Index other) const {
        return undecided_.count({std::min(one, other), middle, std::max(one, other)}) > 0;
    }

    Skeleton& skeleton_;
    const EdgeConstraints& constraints_;
    Vector<std::set<Index>> children_;
    std::set<Triple> undecided_;
};

}  // namespace

Pdag oriented(Skeleton& skeleton, const EdgeConstraints& constraints) { return Orientation(skeleton, constraints).run(); }

}  // namespace dconvex
