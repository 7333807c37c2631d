// Columns as they come: integers of any width, texts as Arrow holds them, and codes of one byte or four.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <variant>

namespace dconvex {

using Code = std::int32_t;

constexpr Code missing_code = -1;  // of a missing cell, or of a value that counts as one
constexpr Code unknown_code = -2;  // of a value that an encoder does not know

// Codes are written into bytes where no variable has more states than fit.
using CodesOut = std::variant<std::span<std::int8_t>, std::span<std::int32_t>>;

// Numbers at equal distances in memory, aligned or not.
template <class T>
struct Strided {
    const std::byte* data;
    std::int64_t size;
    std::int64_t stride;  // in bytes

    T operator[](std::int64_t index) const {
        T value;
        std::memcpy(&value, data + index * stride, sizeof(T));
        return value;
    }
};

using Integers = std::variant<Strided<std::int8_t>, Strided<std::int16_t>, Strided<std::int32_t>, Strided<std::int64_t>,
                              Strided<std::uint8_t>, Strided<std::uint16_t>, Strided<std::uint32_t>>;

// A bit for each cell, set where it is not missing. Without bits none is missing.
struct Validity {
    std::span<const std::uint8_t> bits;
    std::int64_t first_bit;

    bool is_missing(std::int64_t index) const {
        if (bits.empty()) return false;
        const auto bit = static_cast<std::uint64_t>(first_bit + index);
        return !(bits.data()[bit / 8] >> (bit % 8) & 1);
    }
    bool has_room_for(std::int64_t size) const {
        return bits.empty() || (first_bit >= 0 && size <= static_cast<std::int64_t>(8 * bits.size()) - first_bit);
    }
};

// Text i is the bytes from offsets[i] up to offsets[i + 1].
template <class Offset>
struct TextsOf {
    Strided<Offset> offsets;  // one more than there are texts
    std::string_view bytes;
    Validity validity;

    std::int64_t size() const noexcept { return offsets.size - 1; }

    // Throws std::invalid_argument where the offsets fall or leave the bytes.
    std::string_view operator[](std::int64_t index) const {
        const std::int64_t begin = offsets[index];
        const std::int64_t end = offsets[index + 1];
        const bool is_sound = begin >= 0 && begin <= end && end <= static_cast<std::int64_t>(bytes.size());
        if (!is_sound) throw std::invalid_argument("the offsets of texts must ascend and lie within the bytes");
        return {bytes.data() + begin, static_cast<std::size_t>(end - begin)};
    }
};

using Texts = std::variant<TextsOf<std::int32_t>, TextsOf<std::int64_t>>;

}  // namespace dconvex
