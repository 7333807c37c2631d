#include "learning/moments.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace dconvex {
namespace {

constexpr std::int64_t block_rows = 2048;
constexpr std::int64_t partial_sums = 4;

void check(bool is_sound, const char* problem) {
    if (!is_sound) throw std::invalid_argument(problem);
}

// Lines of deviations lie a block apart. Several sums are added up at once, so that none waits for its last addition.
template <std::int64_t Count>
void add_sums(const double* lines, std::int64_t rows, double* sums) {
    double total[Count] = {};
    for (std::int64_t k = 0; k < rows; ++k) {
        for (std::int64_t i = 0; i < Count; ++i) total[i] += lines[i * block_rows + k];
    }
    for (std::int64_t i = 0; i < Count; ++i) sums[i] += total[i];
}

// The products of one line with `Count` others.
template <std::int64_t Count>
void add_dots(const double* one, const double* others, std::int64_t rows, double* products) {
    double partial[Count][partial_sums] = {};
    std::int64_t k = 0;
    for (; k + partial_sums <= rows; k += partial_sums) {
        for (std::int64_t j = 0; j < Count; ++j) {
            for (std::int64_t part = 0; part < partial_sums; ++part) {
                partial[j][part] += one[k + part] * others[j * block_rows + k + part];
            }
        }
    }
    for (std::int64_t j = 0; j < Count; ++j) {
        for (std::int64_t rest = k; rest < rows; ++rest) partial[j][0] += one[rest] * others[j * block_rows + rest];
        products[j] += (partial[j][0] + partial[j][1]) + (partial[j][2] + partial[j][3]);
    }
}

void add_all_sums(const double* lines, std::int64_t width, std::int64_t rows, double* sums) {
    std::int64_t i = 0;
    for (; i + 4 <= width; i += 4) add_sums<4>(lines + i * block_rows, rows, sums + i);
    for (; i + 2 <= width; i += 2) add_sums<2>(lines + i * block_rows, rows, sums + i);
    for (; i < width; ++i) add_sums<1>(lines + i * block_rows, rows, sums + i);
}

// The products of the last of `width` lines with each of them.
void add_all_dots(const double* lines, std::int64_t width, std::int64_t rows, double* products) {
    const double* one = lines + (width - 1) * block_rows;
    std::int64_t j = 0;
    for (; j + 4 <= width; j += 4) add_dots<4>(one, lines + j * block_rows, rows, products + j);
    for (; j + 2 <= width; j += 2) add_dots<2>(one, lines + j * block_rows, rows, products + j);
    for (; j < width; ++j) add_dots<1>(one, lines + j * block_rows, rows, products + j);
}

// Keeps the rows without a NaN, in their order; returns how many there are.
std::int64_t keep_whole_rows(Vector<double>& lines, std::int64_t width, std::int64_t count) {
    double* line = lines.data();
    std::int64_t kept = 0;
    for (std::int64_t row = 0; row < count; ++row) {
        bool is_whole = true;
        for (std::int64_t i = 0; i < width; ++i) is_whole &= !std::isnan(line[i * block_rows + row]);
        if (!is_whole) continue;
        for (std::int64_t i = 0; i < width; ++i) line[i * block_rows + kept] = line[i * block_rows + row];
        ++kept;
    }
    return kept;
}

}  // namespace

MomentSums::MomentSums(Ragged members) : members_(std::move(members)), used_(static_cast<std::size_t>(members_.size()), 0) {
    const Vector<Index>& values = members_.values();
    check(std::all_of(values.begin(), values.end(), [](Index member) { return member >= 0; }), "a member is negative");
    variables_ = values.empty() ? 0 : *std::max_element(values.begin(), values.end()) + 1;
    Offset products = 0;
    for (Index family = 0; family < size(); ++family) {
        first_product_.push_back(products);
        products += members_.length(family) * members_.length(family);
    }
    shift_.assign(values.size(), 0.0);
    sums_.assign(values.size(), 0.0);
    products_.assign(static_cast<std::size_t>(products), 0.0);
}

void MomentSums::add(const NumberColumns& columns, std::int64_t rows, std::span<const std::uint8_t> may_miss,
                     std::int64_t first, std::int64_t last) {
    check(first >= 0 && first <= last && last <= size(), "the range of families is none");
    check(rows >= 0 && rows <= columns.stride, "there are fewer numbers than rows");
    check(columns.variables >= variables_, "there are fewer columns than variables");
    check(may_miss.size() >= static_cast<std::size_t>(variables_), "`may_miss` must have an entry for each variable");
    Poll poll;
    for (std::int64_t family = first; family < last; ++family) {
        const Indices members = members_[static_cast<Index>(family)];
        const auto misses = [&](Index member) { return may_miss[static_cast<std::size_t>(member)] != 0; };
        add_family(static_cast<Index>(family), columns, rows, std::any_of(members.begin(), members.end(), misses), poll);
    }
}

void MomentSums::add_family(Index family, const NumberColumns& columns, std::int64_t rows, bool may_miss, Poll& poll) {
    const Indices members = members_[family];
    const auto width = static_cast<std::int64_t>(members.size());
    const Offset first_member = members_.offsets()[static_cast<std::size_t>(family)];
    double* shift = shift_.data() + first_member;
    double* sums = sums_.data() + first_member;
    double* products = products_.data() + first_product_[static_cast<std::size_t>(family)];
    std::int64_t& used = used_[static_cast<std::size_t>(family)];
    Vector<double> lines(static_cast<std::size_t>(width * block_rows));
    for (std::int64_t begin = 0; begin < rows; begin += block_rows) {
        std::int64_t count = std::min(block_rows, rows - begin);
        for (std::int64_t i = 0; i < width; ++i) {
            std::copy_n(columns.numbers + members[static_cast<std::size_t>(i)] * columns.stride + begin, count,
                        lines.data() + i * block_rows);
        }
        if (may_miss) count = keep_whole_rows(lines, width, count);
        if (count && used == 0) {
            for (std::int64_t i = 0; i < width; ++i) shift[i] = lines.data()[i * block_rows];
        }
        used += count;
        for (std::int64_t i = 0; i < width; ++i) {
            double* line = lines.data() + i * block_rows;
            for (std::int64_t k = 0; k < count; ++k) line[k] -= shift[i];
        }
        add_all_sums(lines.data(), width, count, sums);
        for (std::int64_t i = 0; i < width; ++i) {
            add_all_dots(lines.data(), i + 1, count, products + i * width);
            poll((i + 1) * count);
        }
    }
}

}  // namespace dconvex
