#include "graph/equivalence.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

bool comes_first(const Arc& one, const Arc& other) {
    return std::tie(one.parent, one.child) < std::tie(other.parent, other.child);
}

bool are_same(const Arc& one, const Arc& other) { return one.parent == other.parent && one.child == other.child; }

Arc ascending(const Arc& edge) { return {std::min(edge.parent, edge.child), std::max(edge.parent, edge.child)}; }

enum class Label : char { unknown, compelled, reversible };

// Labels the edges of a DAG from the top down.
class Labels {
public:
    explicit Labels(const Graph& graph)
        : graph_(graph), labels_(graph.parents().values().size(), Label::unknown), is_parent_(graph.size(), 0) {
        for (const Index node : graph.order()) label_family(node);
    }

    Label operator()(Index child, std::size_t parent) const { return labels_[first(child) + parent]; }

private:
    std::size_t first(Index child) const { return static_cast<std::size_t>(graph_.parents().offsets()[child]); }

    void label_family(Index node) {
        const Indices parents = graph_.parents()[node];
        nearest_.resize(parents.size());
        for (std::size_t k = 0; k < parents.size(); ++k) nearest_[k] = static_cast<Index>(k);
        const Vector<Index>& rank = graph_.rank();
        std::sort(nearest_.begin(), nearest_.end(),
                  [&](Index one, Index other) { return rank[parents[one]] > rank[parents[other]]; });
        for (const Index parent : parents) is_parent_[parent] = 1;
        for (const Index k : nearest_) {
            if (labels_[first(node) + static_cast<std::size_t>(k)] == Label::unknown) label_edge(node, parents[k]);
        }
        for (const Index parent : parents) is_parent_[parent] = 0;
    }

    void label_edge(Index node, Index parent) {
        const Indices above = graph_.parents()[parent];
        std::size_t shared = 0;
        for (std::size_t k = 0; k < above.size(); ++k) {
            poll_();
            shared += is_parent_[above[k]];
            if ((*this)(parent, k) != Label::compelled) continue;
            if (!is_parent_[above[k]]) return label_all(node, Label::compelled, true);
            const Indices own = graph_.parents()[node];
            const auto place = std::find(own.begin(), own.end(), above[k]) - own.begin();
            labels_[first(node) + static_cast<std::size_t>(place)] = Label::compelled;
        }
        // a parent of the node that is no parent of this one makes a collider, or an edge that would make one
        const bool is_collider = shared + 1 < graph_.parents()[node].size();
        label_all(node, is_collider ? Label::compelled : Label::reversible, false);
    }

    void label_all(Index node, Label label, bool also_known) {
        for (std::size_t k = 0; k < graph_.parents()[node].size(); ++k) {
            Label& own = labels_[first(node) + k];
            if (also_known || own == Label::unknown) own = label;
        }
    }

    const Graph& graph_;
    Vector<Label> labels_;
    Vector<char> is_parent_;
    Vector<Index> nearest_;
    Poll poll_;
};

// Takes sinks away, one after the other.
class Sinks {
public:
    explicit Sinks(const Pdag& graph) : adjacent_(adjacency(graph)), nodes_(static_cast<std::size_t>(graph.size)) {
        for (const Arc& edge : graph.directed) ++nodes_[edge.parent].outgoing;
        const auto [tails, heads] = columns(graph.directed);
        children_ = Ragged::from_pairs(heads, tails, graph.size).reversed(graph.size);
    }

    Extension extend() {
        for (Index node = 0; node < size(); ++node) look_at(node);
        for (Index left = size(); left > 0; --left) {
            if (ready_.empty()) {
                remove(least_bad());
            } else {
                const Index node = ready_.top();
                ready_.pop();
                remove(node);
            }
        }
        return {Ragged::from_pairs(heads_, tails_, size()).reversed(size()).reversed(size()), std::move(given_up_)};
    }

private:
    struct Node {
        bool is_gone = false;
        bool is_ready = false;
        Offset outgoing = 0;
        // two neighbours, one of them by an undirected edge, that are not adjacent: while both are here it is no sink
        Index one = -1, other = -1;
    };

    static std::pair<Vector<Index>, Vector<Index>> columns(const Vector<Arc>& edges) {
        Vector<Index> tails, heads;
        for (const Arc& edge : edges) {
            tails.push_back(edge.parent);
            heads.push_back(edge.child);
        }
        return {std::move(tails), std::move(heads)};
    }

    static Ragged adjacency(const Pdag& graph) {
        Vector<Index> ones, others;
        for (const Vector<Arc>* edges : {&graph.directed, &graph.undirected}) {
            for (const Arc& edge : *edges) {
                ones.insert(ones.end(), {edge.parent, edge.child});
                others.insert(others.end(), {edge.child, edge.parent});
            }
        }
        return Ragged::from_pairs(ones, others, graph.size).reversed(graph.size);
    }

    Index size() const { return static_cast<Index>(nodes_.size()); }

