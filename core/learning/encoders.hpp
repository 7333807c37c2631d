// Codes of the values in a column: hash tables with open addressing, one for integers and one for texts.
//
// An encoder knows neither labels nor which values are valid. It writes codes as long as it knows the values; at the first
// unknown one it stops and returns its index. The caller decides on a code, adds it and goes on from there.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/interrupt.hpp"
#include "common/memory.hpp"
#include "learning/columns.hpp"

namespace dconvex {

constexpr std::int64_t all_known = -1;  // what `encode` returns where it does not stop

// Codes of 64-bit keys: integers, or addresses of objects that the caller keeps alive.
class IntegerEncoder {
public:
    IntegerEncoder();

    std::int64_t size() const noexcept { return size_; }

    // Gives a key its code, -1 or more; a known key gets another one.
    void add(std::int64_t key, std::int64_t code);

    // Writes the codes of the values from `first` on; returns the index of the first unknown value, or `all_known`.
    // Throws std::invalid_argument unless there are as many codes as values. A code that is too wide for `out` is cut.
    std::int64_t encode(const Integers& values, const CodesOut& out, std::int64_t first) const;

private:
    struct Slot {
        std::int64_t key;
        Code code;
    };
    // What a search needs, in a value of its own: bytes that are written could be anything else for all a compiler knows.
    struct Search {
        const Slot* slots;
        std::size_t mask;
        int shift;  // the upper bits of a product choose the slot

        // The slot of a key, or the free one where it belongs. At least half of the slots are free, so the search ends.
        std::size_t operator()(std::int64_t key) const noexcept;
    };

    Search search() const noexcept;
    void grow();

    Vector<Slot> slots_;  // a power of two
    std::int64_t size_ = 0;
};

// Differs between all texts of up to 16 bytes, and is a hash of longer ones.
struct TextKey {
    std::uint64_t low;   // the last eight bytes
    std::uint64_t high;  // the eight before, mixed with all others
    std::uint64_t length;
};

// Codes of texts, which are compared byte by byte.
class TextEncoder {
public:
    TextEncoder();

    std::int64_t size() const noexcept { return size_; }

    // As those of `IntegerEncoder`.
    void add(std::string_view text, std::int64_t code);
    std::int64_t encode(const Texts& texts, const CodesOut& out, std::int64_t first) const;
    // The code of one text, or `unknown_code`.
    Code code_of(std::string_view text, Poll& poll) const;

private:
    struct Slot {
        TextKey key;
        std::size_t begin;  // of a long text's copy in `known_`
        Code code;
    };
    struct Search {
        const Slot* slots;
        std::size_t mask;
        int shift;
        const char* known;

        std::size_t first_slot(const TextKey& key) const noexcept;
        std::size_t operator()(const TextKey& key, std::string_view text) const noexcept;
    };

    Search search() const noexcept;
    void grow();

    Vector<Slot> slots_;  // a power of two
    std::int64_t size_ = 0;
    Vector<char> known_;  // the long texts one after the other
};

}  // namespace dconvex
