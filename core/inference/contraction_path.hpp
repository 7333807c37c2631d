// Which tables a question multiplies, pair by pair, and what each product sums out.
//
// Every table has its axes in one order: first the variables that are eliminated, in the order of their elimination, then the
// targets. So the loops of a multiplication fuse to a few long ones, and a variable that is summed out is an outer axis.
//
// The derivative of the sum with respect to each table, by the chain rule backwards through the same steps, gives the marginals
// of all variables without a division.

#pragma once

#include <cstdint>
#include <span>

#include "common/interrupt.hpp"
#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "inference/factors.hpp"
#include "inference/ordering.hpp"

namespace dconvex {

struct Axis {
    Index variable;  // by index in the small network
    double states;
    double log_states;  // binary
    Elimination elimination;
};

class ContractionPath {
public:
    // The table over no axes with the entry 1, a factor where there is nothing to multiply with.
    static constexpr Index one = 0;
    static constexpr Index none = -1;

    // Table 0 is `one`, table 1 + f is factor f, the others are products.
    struct Table {
        Offset begin;  // its axes are pool[begin] up to pool[begin + length], ascending
        Index length;
        Index used_by;  // the step that multiplies it, or `none`
        double size;
        double log_size;          // binary
        std::uint64_t signature;  // a bit for each axis, modulo 64: tables without a common bit have no common axis
    };

    struct Step {
        Index left, right, product;
        Elimination elimination;  // what becomes of the axes that the product does not have
    };

    // The steps that leave one table over the axes that are not eliminated, and scalars that belong to the sum. The first
    // `eliminated` axes are those to eliminate; `axis_of` gives the axis of each variable of the small network.
    void find(const Factors& factors, std::span<const Axis> axes, Index eliminated, Indices axis_of);
    // Puts the sum of the answer before the step that makes it, the last one; returns the table with the sum.
    Index normalize_early();
    // Replaces the last step, which makes an answer without axes, by steps back through all others. Those end in a table for
    // each axis that is flagged as wanted and is in a table; `is_output` flags these tables.
    void differentiate(std::span<const std::uint8_t> is_wanted, Flags& is_output);

    Indices scope(Index table) const {
        return Indices(pool_.data() + tables_[table].begin, static_cast<std::size_t>(tables_[table].length));
    }
    const Vector<Table>& tables() const noexcept { return tables_; }
    const Vector<Step>& steps() const noexcept { return steps_; }
    const Vector<Index>& scalars() const noexcept { return scalars_; }
    const Vector<Index>& pool() const noexcept { return pool_; }
    Index answer() const noexcept { return answer_; }
    // Multiplications of all steps.
    double cost() const noexcept { return cost_; }
    double largest_size() const noexcept;

private:
    Index close_table(Offset begin);
    void add_step(Index left, Index right, Index product, Elimination elimination, double cost);
    Index multiply(Index left, Index right, Elimination now);
    Index multiply_within(Index left, Index right, Index within);
    Index repeat_along(Index table, Indices last_axes);
    Index add_leaf(Indices scope, Indices axis_of);
    void file(Index table);
    void take_filed(Index axis);
    void multiply_down_to(std::size_t enough, Elimination now);
    double log_size_of_union(Index one_table, Index other) const;
    Index make_answer(Index leaves);
    void move_step_to_end(Index product);
    void lengthen_ends(Index& left, Index& right, Index answer);
    void find_homes(std::span<const std::uint8_t> is_wanted);

    std::span<const Axis> axes_;
    Index eliminated_ = 0;
    Index leaves_ = 0;
    Index answer_ = 0;
    double cost_ = 0.0;
    Poll poll_;
    Vector<Table> tables_;
    Vector<Step> steps_;
    Vector<Index> pool_;
    Vector<Index> scalars_;
    Vector<Index> holders_;  // how many tables hold an axis at present

    // Tables that wait, in lists by their first axis; those to multiply now; and the sizes of the unions of each pair of them.
    Vector<Index> first_filed_, next_filed_, work_;
    Vector<std::uint64_t> sorted_work_;
    Vector<double> union_sizes_;
    // For each axis the table from which its marginal comes most cheaply, and what it costs; for each table its derivative.
    Vector<Index> home_, derivative_;
    Vector<double> home_cost_;
    Flags is_on_the_way_;
};

}  // namespace dconvex