    bool are_adjacent(Index u, Index v) const {
        const Indices own = adjacent_[u];
        return std::binary_search(own.begin(), own.end(), v);
    }
    bool is_child(Index parent, Index child) const {
        const Indices own = children_[parent];
        return std::binary_search(own.begin(), own.end(), child);
    }
    bool is_undirected(Index u, Index v) const { return !is_child(u, v) && !is_child(v, u); }

    // A neighbour that is still here and not adjacent to one by an undirected edge, or -1.
    Index stranger(Index node, Index neighbour) {
        for (const Index other : adjacent_[node]) {
            poll_();
            if (other != neighbour && !nodes_[other].is_gone && !are_adjacent(neighbour, other)) return other;
        }
        return -1;
    }

    void look_at(Index node) {
        Node& own = nodes_[node];
        if (own.outgoing > 0) return;
        for (const Index neighbour : adjacent_[node]) {
            if (nodes_[neighbour].is_gone || !is_undirected(node, neighbour)) continue;
            const Index other = stranger(node, neighbour);
            if (other < 0) continue;
            own.one = neighbour;
            own.other = other;
            return;
        }
        own.is_ready = true;
        ready_.push(node);
    }

    void remove(Index node) {
        nodes_[node].is_gone = true;
        for (const Index neighbour : adjacent_[node]) {
            Node& other = nodes_[neighbour];
            if (other.is_gone) continue;
            heads_.push_back(node);
            tails_.push_back(neighbour);
            const bool was_child = is_child(neighbour, node);
            other.outgoing -= was_child;
            if (other.is_ready) continue;
            const bool was_seen = other.one == node || other.other == node;
            if (was_seen || (was_child && other.outgoing == 0)) look_at(neighbour);
        }
    }

    // How many edges are given up if this node is the next sink, those that are turned first.
    std::pair<Offset, Offset> harm(Index node) {
        Offset colliders = 0;
        for (const Index neighbour : adjacent_[node]) {
            if (!nodes_[neighbour].is_gone && is_undirected(node, neighbour)) colliders += stranger(node, neighbour) >= 0;
        }
        return {nodes_[node].outgoing, colliders};
    }

    // The node that may be made a sink at the least harm, the last of several; what is given up is noted.
    Index least_bad() {
        Index best = -1;
        std::pair<Offset, Offset> least;
        for (Index node = size() - 1; node >= 0; --node) {
            if (nodes_[node].is_gone) continue;
            const std::pair<Offset, Offset> own = harm(node);
            if (best < 0 || own < least) {
                best = node;
                least = own;
            }
        }
        for (const Index neighbour : adjacent_[best]) {
            if (nodes_[neighbour].is_gone) continue;
            if (is_child(best, neighbour)) {
                given_up_.push_back({best, neighbour});
            } else if (is_undirected(best, neighbour) && stranger(best, neighbour) >= 0) {
                given_up_.push_back(ascending({best, neighbour}));
            }
        }
        return best;
    }

    Ragged adjacent_;
    Ragged children_;
    Vector<Node> nodes_;
    std::priority_queue<Index> ready_;
    Vector<Index> heads_, tails_;
    Vector<Arc> given_up_;
    Poll poll_;
};

}  // namespace

Pdag Pdag::of(Index size, Vector<Arc> directed, Vector<Arc> undirected) {
    for (Arc& edge : undirected) edge = ascending(edge);
    std::sort(directed.begin(), directed.end(), comes_first);
    std::sort(undirected.begin(), undirected.end(), comes_first);
    Vector<Arc> all;
    for (const Vector<Arc>* edges : {&directed, &undirected}) {
        for (const Arc& edge : *edges) {
            const Arc own = ascending(edge);
            const bool is_sound = own.parent >= 0 && own.child < size && own.parent != own.child;
            if (!is_sound) throw std::invalid_argument("an edge joins two different nodes");
            all.push_back(own);
        }
    }
    std::sort(all.begin(), all.end(), comes_first);
    if (std::adjacent_find(all.begin(), all.end(), are_same) != all.end()) {
        throw std::invalid_argument("two nodes are joined twice");
    }
    return {size, std::move(directed), std::move(undirected)};
}

Pdag essential_graph(const Graph& graph) {
    const Labels labels(graph);
    Pdag found{graph.size(), {}, {}};
    for (Index child = 0; child < graph.size(); ++child) {
        const Indices parents = graph.parents()[child];
        for (std::size_t k = 0; k < parents.size(); ++k) {
            const Arc edge{parents[k], child};
            if (labels(child, k) == Label::compelled) {
                found.directed.push_back(edge);
            } else {
                found.undirected.push_back(ascending(edge));
            }
        }
    }
    std::sort(found.directed.begin(), found.directed.end(), comes_first);
    std::sort(found.undirected.begin(), found.undirected.end(), comes_first);
    return found;
}

Extension extension_of(const Pdag& graph) { return Sinks(graph).extend(); }

}  // namespace dconvex
