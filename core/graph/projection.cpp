#include "graph/projection.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>

namespace dconvex {
namespace {

using Word = std::uint64_t;

constexpr Index word_bits = 64;

std::size_t words_for(Index size) { return static_cast<std::size_t>((size + word_bits - 1) / word_bits); }

// The bits of a projection onto the members of one clique, which have the numbers 0 … size - 1: for each member a row of its
// children, then for each a row of those that it is joined to by ↔.
class Projection {
public:
    Projection(Word* rows, Index size) : rows_(rows), size_(size), words_(words_for(size)) {}

    static std::size_t words(Index size) { return 2 * static_cast<std::size_t>(size) * words_for(size); }

    std::span<Word> children(Index member) { return {rows_ + static_cast<std::size_t>(member) * words_, words_}; }
    std::span<Word> siblings(Index member) { return children(size_ + member); }

    static bool has(std::span<const Word> row, Index member) {
        return row[static_cast<std::size_t>(member / word_bits)] >> (member % word_bits) & 1;
    }
    static void set(std::span<Word> row, Index member) {
        row[static_cast<std::size_t>(member / word_bits)] |= Word{1} << (member % word_bits);
    }
    static void clear(std::span<Word> row, Index member) {
        row[static_cast<std::size_t>(member / word_bits)] &= ~(Word{1} << (member % word_bits));
    }
    static void unite(std::span<Word> row, std::span<const Word> with) {
        for (std::size_t word = 0; word < row.size(); ++word) row[word] |= with[word];
    }

    // Takes a member out: its neighbours among these are joined by what led through it.
    void eliminate(Index x, Indices among) {
        const std::span<Word> own_children = children(x), own_siblings = siblings(x);
        for (const Index member : among) {
            if (has(children(member), x)) {
                unite(children(member), own_children);
                clear(children(member), x);
            }
            const bool is_sibling = has(own_siblings, member), is_child = has(own_children, member);
            if (!is_sibling && !is_child) continue;
            unite(siblings(member), own_children);
            if (is_child) unite(siblings(member), own_siblings);
            clear(siblings(member), x);
            clear(siblings(member), member);
        }
    }

private:
    Word* rows_;
    Index size_;
    std::size_t words_;
};

void hear(std::span<Word> once, std::span<Word> twice, Index member) {
    Projection::set(Projection::has(once, member) ? twice : once, member);
}

template <class Visit>
void for_each_bit(std::span<const Word> row, Visit visit) {
    for (std::size_t word = 0; word < row.size(); ++word) {
        for (Word left = row[word]; left; left &= left - 1) {
            visit(static_cast<Index>(word) * word_bits + std::countr_zero(left));
        }
    }
}

class ProjectionSweep {
public:
    ProjectionSweep(const Arcs& arcs, const CliqueTree& tree, const Flags& is_asked, Poll& poll);

    Flags run() {
        place_arcs();
        for (Index clique = size_ - 1; clique > 0; --clique) send_up(clique);
        Flags is_convex(static_cast<std::size_t>(size_), 0);
        for (Index clique = 0; clique < size_; ++clique) {
            if (is_needed_[clique]) is_convex[clique] = send_down(clique);
        }
        return is_convex;
    }

private:
    void number_shared_nodes();
    void place_arcs();
    void send_up(Index clique);
    bool send_down(Index clique);
    void eliminate_down_to(Projection& projection, std::size_t count);
    Projection without_message(Index clique);
    bool is_convex(Projection& projection, Index above, Indices members);
    bool has_joined_pair(Projection& projection, Index above, Indices members);

    Projection once(Index clique) { return {once_.data() + first_word_[clique], clique_size(clique)}; }
    Projection twice(Index clique) { return {twice_.data() + first_word_[clique], clique_size(clique)}; }
    Projection message(Index clique) { return {messages_.data() + first_of_message_[clique], tree_.shared[clique]}; }
    Index clique_size(Index clique) const { return static_cast<Index>(tree_.cliques.length(clique)); }
    // For each node of the separator of a clique its number in the clique above; in the clique itself they come first.
    Indices shared_above(Index clique) const {
        return {shared_above_.data() + first_shared_[clique], static_cast<std::size_t>(tree_.shared[clique])};
    }

