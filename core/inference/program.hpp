// A compiled plan: tables to load, then pairs of tables to multiply, each time summing out what is finished.
//
// A program does not depend on the numbers of tables or on the states observed, so it is made once for a question and run for
// any evidence, by any number of threads at once. It is made of plain structs; what runs it (execution.hpp) reads them in
// order.

#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "common/shared_piece.hpp"
#include "inference/contraction_path.hpp"
#include "inference/factors.hpp"
#include "inference/loops.hpp"
#include "inference/question.hpp"
#include "inference/small_network.hpp"
#include "inference/table_layout.hpp"

namespace dconvex {

// Multiplies two tables of the workspace and sums over the axes that the product does not have. The last two loops are the
// innermost ones, in which strides are 0 or 1; before them come loops over axes of the product, then `summed` loops over
// others.
struct Step {
    Index left, right, product;  // tables
    Offset left_at, right_at, product_at;
    Offset right_size, product_size;
    Elimination elimination;
    bool is_output;  // the product lies among the results, not in the workspace
    Index loads;     // to be done before this step
    Index first_loop, loop_count, summed;
};

// An observed axis of a table that is loaded: the index of its state in the evidence, and its stride.
struct FixedAxis {
    Index observation;
    Offset stride;
};

// An axis that is copied.
struct CopiedAxis {
    Offset length, stride;
};

// Copies a table or a likelihood into the workspace: observed axes fixed, the others in the program's order.
struct Load {
    Index table;
    Source source;
    Offset at, size;
    Index first_fixed, fixed_count;
    Index first_copied, copied_count;
};

// A product over no axes that belongs to the sum.
struct Scalar {
    Index table;
    Offset at;
};

// A result: the variable of its only axis (-1 for a joint answer), and where it lies.
struct Output {
    Index variable;
    Offset offset, size;
};

// What is done with the results: nothing, or they are divided by their sum, as one, each output, or each row (the last axis;
// rows of zeros become uniform).
enum class Finish : std::uint8_t { none, joint, each, rows };

// What a program is about: a few numbers.
struct ProgramFacts {
    // Numbers of entries and of multiplications are cut here.
    static constexpr double most = 0x1p58;

    Ending ending = Ending::answer;
    Finish finish = Finish::joint;
    bool is_too_large = false;  // more entries than `most`: there are no steps
    bool uses_all_evidence = false;
    bool loads_derived = false;  // tables that are not the network's own
    Index eliminated = 0;        // how many axes
    Index table_count = 0;
    Index largest_table = 0;
    Offset scope_entries = 0;  // the lengths of all scopes
    Offset cost = 0;           // multiplications
    Offset workspace_size = 0;
    Offset result_size = 0;
    Scalar early_sum{-1, -1};  // of an answer that is normalised by its last factor; table -1 if it is not
};

class Program;

// A program that is being written: its lists grow, and keep their memory for the next one.
struct ProgramDraft : ProgramFacts {
    Vector<Index> axes;                 // variables of the model: first those eliminated, in order, then the targets
    Vector<Index> states;               // of each axis
    Ragged scopes;                      // the axes of each table, by index in `axes`, or else
    Vector<std::uint64_t> scope_words;  // a bit for each axis of each table
    Vector<Index> observed_states;      // how many states each observed variable of the question has
    Vector<Index> soft_states;          // how many states each variable with a likelihood has
    Vector<Source> leaves;
    Vector<Scalar> scalars;
    Vector<Output> outputs;
    Vector<Load> loads;
    Vector<FixedAxis> fixed;
    Vector<CopiedAxis> copied;
    Vector<Step> steps;
    Vector<Loop> loops;

    // Empties the lists that a writer fills.
    void clear();
};

// A finished program: the lists of a draft in one piece of memory, which copies share.
class Program : public ProgramFacts {
public:
    Program(const ProgramDraft& draft, std::shared_ptr<const TableLayout> layout_of_tables);

