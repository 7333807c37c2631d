#include "structure/family_cells.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "common/interrupt.hpp"
#include "structure/bit_loops.hpp"

namespace dconvex {
namespace {

constexpr double most_bit_cells = 512;
constexpr double most_mask_words = double{1 << 22};
constexpr double row_cost = 1.2;  // nanoseconds

struct Part {
    const std::uint64_t* mask;  // null: all rows
    Offset count;
};

}  // namespace

void FamilyCells::prepare(Index variable, Indices parents) {
    if (variable == variable_ && std::equal(parents.begin(), parents.end(), parents_.begin(), parents_.end())) return;
    variable_ = -1;
    cells_.clear();
    first_cell_.assign(1, 0);
    listed_ = 0.0;
    is_small(variable, parents) ? prepare_by_bits(variable, parents) : prepare_by_rows(variable, parents);
    variable_ = variable;
    parents_.assign(parents.begin(), parents.end());
}

bool FamilyCells::is_small(Index variable, Indices parents) const {
    double cells = columns_.states(variable);
    bool has_bits = bits_.lines(variable) != nullptr;
    for (const Index parent : parents) {
        cells *= columns_.states(parent);
        has_bits = has_bits && bits_.lines(parent);
    }
    return has_bits && cells <= most_bit_cells && cells * static_cast<double>(bits_.words()) <= most_mask_words;
}

void FamilyCells::prepare_by_bits(Index variable, Indices parents) {
    const BitLoops& loops = bit_loops();
    const Offset words = bits_.words();
    const auto split = [&](const Vector<Part>& parts, Index by, Vector<std::uint64_t>& masks, auto&& found) {
        const std::uint64_t* lines = bits_.lines(by);
        const Index states = columns_.states(by);
        masks.resize(parts.size() * static_cast<std::size_t>(states * words));
        std::uint64_t* free = masks.data();
        for (std::size_t k = 0; k < parts.size(); ++k) {
            for (Index state = 0; state < states; ++state) {
                const std::uint64_t* line = lines + state * words;
                if (!parts[k].mask) {
                    found(k, Part{line, bits_.counts(by)[state]});
                    continue;
                }
                const Offset count = loops.intersect(parts[k].mask, line, words, free);
                found(k, Part{free, count});
                if (count) free += words;
            }
        }
    };
    Vector<Part> parts{Part{nullptr, columns_.rows()}}, next;
    int turn = 0;
    for (const Index parent : parents) {
        next.clear();
        split(parts, parent, masks_[turn], [&](std::size_t, const Part& part) {
            if (part.count) next.push_back(part);
        });
        parts.swap(next);
        turn = 1 - turn;
    }
    std::size_t current = 0;
    split(parts, variable, masks_[2], [&](std::size_t k, const Part& part) {
        if (!part.count) return;
        if (k != current && static_cast<Offset>(cells_.size()) > first_cell_.back()) {
            first_cell_.push_back(static_cast<Offset>(cells_.size()));
        }
        current = k;
        cells_.push_back({part.count, part.mask, nullptr, part.count});
    });
    if (static_cast<Offset>(cells_.size()) > first_cell_.back()) first_cell_.push_back(static_cast<Offset>(cells_.size()));
}

void FamilyCells::list_rows(double most) {
    if (most <= listed_) return;
    listed_ = most;
    const Offset words = bits_.words();
    Offset total = 0;
    for (const FamilyCell& cell : cells_) {
        if (cell.mask && static_cast<double>(cell.count) * row_cost < most) total += cell.count;
    }
    if (total == 0) return;
    rows_.resize(static_cast<std::size_t>(total));
    Index* free = rows_.data();
    for (FamilyCell& cell : cells_) {
        if (!cell.mask || !(static_cast<double>(cell.count) * row_cost < most)) continue;
        cell.rows = free;
        for (Offset word = 0; word < words; ++word) {
            for (std::uint64_t left = cell.mask[word]; left; left &= left - 1) {
                *free++ = static_cast<Index>(64 * word + std::countr_zero(left));
            }
        }
    }
}

void FamilyCells::prepare_by_rows(Index variable, Indices parents) {
    Poll poll;
    poll(columns_.rows() * static_cast<Offset>(parents.size() + 3));
    if (columns_.is_narrow()) {
        sort_rows<std::uint8_t>(variable, number_configurations<std::uint8_t>(parents));
        cut_cells<std::uint8_t>(variable);
    } else {
        sort_rows<std::uint16_t>(variable, number_configurations<std::uint16_t>(parents));
        cut_cells<std::uint16_t>(variable);
    }
}

// The configuration of the parents in each row, as a number below the one that is returned.
template <class Code>
Offset FamilyCells::number_configurations(Indices parents) {
    const Offset rows = columns_.rows(), most = std::max<Offset>(4 * rows, 1 << 16);
    configuration_.assign(static_cast<std::size_t>(rows), 0);
    Offset range = 1;
    for (const Index parent : parents) {
        const Index states = std::max<Index>(columns_.states(parent), 1);
        const Code* codes = columns_.codes<Code>(parent);
        const bool has_gaps = columns_.has_gaps(parent);
        std::int64_t* own = configuration_.data();
        for (Offset row = 0; row < rows; ++row) {
            own[row] = own[row] < 0 || (has_gaps && codes[row] == states) ? -1 : own[row] * states + codes[row];
        }
        range *= states;
        if (range > most) compress(range);
    }
    return range;
}

// Numbers those configurations that occur.
void FamilyCells::compress(Offset& range) {
    std::unordered_map<std::int64_t, std::int64_t> number;
    number.reserve(static_cast<std::size_t>(columns_.rows()));
    for (std::int64_t& own : configuration_) {
        if (own >= 0) own = number.try_emplace(own, static_cast<std::int64_t>(number.size())).first->second;
    }
    range = std::max<Offset>(static_cast<Offset>(number.size()), 1);
}

// Rows without a missing cell by configuration, then by the variable's state: two passes, the last digit first.
template <class Code>
void FamilyCells::sort_rows(Index variable, Offset configurations) {
    const Offset rows = columns_.rows(), states = columns_.states(variable);
    const Code* codes = columns_.codes<Code>(variable);
    const std::int64_t* configuration = configuration_.data();
    starts_.assign(static_cast<std::size_t>(states) + 2, 0);
    for (Offset row = 0; row < rows; ++row) ++starts_[codes[row] + std::size_t{1}];
    for (Offset state = 0; state < states; ++state) starts_[state + 1] += starts_[state];
    order_.resize(static_cast<std::size_t>(rows));
    for (Offset row = 0; row < rows; ++row) order_[starts_[codes[row]]++] = static_cast<Index>(row);
    Offset left = states > 0 ? starts_[states - 1] : 0;  // those of the missing code are last
    starts_.assign(static_cast<std::size_t>(configurations) + 1, 0);
    for (Offset k = 0; k < left; ++k) {
        const std::int64_t own = configuration[order_[k]];
        if (own >= 0) ++starts_[own + 1];
    }
    for (Offset number = 0; number < configurations; ++number) starts_[number + 1] += starts_[number];
    rows_.resize(static_cast<std::size_t>(starts_[configurations]));
    for (Offset k = 0; k < left; ++k) {
        const std::int64_t own = configuration[order_[k]];
        if (own >= 0) rows_[starts_[own]++] = order_[k];
    }
}

template <class Code>
void FamilyCells::cut_cells(Index variable) {
    const Code* codes = columns_.codes<Code>(variable);
    const auto total = static_cast<Offset>(rows_.size());
    for (Offset first = 0; first < total;) {
        const std::int64_t configuration = configuration_[rows_[first]];
        const Code state = codes[rows_[first]];
        Offset last = first, weight = 0;
        while (last < total && configuration_[rows_[last]] == configuration && codes[rows_[last]] == state) {
            weight += columns_.weight(rows_[last++]);
        }
        if (first > 0 && configuration_[rows_[first - 1]] != configuration) {
            first_cell_.push_back(static_cast<Offset>(cells_.size()));
        }
        cells_.push_back({weight, nullptr, rows_.data() + first, last - first});
        first = last;
    }
    if (total) first_cell_.push_back(static_cast<Offset>(cells_.size()));
}

}  // namespace dconvex
