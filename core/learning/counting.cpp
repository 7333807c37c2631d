#include "learning/counting.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace dconvex {
namespace {

constexpr std::int64_t block_rows = 2048;  // their cells stay in the processor's cache
// Rows that follow each other are counted in different copies of a small table, so that none waits for the last one.
constexpr std::int64_t lane_count = 4;
constexpr Offset lane_cells = 1024;

void check(bool is_sound, const char* problem) {
    if (!is_sound) throw std::invalid_argument(problem);
}

// The cells of a block of rows. `Cell` has room for one more than there are cells, for a missing one.
template <class Cell, class Own>
class Block {
public:
    Block(std::int64_t rows, bool may_miss) : rows_(rows) {
        std::fill_n(cell_, rows, Cell{0});
        if (may_miss) std::fill_n(sign_, rows, Own{0});
    }

    // cell = cell * states + code; throws where a code is no state. Every loop is one that compilers vectorise.
    void add_member(const Own* codes, Index states, bool may_miss) {
        const auto last_state = static_cast<Own>(std::min<Index>(states - 1, std::numeric_limits<Own>::max()));
        const auto factor = static_cast<std::uint32_t>(states);
        Own above = 0;
        Own signs = 0;
        for (std::int64_t k = 0; k < rows_; ++k) {
            above |= static_cast<Own>(codes[k] > last_state);
            signs |= codes[k];
            cell_[k] = static_cast<Cell>(cell_[k] * factor + static_cast<std::uint32_t>(codes[k]));
        }
        check(!above && (may_miss || signs >= 0), "a code is no state of its variable");
        if (signs >= 0) return;
        for (std::int64_t k = 0; k < rows_; ++k) sign_[k] |= codes[k];
    }

    // Sends the rows with a missing cell beyond the table.
    void put_missing_at(Offset beyond) {
        const auto cell = static_cast<Cell>(beyond);
        for (std::int64_t k = 0; k < rows_; ++k) cell_[k] = sign_[k] < 0 ? cell : cell_[k];
    }

    void count_in_lanes(std::int64_t* lanes) const {
        std::int64_t k = 0;
        for (; k + lane_count <= rows_; k += lane_count) {
            ++lanes[cell_[k]];
            ++lanes[lane_cells + cell_[k + 1]];
            ++lanes[2 * lane_cells + cell_[k + 2]];
            ++lanes[3 * lane_cells + cell_[k + 3]];
        }
        for (; k < rows_; ++k) ++lanes[cell_[k]];
    }

    // Returns how many rows lie beyond the table.
    std::int64_t count_in(std::int64_t* counts, Offset beyond) const {
        std::int64_t missing = 0;
        for (std::int64_t k = 0; k < rows_; ++k) {
            if (static_cast<Offset>(cell_[k]) < beyond) {
                ++counts[cell_[k]];
            } else {
                ++missing;
            }
        }
        return missing;
    }

private:
    std::int64_t rows_;
    Cell cell_[block_rows];
    Own sign_[block_rows];  // below zero where a cell is missing
};

// Adds the lanes to a table and clears them; returns how many rows lie beyond the table.
std::int64_t drain(std::span<std::int64_t> lanes, std::int64_t* counts, Offset cells) {
    std::int64_t beyond = 0;
    for (std::int64_t lane = 0; lane < lane_count; ++lane) {
        std::int64_t* own = lanes.data() + lane * lane_cells;
        for (Offset cell = 0; cell < cells; ++cell) counts[cell] += own[cell];
        beyond += own[cells];
        std::fill_n(own, cells + 1, 0);
    }
    return beyond;
}

}  // namespace

