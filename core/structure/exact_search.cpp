#include "structure/exact_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace dconvex {
namespace {

using Members = ExactSearch::Members;

constexpr double rounding = 1e-12;
constexpr double none = -std::numeric_limits<double>::infinity();
constexpr std::int64_t score_work = 1000;
constexpr int sampled_subsets = 256;

Members bit(Index variable) { return Members{1} << variable; }

Vector<Index> listed(Members members) {
    Vector<Index> found;
    for (; members; members &= members - 1) found.push_back(static_cast<Index>(std::countr_zero(members)));
    return found;
}

// The bits of a number in disorder (splitmix64).
std::uint64_t mixed(std::uint64_t number) {
    std::uint64_t z = number * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

bool is_better(double one, double other) { return other == none ? one > none : one > other + rounding * std::abs(other); }

}  // namespace

// The sets of one size whose supersets may still be better, each with the best score of it and its subsets.
struct ExactSearch::Level {
    Vector<Members> sets;
    std::unordered_map<Members, double> best;
};

ExactSearch::ExactSearch(FamilyScore& score, const EdgeConstraints& constraints, std::optional<ScoreBound> bound)
    : score_(score), constraints_(constraints), bound_(std::move(bound)), chosen_(static_cast<std::size_t>(score.size()), 0) {
    if (score.size() > most_variables) throw std::invalid_argument("exact search takes at most 64 variables");
}

bool ExactSearch::is_possible(Index parent, Index child) const {
    return parent != child && !constraints_.is_forbidden(parent, child) && !constraints_.is_required(parent, child);
}

double ExactSearch::score_of(Index variable, Members members) {
    ++evaluations_;
    return score_.family(variable, listed(members));
}

bool ExactSearch::score_sets(std::int64_t most, std::int64_t most_scores) {
    const Most all{most, evaluations_ + most_scores};
    const Index variable = scored();
    Members required = 0;
    for (Index other = 0; other < score_.size(); ++other) {
        if (constraints_.is_required(other, variable)) required |= bit(other);
    }
    Vector<ParentSet> kept;
    Level level;
    keep(variable, required, score_of(variable, required), none, level, kept);
    for (Index size = std::popcount(required); !level.sets.empty(); ++size) {
        if (constraints_.max_parents >= 0 && size >= constraints_.max_parents) break;
        Level next;
        if (!extend(variable, level, next, kept, all)) return false;
        level = std::move(next);
    }
    std::sort(kept.begin(), kept.end(), [](const ParentSet& one, const ParentSet& other) {
        if (one.score != other.score) return one.score > other.score;
        return std::pair(std::popcount(one.members), one.members) < std::pair(std::popcount(other.members), other.members);
    });
    held_ += static_cast<std::int64_t>(kept.size());
    sets_.push_back(std::move(kept));
    return true;
}

bool ExactSearch::extend(Index variable, const Level& level, Level& next, Vector<ParentSet>& kept, Most most) {
    Vector<Index> candidates;
    Vector<double> scores, best_below;
    for (const Members own : level.sets) {
        Members optional = 0;
        for (const Index member : listed(own)) optional |= is_possible(member, variable) ? bit(member) : 0;
        poll_(score_.size());
        candidates.clear();
        best_below.clear();
        for (Index other = static_cast<Index>(std::bit_width(optional)); other < score_.size(); ++other) {
            if (!is_possible(other, variable)) continue;
            // all subsets must be there: what was ruled out for one of them is for the larger set, too
            double best = level.best.at(own);
            bool are_there = true;
            for (const Index member : listed(optional)) {
                const auto found = level.best.find((own & ~bit(member)) | bit(other));
                are_there = are_there && found != level.best.end();
                if (!are_there) break;
                best = std::max(best, found->second);
            }
            if (!are_there) continue;
            candidates.push_back(other);
            best_below.push_back(best);
        }
        if (candidates.empty()) continue;
        const auto count = static_cast<std::int64_t>(candidates.size());
        poll_(score_work * count);
        evaluations_ += count;
        if (held_ + static_cast<std::int64_t>(kept.size() + next.sets.size()) + count > most.sets) return false;
        if (evaluations_ > most.scores) return false;
        scores.resize(candidates.size());
        score_.with_each(variable, listed(own), candidates, scores);
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            keep(variable, own | bit(candidates[k]), scores[k], best_below[k], next, kept);
        }
    }
    return true;
}

