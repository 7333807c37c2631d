#include "structure/family_counts.hpp"

#include <algorithm>

#include "structure/bit_loops.hpp"

namespace dconvex {
namespace {

constexpr double row_cost = 1.2;
constexpr double call_cost = 4.0;

}  // namespace

double cost_by_bits(Index states, Offset words) {
    return static_cast<double>(std::max<Index>(states - 1, 1)) *
           (static_cast<double>(words) * bit_loops().word_cost + call_cost);
}

FamilySums sums_of(const FamilyCells& cells, CountTerms& family, CountTerms& parents) {
    FamilySums sums;
    for (Offset configuration = 0; configuration < cells.configurations(); ++configuration) {
        Offset total = 0;
        for (Offset k = cells.first_cell(configuration); k < cells.first_cell(configuration + 1); ++k) {
            const Offset count = cells.cells()[k].count;
            sums.family += family(count);
            total += count;
        }
        sums.parents += parents(total);
        sums.count += total;
    }
    return sums;
}

FamilySums CandidateCounts::with(const FamilyCells& cells, Index candidate, CountTerms& family, CountTerms& parents) {
    const auto needed = static_cast<std::size_t>(columns_.states(candidate)) + 1;
    if (cell_.size() < needed) {
        cell_.assign(needed, 0);
        total_.assign(needed, 0);
    }
    if (columns_.states(candidate) <= few_states) return with_few_states(cells, candidate, family, parents);
    return columns_.is_narrow() ? with_many_states<std::uint8_t>(cells, candidate, family, parents)
                                : with_many_states<std::uint16_t>(cells, candidate, family, parents);
}

void CandidateCounts::count_by_bits(const FamilyCell& cell, const std::uint64_t* lines, Index states, bool has_gaps) {
    const Offset words = bits_.words();
    if (has_gaps) {
        bit_loops().shared(cell.mask, lines, words, states, cell_.data());
        return;
    }
    bit_loops().shared(cell.mask, lines, words, states - 1, cell_.data());
    Offset left = cell.count;
    for (Index state = 0; state + 1 < states; ++state) left -= cell_[state];
    cell_[states - 1] = left;
}

template <class Code>
void CandidateCounts::count_by_rows(const FamilyCell& cell, const Code* codes) {
    Offset* counts = cell_.data();
    if (const Offset* weights = columns_.weights()) {
        for (Offset k = 0; k < cell.row_count; ++k) counts[codes[cell.rows[k]]] += weights[cell.rows[k]];
    } else {
        for (Offset k = 0; k < cell.row_count; ++k) ++counts[codes[cell.rows[k]]];
    }
}

FamilySums CandidateCounts::with_few_states(const FamilyCells& cells, Index candidate, CountTerms& family,
                                            CountTerms& parents) {
    const Index states = columns_.states(candidate);
    const bool has_gaps = columns_.has_gaps(candidate);
    const std::uint64_t* lines = states > 0 ? bits_.lines(candidate) : nullptr;
    const double by_bits = cost_by_bits(states, bits_.words());
    // without parents the totals are the candidate's own counts, so that the last cell is what is left of them
    const bool knows_totals = lines && !has_gaps && !cells.has_parents() && !columns_.has_gaps(cells.variable());
    FamilySums sums;
    for (Offset configuration = 0; configuration < cells.configurations(); ++configuration) {
        std::fill_n(total_.data(), states, Offset{0});
        const Offset last = cells.first_cell(configuration + 1);
        Offset occurring = 0;  // states of the variable
        for (Offset k = cells.first_cell(configuration); k < last; ++k) {
            const FamilyCell& cell = cells.cells()[k];
            if (knows_totals && k + 1 == last) {
                for (Index state = 0; state < states; ++state) cell_[state] = bits_.counts(candidate)[state] - total_[state];
            } else if (lines && cell.mask && !(cell.rows && static_cast<double>(cell.row_count) * row_cost < by_bits)) {
                count_by_bits(cell, lines, states, has_gaps);
            } else {
                std::fill_n(cell_.data(), states + 1, Offset{0});
                columns_.is_narrow() ? count_by_rows(cell, columns_.codes<std::uint8_t>(candidate))
                                     : count_by_rows(cell, columns_.codes<std::uint16_t>(candidate));
            }
            const Offset* counts = cell_.data();
            Offset* totals = total_.data();
            for (Index state = 0; state < states; ++state) {
                sums.family += family(counts[state]);
                totals[state] += counts[state];
            }
            occurring += cell.count > 0;
        }
        Offset candidates = 0;
        for (Index state = 0; state < states; ++state) {
            sums.parents += parents(total_[state]);
            sums.count += total_[state];
            candidates += total_[state] > 0;
        }
        if (occurring > 0 && candidates > 0) sums.degrees += (occurring - 1) * (candidates - 1);
    }
    return sums;
}

// As above, but only the states that occur in a cell are looked at; the counts of all others stay zero.
template <class Code>
FamilySums CandidateCounts::with_many_states(const FamilyCells& cells, Index candidate, CountTerms& family,
                                             CountTerms& parents) {
    const Code* codes = columns_.codes<Code>(candidate);
    const auto missing = static_cast<Code>(columns_.states(candidate));
    const Offset* weights = columns_.weights();
    std::fill(cell_.begin(), cell_.end(), Offset{0});
    std::fill(total_.begin(), total_.end(), Offset{0});
    FamilySums sums;
    for (Offset configuration = 0; configuration < cells.configurations(); ++configuration) {
        touched_totals_.clear();
        Offset occurring = 0;
        for (Offset k = cells.first_cell(configuration); k < cells.first_cell(configuration + 1); ++k) {
            const FamilyCell& cell = cells.cells()[k];
            touched_.clear();
            for (Offset at = 0; at < cell.row_count; ++at) {
                const Code code = codes[cell.rows[at]];
                const Offset weight = weights ? weights[cell.rows[at]] : 1;
                if (code == missing || weight == 0) continue;
                if (cell_[code] == 0) touched_.push_back(code);
                cell_[code] += weight;
            }
            for (const Index state : touched_) {
                sums.family += family(cell_[state]);
                if (total_[state] == 0) touched_totals_.push_back(state);
                total_[state] += cell_[state];
                cell_[state] = 0;
            }
            occurring += !touched_.empty();
        }
        const auto candidates = static_cast<Offset>(touched_totals_.size());
        if (occurring > 0 && candidates > 0) sums.degrees += (occurring - 1) * (candidates - 1);
        for (const Index state : touched_totals_) {
            sums.parents += parents(total_[state]);
            sums.count += total_[state];
            total_[state] = 0;
        }
    }
    return sums;
}

}  // namespace dconvex
