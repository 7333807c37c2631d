#include "inference/planning.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include "inference/compact_planning.hpp"
#include "inference/planning_limits.hpp"

namespace dconvex {
namespace {

// A thread keeps what it plans with, unless it has become larger than for this many variables, or entries of scopes.
constexpr std::size_t most_variables_kept = 1 << 14, most_entries_kept = 1 << 18;

// How far noise reaches, and which shares of it are changed.
constexpr double amplitudes[] = {0.9, 2.0, 3.0, 5.0};
constexpr double shares[] = {0.02, 0.05, 0.1, 0.3};

// The same numbers every time, by SplitMix64.
class RandomNumbers {
public:
    // In [0, 1).
    double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }
    std::size_t below(std::size_t count) noexcept { return static_cast<std::size_t>(next() % count); }

private:
    std::uint64_t next() noexcept {
        std::uint64_t mixed = state_ += 0x9E3779B97F4A7C15ULL;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
        return mixed ^ (mixed >> 31);
    }

    std::uint64_t state_ = 1;
};

// All that planning works with, used again from question to question: a small question spends more time on new memory than on
// its plan.
class Planner {
public:
    Program plan(const std::shared_ptr<const TableLayout>& layout, const Question& question);
    Program plan_derivation(const std::shared_ptr<const TableLayout>& layout, Index table);
    Vector<Index> derivation_sources(const TableLayout& layout, Index table);
    SmallNetwork cut(const ClusterIndex& index, const Question& question);
    bool is_large() const noexcept;

private:
    bool find_evidence(const IndexMarks& marks, const Question& question);
    bool has_observed_parents(Index v) const;
    Program compile(const std::shared_ptr<const TableLayout>& layout, Ending ending, std::int64_t max_bytes);
    void number_active(const TableLayout& layout);
    void activate(Index v, const TableLayout& layout);
    void order_axes(OrderingRule rule, const TableLayout& layout);
    void set_axes(const TableLayout& layout);
    void number_rest();
    void try_more_orders(const TableLayout& layout, std::int64_t max_bytes, double best);
    double savable() const;
    double worth(std::int64_t max_bytes) const;

    CompactPlanner compact_;
    SmallNetworkCutter cutter_;
    SmallNetwork small_;
    FactorCollector collector_;
    Factors factors_;
    EliminationOrdering ordering_;
    ContractionPath path_, best_path_;
    ProgramWriter writer_;
    ProgramDraft program_;

