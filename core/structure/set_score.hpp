// Scores of structures as functions of sets of variables.
//
// The score of a family is F(parents + variable) - F(parents) - penalty, where F depends only on the set: for BIC and AIC F is
// the sum of n log n over the cells of the set's table, for BDeu a sum of log gammas. So F is computed once for a set, however
// many families ask for it, and a → b and b → a differ by nothing. F is kept in fixed point: integers add up to the same whatever
// the order of a table's cells, so a score is a pure function of the counts.

#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "common/memory.hpp"
#include "common/ragged.hpp"

namespace dconvex {

enum class Criterion { bic, aic, bdeu };

// Columns of states without missing cells, as bytes and as sets of rows: a bit for each row and state.
class Columns {
public:
    // The state of variable v in row r is codes[v * rows + r]. Throws std::invalid_argument for a state that v does not have.
    Columns(std::span<const std::uint8_t> codes, Vector<Index> states, Offset rows);

    Index size() const noexcept { return static_cast<Index>(states_.size()); }
    Offset rows() const noexcept { return rows_; }
    Index states(Index variable) const { return states_[variable]; }
    const std::uint8_t* codes(Index variable) const { return codes_.data() + variable * rows_; }
    // The rows in which a variable has a state; `words` words of 64 bits.
    const std::uint64_t* bits(Index variable, Index state) const {
        return bits_.data() + (first_bits_[variable] + state) * words_;
    }
    Offset words() const noexcept { return words_; }

private:
    Vector<std::uint8_t> codes_;
    Vector<Index> states_;
    Offset rows_, words_;
    Vector<Offset> first_bits_;
    Vector<std::uint64_t> bits_;
};

// F of sets of variables, and scores of families from it; sets that were asked for before are looked up.
class SetScore {
public:
    // `equivalent_sample_size` is BDeu's.
    SetScore(const Columns& columns, Criterion criterion, double equivalent_sample_size);

    // The score of a variable given parents, both by number; the parents ascend.
    double family(Index variable, Indices parents);
    // The scores of a variable given the parents and one of the candidates each, none of which is a parent or the variable.
    void with_each(Index variable, Indices parents, Indices candidates, std::span<double> scores);

    std::int64_t evaluations() const noexcept { return evaluations_; }

private:
    using Fixed = std::int64_t;

    // The rows of each configuration of some variables that occurs.
    struct Partition;

    Fixed of_set(Indices variables);
    Fixed term(Offset count, double cells) const;
    double penalty(Index variable, Indices parents) const;
    double cells_of(Indices variables) const;
    void partition(Indices variables, Partition& partition) const;

    const Columns& columns_;
    Criterion criterion_;
    double equivalent_sample_size_;
    double scale_;
    Vector<Fixed> n_log_n_;
    struct Hash {
        std::size_t operator()(const Vector<Index>& key) const noexcept;
    };
    std::unordered_map<Vector<Index>, Fixed, Hash> known_;
    std::int64_t evaluations_ = 0;
};

}  // namespace dconvex
