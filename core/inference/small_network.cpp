#include "inference/small_network.hpp"

#include <algorithm>

#include "common/interrupt.hpp"

namespace dconvex {

void SmallNetworkCutter::cut(const ClusterIndex& index, const Question& question, IndexMarks& marks, SmallNetwork& small) {
    observed_ = question.observed;
    soft_ = question.soft;
    while (true) {
        wanted_ = question.targets;
        for (const Indices part : {Indices(observed_), Indices(soft_), Indices(question.context)}) {
            wanted_.insert(wanted_.end(), part.begin(), part.end());
        }
        std::sort(wanted_.begin(), wanted_.end());  // the order in which they are named must not matter
        if (question.network == NetworkPart::whole) {
            keep_ancestors(index, marks, small);
        } else {
            keep_clusters(index, marks, small);
        }
        join(index, marks, small);
        for (const Index v : observed_) small.roles[marks.local[v]] = Role::observed;
        for (const Index v : soft_) small.roles[marks.local[v]] = Role::soft;
        for (const Index v : question.targets) {
            Role& role = small.roles[marks.local[v]];
            role = role == Role::soft ? Role::soft_target : Role::target;
        }
        if (question.targets.empty()) {
            mark_ancestors(small);
            return;
        }
        roll_bayes_ball(small);
        if (question.network == NetworkPart::whole || !question.coherent) return;
        const bool drops_observed = drop_unreached(marks, small, observed_), drops_soft = drop_unreached(marks, small, soft_);
        if (!drops_observed && !drops_soft) return;
    }
}

void SmallNetworkCutter::cut_source(const ClusterIndex& index, Index table, IndexMarks& marks, SmallNetwork& small) {
    const std::int64_t stamp = ++marks.stamp;
    const Index source = index.source()[table], behind = index.behind()[table];
    const Offset first = index.clusters().offsets()[source], last = index.clusters().offsets()[source + 1];
    small.nodes.clear();
    small.tables.clear();
    for (Offset entry = first; entry < last; ++entry) {
        const Index variable = index.clusters().values()[entry];
        marks.variable[variable] = stamp;
        marks.local[variable] = small.size();
        small.nodes.push_back(variable);
        small.tables.push_back(index.toward()[entry] == behind ? SmallNetwork::no_table : index.member_table()[entry]);
    }
    join(index, marks, small);
    for (const Index parent : index.table_parents()[table]) small.roles[marks.local[parent]] = Role::given;
    small.roles[marks.local[index.table_variable()[table]]] = Role::target;
    roll_bayes_ball(small);
}

// The variables of the kept clusters and the table of each, from the kept cluster that is nearest to its family.
void SmallNetworkCutter::keep_clusters(const ClusterIndex& index, IndexMarks& marks, SmallNetwork& small) {
    const Vector<Index> kept = index.kept_clusters(wanted_, marks);
    const std::int64_t stamp = marks.stamp;
    small.nodes.clear();
    small.tables.clear();
    Poll poll;
    for (const Index cluster : kept) {
        const Offset first = index.clusters().offsets()[cluster], last = index.clusters().offsets()[cluster + 1];
        poll(last - first);
        for (Offset entry = first; entry < last; ++entry) {
            const Index variable = index.clusters().values()[entry];
            if (marks.variable[variable] != stamp) {
                marks.variable[variable] = stamp;
                marks.local[variable] = small.size();
                small.nodes.push_back(variable);
                small.tables.push_back(SmallNetwork::no_table);
            }
            const Index onward = index.toward()[entry];
            if (onward < 0 || marks.cluster[onward] != stamp) small.tables[marks.local[variable]] = index.member_table()[entry];
        }
    }
}

// The wanted variables and all their ancestors, each with the network's own table.
void SmallNetworkCutter::keep_ancestors(const ClusterIndex& index, IndexMarks& marks, SmallNetwork& small) {
    const std::int64_t stamp = ++marks.stamp;
    small.nodes.clear();
    const auto reach = [&](Index variable) {
        if (marks.variable[variable] == stamp) return;
        marks.variable[variable] = stamp;
        marks.local[variable] = small.size();
        small.nodes.push_back(variable);
    };
    for (const Index variable : wanted_) reach(variable);
    Poll poll;
    for (std::size_t done = 0; done < small.nodes.size(); ++done) {
        const Indices parents = index.graph().parents()[small.nodes[done]];
        for (const Index parent : parents) reach(parent);
        poll(static_cast<std::int64_t>(parents.size()) + 1);
    }
    small.tables = small.nodes;
}

// Parents and children by index in the small network; no roles yet.
void SmallNetworkCutter::join(const ClusterIndex& index, const IndexMarks& marks, SmallNetwork& small) {
    small.parents.clear();
    Poll poll;
    for (const Index table : small.tables) {
        list_.clear();
        if (table != SmallNetwork::no_table) {
            for (const Index parent : index.table_parents()[table]) list_.push_back(marks.local[parent]);
        }
        small.parents.append(list_);
        poll(static_cast<std::int64_t>(list_.size()) + 1);
    }
    small.children.set_reversed(small.parents, small.size());
    small.roles.assign(small.nodes.size(), Role::none);
}

// The ball starts at the targets as if it came from a child. It goes up and down from where it is, but an observed or given
// variable stops it, or sends it back up where it comes from a parent. A likelihood is like an observed child. A table is
// requisite where the ball goes up from its variable.
void SmallNetworkCutter::roll_bayes_ball(SmallNetwork& small) {
    const std::size_t size = small.nodes.size();
    small.is_requisite.assign(size, 0);
    small.is_reached.assign(size, 0);
    was_passed_down_.assign(size, 0);
    visits_.clear();
    for (Index v = 0; v < small.size(); ++v) {
        if (is_target(small.roles[v])) visits_.push_back({v, false});
    }
    Poll poll;
    while (!visits_.empty()) {
        poll();
        const auto [v, came_from_parent] = visits_.back();
        visits_.pop_back();
        small.is_reached[v] = 1;
        const Role role = small.roles[v];
        const bool goes_up = came_from_parent ? blocks(role) || is_soft(role) : !blocks(role);
        if (goes_up && !small.is_requisite[v]) {
            small.is_requisite[v] = 1;
            for (const Index parent : small.parents[v]) visits_.push_back({parent, false});
        }
        if (!blocks(role) && !was_passed_down_[v]) {
            was_passed_down_[v] = 1;
            for (const Index child : small.children[v]) visits_.push_back({child, true});
        }
    }
}

// Where nothing is asked, the evidence and its ancestors matter: all but the barren variables.
void SmallNetworkCutter::mark_ancestors(SmallNetwork& small) {
    small.is_requisite.assign(small.nodes.size(), 0);
    list_.clear();
    for (Index v = 0; v < small.size(); ++v) {
        if (small.roles[v] == Role::none) continue;
        small.is_requisite[v] = 1;
        list_.push_back(v);
    }
    Poll poll;
    while (!list_.empty()) {
        const Index v = list_.back();
        list_.pop_back();
        poll(small.parents.length(v) + 1);
        for (const Index parent : small.parents[v]) {
            if (small.is_requisite[parent]) continue;
            small.is_requisite[parent] = 1;
            list_.push_back(parent);
        }
    }
    small.is_reached = small.is_requisite;
}

// Takes the evidence out that the ball did not reach; whether there was any.
bool SmallNetworkCutter::drop_unreached(const IndexMarks& marks, const SmallNetwork& small, Vector<Index>& evidence) const {
    const auto is_unreached = [&](Index variable) { return !small.is_reached[marks.local[variable]]; };
    const auto rest = std::remove_if(evidence.begin(), evidence.end(), is_unreached);
    const bool drops = rest != evidence.end();
    evidence.erase(rest, evidence.end());
    return drops;
}

}  // namespace dconvex