    const Arcs& arcs_;
    const CliqueTree& tree_;
    const Flags& is_asked_;
    Poll& poll_;
    const Index size_;
    Vector<Offset> first_word_, first_of_message_, first_shared_;
    Vector<Index> shared_above_;
    Vector<Index> top_;     // for each node the clique nearest to the root that holds it
    Flags is_needed_;       // a separator that is asked for lies here or below
    Vector<Word> once_;      // what each clique has of its own or has heard from a neighbour,
    Vector<Word> twice_;     // and what of that from two sources
    Vector<Word> messages_;  // what each has sent up
    Vector<Word> scratch_;   // of one clique
    Vector<Index> kept_, number_below_;
};

ProjectionSweep::ProjectionSweep(const Arcs& arcs, const CliqueTree& tree, const Flags& is_asked, Poll& poll)
    : arcs_(arcs),
      tree_(tree),
      is_asked_(is_asked),
      poll_(poll),
      size_(tree.cliques.size()),
      first_word_(static_cast<std::size_t>(size_) + 1, 0),
      first_of_message_(static_cast<std::size_t>(size_) + 1, 0),
      first_shared_(static_cast<std::size_t>(size_) + 1, 0),
      top_(static_cast<std::size_t>(arcs.size), -1),
      is_needed_(is_asked) {
    std::size_t largest = 0;
    for (Index clique = 0; clique < size_; ++clique) {
        const std::size_t words = Projection::words(clique_size(clique));
        largest = std::max(largest, words);
        first_word_[clique + 1] = first_word_[clique] + static_cast<Offset>(words);
        const std::size_t sent = Projection::words(tree.shared[clique]);
        first_of_message_[clique + 1] = first_of_message_[clique] + static_cast<Offset>(sent);
        first_shared_[clique + 1] = first_shared_[clique] + tree.shared[clique];
    }
    once_.assign(static_cast<std::size_t>(first_word_.back()), 0);
    twice_.assign(static_cast<std::size_t>(first_word_.back()), 0);
    messages_.assign(static_cast<std::size_t>(first_of_message_.back()), 0);
    scratch_.resize(largest);
    for (Index clique = size_ - 1; clique > 0; --clique) {
        if (is_needed_[clique] && tree.above[clique] >= 0) is_needed_[tree.above[clique]] = 1;
    }
    number_shared_nodes();
}

void ProjectionSweep::number_shared_nodes() {
    Vector<Index> lower, above, number(static_cast<std::size_t>(arcs_.size), -1);
    for (Index clique = 0; clique < size_; ++clique) {
        if (tree_.above[clique] < 0) continue;
        above.push_back(tree_.above[clique]);
        lower.push_back(clique);
    }
    const Ragged below = Ragged::from_pairs(above, lower, size_);
    shared_above_.resize(static_cast<std::size_t>(first_shared_.back()));
    for (Index clique = 0; clique < size_; ++clique) {
        const Indices members = tree_.cliques[clique];
        poll_(std::ssize(members));
        for (Index member = 0; member < clique_size(clique); ++member) {
            number[members[member]] = member;
            if (member >= tree_.shared[clique]) top_[members[member]] = clique;
        }
        for (const Index child : below[clique]) {
            Index* into = shared_above_.data() + first_shared_[child];
            for (const Index node : tree_.separator(child)) *into++ = number[node];
        }
    }
}

// Each arc is put into the clique nearest to the root that holds it: there one of its ends is no node of the separator.
void ProjectionSweep::place_arcs() {
    Vector<Index> cliques, numbers;
    Vector<Arc> placed;
    for (Index node = 0; node < arcs_.size; ++node) {
        for (const Index parent : arcs_.parents[node]) {
            cliques.push_back(std::max(top_[node], top_[parent]));
            numbers.push_back(static_cast<Index>(placed.size()));
            placed.push_back({parent, node});
        }
        poll_(1 + std::ssize(arcs_.parents[node]));
    }
    const Ragged arcs_at = Ragged::from_pairs(cliques, numbers, size_);
    Vector<Index> number(static_cast<std::size_t>(arcs_.size), -1);
    for (Index clique = 0; clique < size_; ++clique) {
        const Indices members = tree_.cliques[clique];
        poll_(std::ssize(members));
        for (Index member = 0; member < clique_size(clique); ++member) number[members[member]] = member;
        Projection own = once(clique);
        for (const Index arc : arcs_at[clique]) Projection::set(own.children(number[placed[arc].parent]), number[placed[arc].child]);
    }
}

// The projection of all that lies below onto the separator goes to the clique above.
void ProjectionSweep::send_up(Index clique) {
    const Index above = tree_.above[clique], shared = tree_.shared[clique], size = clique_size(clique);
    if (above < 0) return;
    std::copy(once_.begin() + first_word_[clique], once_.begin() + first_word_[clique + 1], scratch_.begin());
    Projection own(scratch_.data(), size), sent = message(clique), heard = once(above), heard_again = twice(above);
    kept_.resize(static_cast<std::size_t>(size));
    std::iota(kept_.begin(), kept_.end(), 0);
    eliminate_down_to(own, static_cast<std::size_t>(shared));
    const Indices number = shared_above(clique);
    for (Index member = 0; member < shared; ++member) {
        for_each_bit(own.children(member), [&](Index other) {
            Projection::set(sent.children(member), other);
            hear(heard.children(number[member]), heard_again.children(number[member]), number[other]);
        });
        for_each_bit(own.siblings(member), [&](Index other) {
            Projection::set(sent.siblings(member), other);
            hear(heard.siblings(number[member]), heard_again.siblings(number[member]), number[other]);
        });
    }
}

// Takes out the last of the kept members until this many are left.
void ProjectionSweep::eliminate_down_to(Projection& projection, std::size_t count) {
    while (kept_.size() > count) {
        const Index last = kept_.back();
        kept_.pop_back();
        poll_(1 + std::ssize(kept_));
        projection.eliminate(last, kept_);
    }
}

// The projection of all that does not lie below a clique onto its separator goes to the clique; whether that and what lies
// below leave the separator d-convex.
bool ProjectionSweep::send_down(Index clique) {
    const Index above = tree_.above[clique];
    if (above < 0) return false;
    const Index size = clique_size(above);
    const Indices number = shared_above(clique);
    number_below_.assign(static_cast<std::size_t>(size), -1);
    for (std::size_t member = 0; member < number.size(); ++member) number_below_[number[member]] = static_cast<Index>(member);
    Projection theirs = without_message(clique), own = once(clique), again = twice(clique), sent = message(clique);
    kept_.assign(number.begin(), number.end());
    for (Index member = 0; member < size; ++member) {
        if (number_below_[member] < 0) kept_.push_back(member);
    }
    eliminate_down_to(theirs, number.size());
    for (Index member = 0; member < tree_.shared[clique]; ++member) {
        const auto children = theirs.children(number[member]), siblings = theirs.siblings(number[member]);
        for_each_bit(children, [&](Index other) { hear(own.children(member), again.children(member), number_below_[other]); });
        for_each_bit(siblings, [&](Index other) { hear(own.siblings(member), again.siblings(member), number_below_[other]); });
        for_each_bit(sent.children(member), [&](Index other) { Projection::set(children, number[other]); });
        for_each_bit(sent.siblings(member), [&](Index other) { Projection::set(siblings, number[other]); });
    }
    return is_asked_[clique] && is_convex(theirs, above, number);
}

// What the clique above has without what it has heard from this one alone, in the scratch.
Projection ProjectionSweep::without_message(Index clique) {
    const Index above = tree_.above[clique];
    std::copy(once_.begin() + first_word_[above], once_.begin() + first_word_[above + 1], scratch_.begin());
    poll_(first_word_[above + 1] - first_word_[above]);
    Projection left(scratch_.data(), clique_size(above)), again = twice(above), sent = message(clique);
    const Indices number = shared_above(clique);
    for (Index member = 0; member < tree_.shared[clique]; ++member) {
        const Index row = number[member];
        for_each_bit(sent.children(member), [&](Index other) {
            if (!Projection::has(again.children(row), number[other])) Projection::clear(left.children(row), number[other]);
        });
        for_each_bit(sent.siblings(member), [&](Index other) {
            if (!Projection::has(again.siblings(row), number[other])) Projection::clear(left.siblings(row), number[other]);
        });
    }
    return left;
}

// Whether no inducing path joins two of these members, given the projection onto them.
bool ProjectionSweep::is_convex(Projection& projection, Index above, Indices members) {
    const Indices nodes = tree_.cliques[above];
    const auto is_arc = [&](Index tail, Index head) {
        const Indices children = arcs_.children[nodes[tail]];
        return std::binary_search(children.begin(), children.end(), nodes[head]);
    };
    bool is_plain = true, has_siblings = false;
    for (const Index member : members) {
        poll_(std::ssize(members));
        for_each_bit(projection.children(member), [&](Index child) { is_plain = is_plain && is_arc(member, child); });
        for_each_bit(projection.siblings(member), [&](Index sibling) {
            has_siblings = true;
            is_plain = is_plain && (is_arc(member, sibling) || is_arc(sibling, member));
        });
        if (!is_plain) return false;
    }
    return !has_siblings || !has_joined_pair(projection, above, members);  // every such path has an edge ↔
}

// Whether a path as in the lemma joins two members that are not adjacent.
bool ProjectionSweep::has_joined_pair(Projection& projection, Index above, Indices members) {
    const Indices nodes = tree_.cliques[above];
    const std::size_t words = words_for(clique_size(above));
    Vector<Index> order(members.begin(), members.end());
    std::sort(order.begin(), order.end(), [&](Index one, Index other) { return arcs_.rank[nodes[one]] < arcs_.rank[nodes[other]]; });
    Vector<Word> ancestors(nodes.size() * words, 0), reached(words), allowed(words);
    const auto above_of = [&](Index member) { return std::span(ancestors).subspan(static_cast<std::size_t>(member) * words, words); };
    for (const Index member : order) {  // parents before their children
        for_each_bit(projection.children(member), [&](Index child) {
            Projection::set(above_of(child), member);
            Projection::unite(above_of(child), above_of(member));
        });
    }
    const auto touch = [&](Index end, Index member) {
        return Projection::has(projection.children(end), member) || Projection::has(projection.siblings(end), member);
    };
    Vector<Index> queue;
    for (const Index u : order) {
        for (const Index v : order) {
            if (u == v) break;
            if (touch(u, v) || touch(v, u)) continue;
            poll_(std::ssize(members));
            for (std::size_t word = 0; word < words; ++word) allowed[word] = above_of(u)[word] | above_of(v)[word];
            Projection::clear(allowed, u);
            Projection::clear(allowed, v);
            queue.clear();
            const auto reach = [&](Index member) {
                if (!Projection::has(allowed, member)) return;
                Projection::clear(allowed, member);
                queue.push_back(member);
            };
            for_each_bit(projection.children(u), reach);
            for_each_bit(projection.siblings(u), reach);
            for (std::size_t first = 0; first < queue.size(); ++first) {
                if (touch(v, queue[first])) return true;
                for_each_bit(projection.siblings(queue[first]), reach);
            }
        }
    }
    return false;
}

}  // namespace

std::int64_t projection_cost(const CliqueTree& tree) {
    std::int64_t cost = 0;
    for (Index clique = 0; clique < tree.cliques.size(); ++clique) {
        const Index above = tree.above[clique];
        for (const Index around : {clique, above}) {
            if (around < 0) continue;
            const auto size = static_cast<Index>(tree.cliques.length(around));
            const auto rows = static_cast<std::int64_t>(Projection::words(size));
            cost += rows * (4 + size - tree.shared[clique]);
        }
    }
    return cost;
}

Flags find_convex_separators(const Arcs& arcs, const CliqueTree& tree, const Flags& is_asked, Poll& poll) {
    return ProjectionSweep(arcs, tree, is_asked, poll).run();
}

}  // namespace dconvex