    // By index in the small network: indices in the evidence, what becomes of a variable, its number among the active ones.
    Vector<Index> observation_, likelihood_, active_number_, axis_of_;
    Vector<Elimination> elimination_;
    Vector<Index> outputs_;  // the targets that the answer has as axes, in their order
    // The active variables are those in a factor or in the answer.
    Vector<Index> active_, order_;
    Vector<double> active_log_states_;
    Vector<Elimination> active_elimination_;
    Ragged active_scopes_;
    // What is left of them once safe eliminations are done, with its own numbers, and the pairs of neighbours there.
    Vector<Index> safe_order_, rest_, rest_order_;
    Vector<double> rest_log_states_, noise_, best_noise_;
    Vector<Elimination> rest_elimination_;
    Ragged edges_, rest_edges_;
    Vector<Index> scope_;
    Vector<Axis> axes_, best_axes_;
    Index eliminated_ = 0;
    Flags is_output_, is_wanted_;
};

Program Planner::plan(const std::shared_ptr<const TableLayout>& layout, const Question& question) {
    const ClusterIndex::BorrowedMarks marks(layout->index());
    check_question(question, *marks);
    program_.observed_states.clear();
    program_.soft_states.clear();
    for (const Index v : question.observed) program_.observed_states.push_back(layout->states()[v]);
    for (const Index v : question.sliced) program_.observed_states.push_back(layout->states()[v]);
    for (const Index v : question.soft) program_.soft_states.push_back(layout->states()[v]);
    if (compact_.plan(*layout, question, *marks, program_)) return Program(program_, layout);
    cutter_.cut(layout->index(), question, *marks, small_);
    const std::size_t size = small_.nodes.size();
    outputs_.clear();
    elimination_.assign(size, Elimination::sum);
    if (question.ending == Ending::answer) {
        for (const Index target : question.targets) outputs_.push_back(marks->local[target]);
    }
    for (const Index v : outputs_) elimination_[v] = Elimination::none;
    for (const Index target : question.map_variables) elimination_[marks->local[target]] = Elimination::maximum;
    program_.uses_all_evidence = find_evidence(*marks, question);
    program_.finish = question.ending == Ending::answer      ? Finish::joint
                      : question.ending == Ending::marginals ? Finish::each
                                                             : Finish::none;
    return compile(layout, question.ending, question.max_bytes);
}

Program Planner::plan_derivation(const std::shared_ptr<const TableLayout>& layout, Index table) {
    const ClusterIndex& index = layout->index();
    const ClusterIndex::BorrowedMarks marks(index);
    cutter_.cut_source(index, table, *marks, small_);
    const std::size_t size = small_.nodes.size();
    outputs_.clear();
    for (const Index parent : index.table_parents()[table]) outputs_.push_back(marks->local[parent]);
    outputs_.push_back(marks->local[index.table_variable()[table]]);
    elimination_.assign(size, Elimination::sum);
    for (const Index v : outputs_) elimination_[v] = Elimination::none;
    observation_.assign(size, -1);
    likelihood_.assign(size, -1);
    program_.uses_all_evidence = true;
    program_.observed_states.clear();
    program_.soft_states.clear();
    program_.finish = Finish::rows;
    return compile(layout, Ending::answer, Question::no_limit);  // the same whatever the limit of a question is
}

Vector<Index> Planner::derivation_sources(const TableLayout& layout, Index table) {
    const ClusterIndex::BorrowedMarks marks(layout.index());
    cutter_.cut_source(layout.index(), table, *marks, small_);
    Vector<Index> found;
    for (Index v = 0; v < small_.size(); ++v) {
        if (is_factor(small_, v)) found.push_back(small_.tables[v]);
    }
    return found;
}

// Notes where the evidence on each variable lies; whether all of it is looked at.
bool Planner::find_evidence(const IndexMarks& marks, const Question& question) {
    observation_.assign(small_.nodes.size(), -1);
    likelihood_.assign(small_.nodes.size(), -1);
    bool uses_all = true;
    for (std::size_t k = 0; k < question.observed.size(); ++k) {
        const Index variable = question.observed[k], v = marks.local[variable];
        if (marks.variable[variable] != marks.stamp || small_.roles[v] != Role::observed) {
            uses_all = false;
            continue;
        }
        observation_[v] = static_cast<Index>(k);
        if (question.shows_impossible && !small_.is_requisite[v] && has_observed_parents(v)) small_.is_requisite[v] = 1;
        if (!small_.is_requisite[v]) uses_all = false;
    }
    for (std::size_t k = 0; k < question.sliced.size(); ++k) {
        const Index variable = question.sliced[k];
        if (marks.variable[variable] != marks.stamp) continue;
        observation_[marks.local[variable]] = static_cast<Index>(question.observed.size() + k);
    }
    for (std::size_t k = 0; k < question.soft.size(); ++k) {
        const Index variable = question.soft[k], v = marks.local[variable];
        if (marks.variable[variable] != marks.stamp || !is_soft(small_.roles[v])) {
            uses_all = false;
            continue;
        }
        likelihood_[v] = static_cast<Index>(k);
        if (!small_.is_reached[v]) uses_all = false;
    }
    return uses_all;
}

bool Planner::has_observed_parents(Index v) const {
    const Indices parents = small_.parents[v];
    return std::all_of(parents.begin(), parents.end(), [this](Index parent) { return small_.roles[parent] == Role::observed; });
}

// Finds a path by one rule, by the others too where it is worth it, and writes the cheapest that fits into the limit.
Program Planner::compile(const std::shared_ptr<const TableLayout>& layout, Ending ending, std::int64_t max_bytes) {
    collector_.collect(small_, observation_, likelihood_, factors_);
    number_active(*layout);
    double best = std::numeric_limits<double>::infinity();
    bool is_first = true;
    for (const OrderingRule rule : {OrderingRule::fewest_new_edges, OrderingRule::smallest_table, OrderingRule::least_growth}) {
        order_axes(rule, *layout);
        path_.find(factors_, axes_, eliminated_, axis_of_);
        if (const double found = worth(max_bytes); is_first || found < best) {
            best = found;
            is_first = false;
            std::swap(path_, best_path_);
            std::swap(axes_, best_axes_);
        }
        if (savable() <= worth_another_try) break;
    }
    if (savable() > worth_many_tries) try_more_orders(*layout, max_bytes, best);
    ContractionPath& path = best_path_;
    const double answer_size = path.tables()[path.answer()].size;
    Index early_sum = ContractionPath::none;
    if (ending == Ending::marginals) {
        is_wanted_.clear();
        for (const Axis& axis : best_axes_) is_wanted_.push_back(is_target(small_.roles[axis.variable]));
        path.differentiate(is_wanted_, is_output_);
    } else {
        if (ending == Ending::answer && answer_size > large_result && answer_size < Program::most) {
            early_sum = path.normalize_early();
        }
        is_output_.assign(path.tables().size(), 0);
        if (ending == Ending::answer) is_output_[path.answer()] = 1;
    }
    program_.ending = ending;
    const ProgramSubject subject{*layout, small_, factors_, observation_};
    writer_.write(path, best_axes_, eliminated_, subject, is_output_, ending == Ending::trace, early_sum, program_);
    return Program(program_, layout);
}

// Numbers the variables that are in a factor or in the answer, and the scopes of the factors by these numbers.
void Planner::number_active(const TableLayout& layout) {
    active_number_.assign(small_.nodes.size(), -1);
    active_.clear();
    active_log_states_.clear();
    active_elimination_.clear();
    active_scopes_.clear();
    for (Index factor = 0; factor < factors_.size(); ++factor) {
        scope_.clear();
        for (const Index v : factors_.scopes[factor]) {
            activate(v, layout);
            scope_.push_back(active_number_[v]);
        }
        active_scopes_.append(scope_);
    }
    for (const Index v : outputs_) activate(v, layout);
}

void Planner::activate(Index v, const TableLayout& layout) {
    if (active_number_[v] >= 0) return;
    active_number_[v] = static_cast<Index>(active_.size());
    active_.push_back(v);
    active_log_states_.push_back(layout.log_states()[small_.nodes[v]]);
    active_elimination_.push_back(elimination_[v]);
}

// The axes in the order that a rule gives, then the outputs.
void Planner::order_axes(OrderingRule rule, const TableLayout& layout) {
    ordering_.find(active_scopes_, active_log_states_, active_elimination_, rule, order_);
    set_axes(layout);
}

// The axes in the order that was found, then the outputs.
void Planner::set_axes(const TableLayout& layout) {
    eliminated_ = static_cast<Index>(order_.size());
    for (const Index v : outputs_) order_.push_back(active_number_[v]);
    axis_of_.assign(small_.nodes.size(), -1);
    axes_.clear();
    for (const Index number : order_) {
        const Index v = active_[number];
        axis_of_[v] = static_cast<Index>(axes_.size());
        const Index states = layout.states()[small_.nodes[v]];
        axes_.push_back({v, static_cast<double>(states), active_log_states_[number], active_elimination_[number]});
    }
}

// Multiplications that another order might save: not the writing of the answer.
double Planner::savable() const { return best_path_.cost() - 2.0 * best_path_.tables()[best_path_.answer()].size; }

// Tries orders with noise, the same ones every time, until that has cost its share of what the best plan costs. Every other
// try changes a part of the noise that has been best so far.
void Planner::try_more_orders(const TableLayout& layout, std::int64_t max_bytes, double best) {
    ordering_.reduce(active_scopes_, active_log_states_, active_elimination_, safe_order_, edges_);
    number_rest();
    std::int64_t work = ordering_.work();
    RandomNumbers random;
    double least = 1e300;  // entries of all tables of the best try
    OrderingRule best_rule = OrderingRule::fewest_new_edges;
    best_noise_.clear();
    for (int number = 0; number < most_tries; ++number) {
        const double most_work = savable() > hopeless ? work_without_hope : most_work_for_tries;
        if (static_cast<double>(work) > std::min(savable() * share_for_tries, most_work)) return;
        const bool is_change = number % 4 != 0 && !best_noise_.empty();
        const OrderingRule rule = is_change           ? best_rule
                                  : number % 16 == 12 ? OrderingRule::smallest_table
                                                      : OrderingRule::fewest_new_edges;
        const double amplitude = rule == OrderingRule::smallest_table ? 0.5 : amplitudes[random.below(std::size(amplitudes))];
        noise_.resize(rest_.size());
        const double share = is_change ? shares[random.below(std::size(shares))] : 1.0;
        for (std::size_t v = 0; v < rest_.size(); ++v) {
            const bool is_new = share == 1.0 || random.uniform() < share;
            noise_[v] = is_new ? amplitude * random.uniform() : best_noise_[v];
        }
        const bool is_whole =
            ordering_.try_to_find(rest_edges_, rest_log_states_, rest_elimination_, rule, noise_, least, rest_order_);
        work += ordering_.work() + work_of_a_step * static_cast<std::int64_t>(rest_order_.size());
        if (!is_whole) continue;
        least = ordering_.entries();
        std::swap(noise_, best_noise_);
        best_rule = rule;
        order_ = safe_order_;
        for (const Index v : rest_order_) order_.push_back(rest_[v]);
        set_axes(layout);
        path_.find(factors_, axes_, eliminated_, axis_of_);
        if (const double found = worth(max_bytes); found < best) {
            best = found;
            std::swap(path_, best_path_);
            std::swap(axes_, best_axes_);
        }
    }
}

// Numbers what `reduce` has left.
void Planner::number_rest() {
    Vector<Index> number(active_.size(), 0);
    for (const Index v : safe_order_) number[v] = -1;
    rest_.clear();
    rest_log_states_.clear();
    rest_elimination_.clear();
    for (Index v = 0; v < static_cast<Index>(active_.size()); ++v) {
        if (number[v] < 0) continue;
        number[v] = static_cast<Index>(rest_.size());
        rest_.push_back(v);
        rest_log_states_.push_back(active_log_states_[v]);
        rest_elimination_.push_back(active_elimination_[v]);
    }
    rest_edges_.clear();
    for (Index edge = 0; edge < edges_.size(); ++edge) {
        const Index pair[] = {number[edges_[edge][0]], number[edges_[edge][1]]};
        rest_edges_.append(Indices(pair, 2));
    }
}

// The multiplications, and far behind whatever makes a table that does not fit.
double Planner::worth(std::int64_t max_bytes) const {
    const bool fits = 8.0 * path_.largest_size() <= static_cast<double>(max_bytes);
    return path_.cost() * (fits ? 1.0 : 1e30);
}

SmallNetwork Planner::cut(const ClusterIndex& index, const Question& question) {
    const ClusterIndex::BorrowedMarks marks(index);
    check_question(question, *marks);
    cutter_.cut(index, question, *marks, small_);
    return small_;
}

bool Planner::is_large() const noexcept {
    return small_.nodes.capacity() > most_variables_kept || path_.pool().capacity() > most_entries_kept ||
           best_path_.pool().capacity() > most_entries_kept || ordering_.pool_capacity() > most_entries_kept;
}

thread_local std::unique_ptr<Planner> planner_of_thread;

// Works with the planner of this thread. One that has become large is given up, as is one whose work failed.
template <class Work>
auto with_planner(Work work) {
    std::unique_ptr<Planner> planner = planner_of_thread ? std::move(planner_of_thread) : std::make_unique<Planner>();
    auto result = work(*planner);
    if (!planner->is_large()) planner_of_thread = std::move(planner);
    return result;
}

}  // namespace

Program plan(const std::shared_ptr<const TableLayout>& layout, const Question& question) {
    return with_planner([&](Planner& planner) { return planner.plan(layout, question); });
}

Program plan_derivation(const std::shared_ptr<const TableLayout>& layout, Index table) {
    return with_planner([&](Planner& planner) { return planner.plan_derivation(layout, table); });
}

Vector<Index> derivation_sources(const TableLayout& layout, Index table) {
    return with_planner([&](Planner& planner) { return planner.derivation_sources(layout, table); });
}

SmallNetwork small_network(const ClusterIndex& index, const Question& question) {
    return with_planner([&](Planner& planner) { return planner.cut(index, question); });
}

}  // namespace dconvex