    std::shared_ptr<const TableLayout> layout;  // whose tables it loads
    std::span<const Index> axes, states, observed_states, soft_states;
    std::span<const Source> leaves;
    std::span<const Scalar> scalars;
    std::span<const Output> outputs;
    std::span<const Load> loads;
    std::span<const FixedAxis> fixed;
    std::span<const CopiedAxis> copied;
    std::span<const Step> steps;
    std::span<const Loop> loops;

    // The most bytes that one run takes, result included; at most `most_bytes`.
    static constexpr Offset most_bytes = Offset{1} << 62;
    Offset peak_bytes() const noexcept {
        return workspace_size + result_size < most_bytes / 8 ? 8 * (workspace_size + result_size) : most_bytes;
    }
    // How many numbers it is made of: a measure of how long it took to make.
    Offset length() const noexcept;
    // Bytes that the program itself takes.
    std::int64_t own_bytes() const noexcept { return static_cast<std::int64_t>(sizeof(Program)) + memory_.size(); }
    // Tables that it loads, and those of them that are not the network's own.
    Vector<Index> tables() const;
    Vector<Index> derived() const;
    // The axes of a table, by index in `axes`, and those of all tables.
    Vector<Index> scope(Index table) const;
    Ragged scopes() const;

private:
    SharedPiece memory_;
    std::span<const Offset> scope_offsets_;
    std::span<const Index> scope_values_;
    std::span<const std::uint64_t> scope_words_;
};

// What a program is about: a small network with its factors, and where its evidence lies.
struct ProgramSubject {
    const TableLayout& layout;
    const SmallNetwork& small;
    const Factors& factors;
    Indices observation;  // the index among the states of each variable of the small network with a fixed one, or -1
};

// Gives tables their places in the workspace; those that are used up leave theirs free for others.
class WorkspaceAllocator {
public:
    // Nothing is free below `top`, and everything from there on.
    void clear(Offset top);
    // A place of this size: in the smallest free piece that is large enough, or at the end.
    Offset take(Offset size);
    // Adds a piece to the free ones, which ascend, and joins it with its neighbours.
    void free(Offset at, Offset size);
    Offset top() const noexcept { return top_; }
    std::size_t pieces() const noexcept { return free_.size(); }

private:
    struct FreePiece {
        Offset at, size;
    };

    Offset top_ = 0;
    Vector<FreePiece> free_;
};

// A loop over neighbouring axes that the same tables have.
struct FusedLoop {
    Loop loop;
    int holders;  // 1 the left table, 2 the right one, 4 the product, and their sums
};

// Adds a step with its loops, which are given from the innermost out. Throws std::logic_error where they leave its tables.
void append_step(Step step, std::span<const FusedLoop> fused, Offset left_size, ProgramDraft& program);

// Writes the program of a contraction path: gives each table its place in the workspace, which tables that are used up leave
// free for others (unless all are kept), and each step its loops.
class ProgramWriter {
public:
    void write(const ContractionPath& path, std::span<const Axis> axes, Index eliminated, const ProgramSubject& subject,
               const Flags& is_output, bool keeps_all, Index early_sum, ProgramDraft& program);

private:
    struct LoadedAxis {
        Index axis;
        CopiedAxis copied;
    };

    void place(const ContractionPath& path, const Flags& is_output, bool keeps_all, ProgramDraft& program);
    void write_ends(const ContractionPath& path, std::span<const Axis> axes, const ProgramSubject& subject,
                    const Flags& is_output, ProgramDraft& program) const;
    void write_load(Index table, const ContractionPath& path, const ProgramSubject& subject, ProgramDraft& program);
    void write_step(const ContractionPath::Step& step, const ContractionPath& path, std::span<const Axis> axes,
                    const Flags& is_output, ProgramDraft& program);
    void fuse_loops(const ContractionPath& path, std::span<const Axis> axes, const ContractionPath::Step& step);

    Vector<Offset> offset_;
    Vector<Index> last_use_;
    WorkspaceAllocator allocator_;
    Vector<FusedLoop> fused_;
    Vector<LoadedAxis> loaded_axes_;
    Vector<Index> axis_of_;
    Flags is_loaded_;
};

}  // namespace dconvex