void ExactSearch::keep(Index variable, Members members, double score, double best_below, Level& level,
                       Vector<ParentSet>& kept) {
    if (is_better(score, best_below)) kept.push_back({members, score});
    const double best = std::max(score, best_below);
    if (bound_) {
        const double most = bound_->tops[variable] - bound_->penalty * score_.parameters(variable, listed(members));
        if (most <= best) return;
    }
    level.sets.push_back(members);
    level.best.emplace(members, best);
}

void ExactSearch::find_parts() {
    // who may be an ancestor of whom, by way of any sets
    const Index size = score_.size();
    Vector<Members> above(static_cast<std::size_t>(size), 0);
    for (Index variable = 0; variable < size; ++variable) {
        above[variable] = bit(variable);
        for (const ParentSet& set : sets_[variable]) above[variable] |= set.members;
    }
    for (Index middle = 0; middle < size; ++middle) {
        for (Index variable = 0; variable < size; ++variable) {
            if (above[variable] & bit(middle)) above[variable] |= above[middle];
        }
    }
    Vector<char> is_done(static_cast<std::size_t>(size), 0);
    for (Index variable = 0; variable < size; ++variable) {
        if (is_done[variable]) continue;
        Vector<Index> part;
        for (Index other = variable; other < size; ++other) {
            if (!(above[variable] & bit(other)) || !(above[other] & bit(variable))) continue;
            part.push_back(other);
            is_done[other] = 1;
        }
        parts_.push_back(std::move(part));
    }
}

Index ExactSearch::largest_part() {
    if (parts_.empty()) find_parts();
    std::size_t largest = 0;
    for (const Vector<Index>& part : parts_) largest = std::max(largest, part.size());
    return static_cast<Index>(largest);
}

Ragged ExactSearch::best_parents() {
    if (scored() < score_.size()) throw std::invalid_argument("sets of parents are still to be scored");
    if (parts_.empty()) find_parts();
    for (const Vector<Index>& part : parts_) solve(part);
    Ragged found;
    for (const Members parents : chosen_) found.append(listed(parents));
    return found;
}

Vector<Vector<ExactSearch::Choice>> ExactSearch::choices_of(const Vector<Index>& part) const {
    const auto size = static_cast<Index>(part.size());
    Vector<Vector<Choice>> choices(part.size());
    for (Index place = 0; place < size; ++place) {
        for (const ParentSet& set : sets_[part[place]]) {
            Members inside = 0;
            for (Index other = 0; other < size; ++other) inside |= set.members & bit(part[other]) ? bit(other) : 0;
            choices[place].push_back({inside, set.score, set.members});
        }
    }
    return choices;
}

double ExactSearch::ordering_work() {
    if (parts_.empty()) find_parts();
    double work = 0.0;
    for (const Vector<Index>& part : parts_) {
        std::int64_t looked_at = 0;
        std::uint64_t state = 0;
        for (const Vector<Choice>& choices : choices_of(part)) {
            for (int turn = 0; turn < sampled_subsets; ++turn) {
                const Members outside = mixed(++state);
                for (const Choice& choice : choices) {
                    poll_();
                    ++looked_at;
                    if (!(choice.inside & outside)) break;
                }
            }
        }
        // each place is the last one in half of all subsets
        work += std::ldexp(static_cast<double>(looked_at) / sampled_subsets, static_cast<int>(part.size()) - 1);
    }
    return work;
}

void ExactSearch::solve(const Vector<Index>& part) {
    const auto size = static_cast<Index>(part.size());
    const Vector<Vector<Choice>> choices = choices_of(part);
    const auto best_choice = [&](Index place, Members before) -> const Choice* {
        for (const Choice& choice : choices[place]) {
            poll_();
            if (!(choice.inside & ~before)) return &choice;
        }
        return nullptr;
    };
    const std::size_t subsets = std::size_t{1} << size;
    Vector<double> best(subsets, none);
    Vector<char> last(subsets, 0);
    best[0] = 0.0;
    for (Members subset = 1; subset < subsets; ++subset) {
        poll_(size);
        for (Members left = subset; left; left &= left - 1) {
            const auto place = static_cast<Index>(std::countr_zero(left));
            const Members before = subset & ~bit(place);
            if (best[before] == none) continue;
            const Choice* choice = best_choice(place, before);
            if (!choice) continue;
            const double total = best[before] + choice->score;
            if (!is_better(total, best[subset])) continue;
            best[subset] = total;
            last[subset] = static_cast<char>(place);
        }
    }
    for (Members subset = subsets - 1; subset;) {
        const auto place = static_cast<Index>(last[subset]);
        subset &= ~bit(place);
        chosen_[part[place]] = best_choice(place, subset)->parents;
    }
}

}  // namespace dconvex
