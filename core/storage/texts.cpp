#include "storage/texts.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

constexpr std::size_t most_digits = 4300;  // the default limit of Python

Bytes text_of(const StoredNames& names, std::size_t number) {
    const auto first = static_cast<std::size_t>(names.offsets[number]);
    return names.text.subspan(first, static_cast<std::size_t>(names.offsets[number + 1]) - first);
}

void check_offsets(const StoredNames& names) {
    const std::span<const Offset> offsets = names.offsets;
    const bool is_sound = !offsets.empty() && offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end()) &&
                          offsets.back() == static_cast<Offset>(names.text.size());
    if (!is_sound) throw std::invalid_argument("the offsets of the names do not fit their text");
}

// The bytes of the character that a text begins with, 0 if there is none.
std::size_t length_of_character(Bytes text) {
    const std::uint8_t first = text[0];
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (text.size() < length) return 0;
    for (std::size_t k = 1; k < length; ++k) {
        if ((text[k] & 0xC0) != 0x80) return 0;
    }
    // longer than need be, or beyond the last code point
    if ((first == 0xE0 && text[1] < 0xA0) || (first == 0xF0 && text[1] < 0x90) || (first == 0xF4 && text[1] >= 0x90)) return 0;
    return length;
}

bool is_utf8(Bytes text) {
    while (!text.empty()) {
        const std::size_t length = length_of_character(text);
        if (length == 0) return false;
        text = text.subspan(length);
    }
    return true;
}

// Digits without leading zeros, after a minus sign if the number is not zero.
bool is_integer(Bytes text) {
    const bool is_negative = !text.empty() && text[0] == '-';
    const Bytes digits = text.subspan(is_negative ? 1 : 0);
    if (digits.empty() || digits.size() > most_digits) return false;
    if (digits[0] == '0' && (digits.size() > 1 || is_negative)) return false;
    return std::all_of(digits.begin(), digits.end(), [](std::uint8_t digit) { return digit >= '0' && digit <= '9'; });
}

bool is_less(Bytes one, Bytes other) {
    return std::lexicographical_compare(one.begin(), one.end(), other.begin(), other.end());
}

bool is_less_integer(Bytes one, Bytes other) {
    const bool is_negative = one[0] == '-';
    if (is_negative != (other[0] == '-')) return is_negative;
    if (one.size() != other.size()) return (one.size() < other.size()) != is_negative;
    return is_negative ? is_less(other, one) : is_less(one, other);
}

[[noreturn]] void refuse(std::size_t number, const char* problem) {
    throw std::invalid_argument("name " + std::to_string(number) + problem);
}

}  // namespace

void check_names(const StoredNames& names) {
    check_offsets(names);
    const std::size_t count = names.offsets.size() - 1;
    if (names.integers < 0 || static_cast<std::size_t>(names.integers) > count) {
        throw std::invalid_argument("the number of integer names is wrong");
    }
    const auto integers = static_cast<std::size_t>(names.integers);
    Poll poll;
    for (std::size_t number = 0; number < count; ++number) {
        const Bytes own = text_of(names, number);
        poll(1 + std::ssize(own));
        const bool is_number = number < integers;
        if (!is_utf8(own)) refuse(number, " is not UTF-8");
        if (is_number && !is_integer(own)) refuse(number, " is not an integer");
        if (number == 0 || number == integers) continue;
        const Bytes previous = text_of(names, number - 1);
        // bytes of UTF-8 are in the order of code points
        if (!(is_number ? is_less_integer(previous, own) : is_less(previous, own))) {
            refuse(number, " is not greater than the one before it");
        }
    }
}

}  // namespace dconvex