CountTables::CountTables(Ragged members, std::span<const std::int64_t> states, std::span<const std::uint8_t> may_miss,
                         std::span<const Offset> first_cell)
    : members_(std::move(members)) {
    check(states.size() == may_miss.size(), "`states` and `may_miss` must be of the same length");
    check(first_cell.size() == static_cast<std::size_t>(size()), "`first_cell` must have an entry for each family");
    check(states.size() <= static_cast<std::size_t>(std::numeric_limits<Index>::max()), "there are too many variables");
    check(members_.is_within(static_cast<Index>(states.size())), "a member of a family is no variable");
    for (std::size_t variable = 0; variable < states.size(); ++variable) {
        const std::int64_t own = states[variable];
        check(own >= 0 && own <= std::numeric_limits<Index>::max(), "a number of states is negative or too large");
        variables_.push_back({static_cast<Index>(own), may_miss[variable] != 0});
    }
    for (Index family = 0; family < size(); ++family) {
        tables_.push_back(table_of(family, first_cell[static_cast<std::size_t>(family)]));
        if (tables_.back().first_cell >= 0) cells_ = std::max(cells_, tables_.back().first_cell + tables_.back().cells);
    }
}

CountTables::Table CountTables::table_of(Index family, Offset first_cell) const {
    Table table{first_cell, 1, false};
    if (first_cell < 0) return table;
    for (const Index member : members_[family]) {
        const Variable& own = variables_[static_cast<std::size_t>(member)];
        table.cells *= own.states;  // both are below 2**31
        table.may_miss |= own.may_miss;
        check(table.cells < std::numeric_limits<Index>::max(), "a table has too many cells");
    }
    check(first_cell <= std::numeric_limits<Offset>::max() - table.cells, "a table begins too far away");
    return table;
}

void CountTables::count(const CodeColumns& columns, std::int64_t rows, std::span<std::int64_t> counts,
                        std::span<std::int64_t> used, std::int64_t first, std::int64_t last) const {
    check(first >= 0 && first <= last && last <= size(), "the range of families is none");
    check(counts.size() >= static_cast<std::size_t>(cells_), "there are fewer counts than cells");
    check(used.size() == static_cast<std::size_t>(size()), "`used` must have an entry for each family");
    Poll poll;
    Vector<std::int64_t> lanes(lane_count * lane_cells, 0);
    const auto count_all = [&](const auto& own) {
        check(rows >= 0 && rows <= own.stride, "there are fewer codes than rows");
        check(own.variables >= static_cast<std::int64_t>(variables_.size()), "there are fewer columns than variables");
        for (std::int64_t number = first; number < last; ++number) {
            const auto family = static_cast<Index>(number);
            const Table& table = tables_[static_cast<std::size_t>(family)];
            if (table.first_cell < 0) continue;
            using Own = std::remove_cvref_t<decltype(*own.codes)>;
            std::int64_t* cells = counts.data() + table.first_cell;
            const bool is_narrow = table.cells < std::numeric_limits<std::uint16_t>::max();
            used[static_cast<std::size_t>(family)] +=
                is_narrow ? count_family<std::uint16_t, Own>(family, own, rows, cells, lanes, poll)
                          : count_family<std::uint32_t, Own>(family, own, rows, cells, lanes, poll);
        }
    };
    std::visit(count_all, columns);
}

// Returns how many rows were counted.
template <class Cell, class Own>
std::int64_t CountTables::count_family(Index family, const CodeColumnsOf<Own>& columns, std::int64_t rows, std::int64_t* counts,
                                       std::span<std::int64_t> lanes, Poll& poll) const {
    const Indices members = members_[family];
    const Table& table = tables_[static_cast<std::size_t>(family)];
    const bool is_in_lanes = table.cells < lane_cells;
    std::int64_t missing = 0;
    for (std::int64_t begin = 0; begin < rows; begin += block_rows) {
        Block<Cell, Own> block(std::min(block_rows, rows - begin), table.may_miss);
        for (const Index member : members) {
            const Variable& own = variables_[static_cast<std::size_t>(member)];
            block.add_member(columns.codes + member * columns.stride + begin, own.states, own.may_miss);
        }
        if (table.may_miss) block.put_missing_at(table.cells);
        if (is_in_lanes) {
            block.count_in_lanes(lanes.data());
        } else {
            missing += block.count_in(counts, table.cells);
        }
        poll(block_rows * (1 + static_cast<std::int64_t>(members.size())));
    }
    if (is_in_lanes) missing = drain(lanes, counts, table.cells);
    return rows - missing;
}

}  // namespace dconvex
