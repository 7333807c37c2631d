// Planning a question about at most 64 variables: every set of variables is a word with a bit for each.
//
// These are the steps of planning in general (small_network.hpp, factors.hpp, ordering.hpp, contraction_path.hpp, program.hpp)
// by the same rules, without a list on the way: a small question takes a microsecond or two. The network is cut to the
// ancestors of what the question names among the kept clusters, since nothing else can matter.

#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "clusters/cluster_index.hpp"
#include "common/memory.hpp"
#include "inference/ordering.hpp"
#include "inference/program.hpp"
#include "inference/question.hpp"
#include "inference/table_layout.hpp"

namespace dconvex {

class CompactPlanner {
public:
    // Writes the program of a question that was checked. False where this is no question for it: one that ends in a trace or
    // has a context, that is about more variables, or about a joint of more than 2^1000 states.
    bool plan(const TableLayout& layout, const Question& question, IndexMarks& marks, ProgramDraft& program);

private:
    static constexpr Index most = 64;
    static constexpr std::size_t most_paired = 40;
    static constexpr Index one = 0, none = -1;
    using Word = std::uint64_t;

    struct Factor {
        Word scope;
        Source source;
        Index owner;
    };
    struct Table {
        Word scope;
        double size;
        Index used_by;  // the step that multiplies it, or `none`
    };
    struct Product {
        Index left, right, product;
        Elimination elimination;
    };
    struct Path {
        Vector<Table> tables;  // table 0 is `one`, table 1 + f is factor f
        Vector<Product> steps;
        Vector<Index> scalars;
        std::array<Index, most> order;  // the node of each axis
        Index axis_count, eliminated;
        Index answer;
        double cost;
    };

    bool cut(const ClusterIndex& index, const Question& question, IndexMarks& marks);
    bool cut_once(const ClusterIndex& index, const Question& question, IndexMarks& marks);
    Word named(std::span<const Index> variables, const IndexMarks& marks) const;
    void roll_bayes_ball();
    bool drop_unreached(Vector<Index>& evidence, const IndexMarks& marks) const;
    bool find_evidence(const Question& question, const IndexMarks& marks);
    void collect_factors();

    void find_path(const Question& question, const IndexMarks& marks);
    double worth(std::int64_t max_bytes) const;
    void order(OrderingRule rule, bool takes_first);
    double score(Index node, OrderingRule rule) const;
    Word joined(Word of) const;
    void contract();
    Index add_table(Word scope);
    double size_of(Word scope) const;
    double union_size(Index left, Index right) const;
    void add_step(Index left, Index right, Index product, Elimination elimination, double cost);
    Index multiply(Index left, Index right, bool eliminates);
    Index multiply_within(Index left, Index right, Word within);
    void multiply_down_to_two(bool eliminates);
    void sort_work();
    Index make_answer();
    Index normalize_early();
    void lengthen_ends(Index& left, Index& right, Word answer);
    void differentiate(Word wanted);
    void find_homes(Word wanted);

    void write(const TableLayout& layout, const IndexMarks& marks, Index early_sum, ProgramDraft& program);
    void place(ProgramDraft& program);
    void write_load(Index table, const TableLayout& layout, const IndexMarks& marks, ProgramDraft& program);
    void write_step(const Product& step, ProgramDraft& program);

    // The network: its variables, the table of each, its parents and children, what is asked and what matters.
    Index count_ = 0;
    std::array<Index, most> nodes_, tables_, observation_, likelihood_;
    std::array<Word, most> parents_, children_;
    std::array<double, most> states_, log_states_;
    Word targets_ = 0, observed_ = 0, soft_ = 0, outputs_ = 0, requisite_ = 0, reached_ = 0, active_ = 0;
    Vector<Index> wanted_, observed_list_, soft_list_;
    ClusterIndex::ClimbWorkspace climb_;
    std::array<Factor, 2 * most> factors_;
    Index factor_count_ = 0;

    // Ordering, by node.
    std::array<Word, most> neighbours_;
    std::array<double, most> scores_;

    // Contraction, by axis.
    Path path_, best_;
    std::array<Index, most> axis_of_;
    std::array<double, most> axis_states_;
    std::array<Index, most> holders_;  // how many tables hold an axis at present
    Word eliminated_ = 0;              // axes
    Vector<Index> live_, work_;
    std::array<double, most_paired * most_paired> union_sizes_;
    std::array<Index, most> home_;
    Vector<Index> derivative_;
    Flags is_output_, is_on_the_way_, is_loaded_;

    Vector<Offset> offset_;
    Vector<Index> last_use_;
    WorkspaceAllocator allocator_;
    Vector<FusedLoop> fused_;
};

}  // namespace dconvex
