#include "structure/climbing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();
constexpr double tie = 1e-9;

class Climber {
public:
    Climber(SetScore& score, const EdgeConstraints& constraints, const Ragged& start)
        : score_(score), constraints_(constraints), size_(start.size()), words_((static_cast<std::size_t>(size_) + 63) / 64) {
        parents_.resize(static_cast<std::size_t>(size_));
        own_.resize(static_cast<std::size_t>(size_));
        gain_.assign(static_cast<std::size_t>(size_) * size_, nothing);
        for (Index child = 0; child < size_; ++child) {
            parents_[child].assign(start[child].begin(), start[child].end());
            own_[child] = score_.family(child, parents_[child]);
        }
        for (Index child = 0; child < size_; ++child) find_gains(child);
        find_ancestors();
    }

    Climb climbed() {
        Climb found;
        Poll poll;
        while (true) {
            const Move move = best_move();
            if (!(move.gain > tie * std::abs(total()))) break;
            make(move);
            found.moves.push_back(move);
            poll(static_cast<std::int64_t>(size_) * size_);
        }
        for (Index child = 0; child < size_; ++child) found.parents.append(parents_[child]);
        found.score = total();
        return found;
    }

private:
    double total() const {
        double sum = 0.0;
        for (const double own : own_) sum += own;
        return sum;
    }

    double& gain(Index parent, Index child) { return gain_[static_cast<std::size_t>(child) * size_ + parent]; }

    bool has(Index parent, Index child) const {
        const Vector<Index>& own = parents_[child];
        return std::binary_search(own.begin(), own.end(), parent);
    }

    bool is_full(Index child) const {
        return constraints_.max_parents && static_cast<Index>(parents_[child].size()) >= constraints_.max_parents;
    }

    // The gain of adding each other variable to a child's parents, or of removing it where it is one.
    void find_gains(Index child) {
        Vector<Index>& own = parents_[child];
        candidates_.clear();
        for (Index parent = 0; parent < size_; ++parent) {
            gain(parent, child) = nothing;
            if (parent != child && !constraints_.is_forbidden(parent, child) && !std::binary_search(own.begin(), own.end(), parent)) {
                candidates_.push_back(parent);
            }
        }
        scores_.resize(candidates_.size());
        score_.with_each(child, own, candidates_, scores_);
        for (std::size_t k = 0; k < candidates_.size(); ++k) gain(candidates_[k], child) = scores_[k] - own_[child];
        for (const Index parent : Vector<Index>(own)) {
            Vector<Index> fewer;
            std::copy_if(own.begin(), own.end(), std::back_inserter(fewer), [parent](Index p) { return p != parent; });
            gain(parent, child) = score_.family(child, fewer) - own_[child];
        }
    }

    // Whether a directed path leads from one node to another, the edge between them left out if there is one.
    bool leads_to(Index from, Index to, bool without_edge) const {
        if (!without_edge) return is_ancestor(from, to);
        for (const Index parent : parents_[to]) {
            if (parent != from && (is_ancestor(from, parent))) return true;
        }
        return false;
    }

    bool is_ancestor(Index above, Index below) const {
        return ancestors_[static_cast<std::size_t>(below) * words_ + above / 64] >> (above % 64) & 1;
    }

    Move best_move() {
        Move best{-1, -1, MoveKind::add, nothing};
        for (Index parent = 0; parent < size_; ++parent) {
            for (Index child = 0; child < size_; ++child) {
                if (parent == child) continue;
                if (!has(parent, child)) {
                    if (!is_full(child) && is_better(gain(parent, child), best.gain) && !is_ancestor(child, parent)) {
                        best = {parent, child, MoveKind::add, gain(parent, child)};
                    }
                    continue;
                }
                if (constraints_.is_required(parent, child)) continue;
                if (is_better(gain(parent, child), best.gain)) best = {parent, child, MoveKind::remove, gain(parent, child)};
                const double turned = gain(parent, child) + gain(child, parent);
                if (!is_full(parent) && is_better(turned, best.gain) && !leads_to(parent, child, true)) {
                    best = {parent, child, MoveKind::turn, turned};
                }
            }
        }
        return best;
    }

    static bool is_better(double one, double other) {
        return one > 0.0 && (other == nothing || one > other + tie * std::abs(other));
    }

    void make(const Move& move) {
        const auto add = [this](Index parent, Index child) {
            Vector<Index>& own = parents_[child];
            own.insert(std::lower_bound(own.begin(), own.end(), parent), parent);
        };
        const auto remove = [this](Index parent, Index child) {
            Vector<Index>& own = parents_[child];
            own.erase(std::lower_bound(own.begin(), own.end(), parent));
        };
        if (move.kind == MoveKind::add) {
            add(move.parent, move.child);
        } else {
            remove(move.parent, move.child);
            if (move.kind == MoveKind::turn) add(move.child, move.parent);
        }
        refresh(move.child);
        if (move.kind == MoveKind::turn) refresh(move.parent);
        find_ancestors();
    }

    void refresh(Index child) {
        own_[child] = score_.family(child, parents_[child]);
        find_gains(child);
    }

    void find_ancestors() {
        ancestors_.assign(static_cast<std::size_t>(size_) * words_, 0);
        Vector<Index> waiting(static_cast<std::size_t>(size_)), order;
        Vector<Vector<Index>> children(static_cast<std::size_t>(size_));
        for (Index child = 0; child < size_; ++child) {
            waiting[child] = static_cast<Index>(parents_[child].size());
            if (!waiting[child]) order.push_back(child);
            for (const Index parent : parents_[child]) children[parent].push_back(child);
        }
        for (std::size_t done = 0; done < order.size(); ++done) {
            const Index node = order[done];
            std::uint64_t* own = ancestors_.data() + static_cast<std::size_t>(node) * words_;
            own[node / 64] |= std::uint64_t{1} << (node % 64);
            for (const Index child : children[node]) {
                std::uint64_t* theirs = ancestors_.data() + static_cast<std::size_t>(child) * words_;
                for (std::size_t w = 0; w < words_; ++w) theirs[w] |= own[w];
                if (--waiting[child] == 0) order.push_back(child);
            }
        }
    }

    SetScore& score_;
    const EdgeConstraints& constraints_;
    Index size_;
    std::size_t words_;
    Vector<Vector<Index>> parents_;
    Vector<double> own_, gain_, scores_;
    Vector<Index> candidates_;
    Vector<std::uint64_t> ancestors_;
};

}  // namespace

Climb climb(SetScore& score, const EdgeConstraints& constraints, const Ragged& start) {
    return Climber(score, constraints, start).climbed();
}

}  // namespace dconvex
