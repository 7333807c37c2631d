// Names as a file has them: all texts in UTF-8, one after the other.

#pragma once

#include <cstdint>
#include <span>

#include "common/ragged.hpp"

namespace dconvex {

using Bytes = std::span<const std::uint8_t>;

// Name i is text[offsets[i]] up to text[offsets[i + 1]]; the first `integers` of them are integers.
struct StoredNames {
    Bytes text;
    std::span<const Offset> offsets;
    Index integers;
};

// Throws std::invalid_argument unless the offsets begin at 0, never fall and end with the text, every name is UTF-8 (lone
// surrogates included, as Python's str may hold them), and the names are in canonical order, no two of them equal: first the
// integers by value, each as Python writes it, then the others by code points.
void check_names(const StoredNames& names);

}  // namespace dconvex
