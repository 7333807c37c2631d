#include "learning/encoders.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace dconvex {
namespace {

constexpr std::size_t first_slots = 64;
constexpr std::size_t growth = 4;
constexpr std::size_t word = 8;
constexpr std::size_t short_text = 2 * word;
constexpr std::int64_t block = 1024;  // values between two polls

// 2**64 over the golden ratio: multiplied by it, numbers that are close come apart.
constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
constexpr std::uint64_t odd_factor = 0xC2B2AE3D27D4EB4F;

// How far to shift a 64-bit hash so that it becomes the number of a slot; the number of slots is a power of two.
int shift_for(std::size_t slots) { return 64 - std::countr_zero(slots); }

Code checked_code(std::int64_t code) {
    if (code < missing_code || code > std::numeric_limits<Code>::max())
        throw std::invalid_argument("a code must be at least -1");
    return static_cast<Code>(code);
}

void check_sizes(std::int64_t values, std::size_t codes, std::int64_t first) {
    if (values < 0) throw std::invalid_argument("n texts need n + 1 offsets");
    if (static_cast<std::size_t>(values) != codes) throw std::invalid_argument("there must be as many codes as values");
    if (first < 0 || first > values) throw std::invalid_argument("`first` lies outside the values");
}

std::uint64_t word_at(const char* bytes) {
    std::uint64_t found;
    std::memcpy(&found, bytes, word);
    return found;
}

// The `count` bytes before `end`, at most eight, where eight may be read: however many they are, there is no branch to guess.
inline std::uint64_t bytes_before(const char* end, std::size_t count) {
    const std::size_t half = 4 * (word - count);  // a shift by all 64 bits at once would be undefined
    const std::uint64_t whole = word_at(end - word);
    return std::endian::native == std::endian::little ? (whole >> half) >> half : (whole << half) << half;
}

// Runs `code_of(index, poll)` for all indices from `first` up to `last` and writes what it gives; stops where it gives
// `unknown_code`.
template <class Out, class CodeOf>
std::int64_t written_codes(std::int64_t first, std::int64_t last, Out* out, std::int64_t work, const CodeOf& code_of) {
    Poll poll;
    for (std::int64_t begin = first; begin < last; begin += block) {
        const std::int64_t end = std::min(begin + block, last);
        for (std::int64_t index = begin; index < end; ++index) {
            const Code code = code_of(index, poll);
            if (code == unknown_code) return index;
            out[index] = static_cast<Out>(code);
        }
        poll(work * block);
    }
    return all_known;
}

// --- keys of texts

std::uint64_t mixed(std::uint64_t hash, std::uint64_t bytes) { return (hash ^ (hash >> 29)) * golden + bytes; }

void add_beginning(TextKey& key, std::string_view beginning, Poll& poll) {
    for (; beginning.size() >= word; beginning.remove_suffix(word)) {
        key.high = mixed(key.high, word_at(beginning.data() + beginning.size() - word));
        poll();
    }
    char rest[word] = {};
    std::copy(beginning.begin(), beginning.end(), rest);
    key.high = mixed(key.high, word_at(rest));
}

// From the last bytes of a text, where 16 may be read.
inline TextKey key_of_end(const char* end, std::size_t length) {
    const std::size_t in_low = std::min(length, word);
    return {bytes_before(end, in_low), bytes_before(end - word, std::min(length - in_low, word)), length};
}

// For a short text at the beginning of its buffer.
TextKey key_of_copy(std::string_view text) {
    char copy[short_text] = {};
    std::copy(text.begin(), text.end(), std::end(copy) - text.size());
    return key_of_end(std::end(copy), text.size());
}

// At least `readable_before` bytes before the text may be read.
inline TextKey key_of(std::string_view text, std::size_t readable_before, Poll& poll) {
    if (readable_before < short_text && text.size() < short_text) return key_of_copy(text);
    TextKey key = key_of_end(text.data() + text.size(), text.size());
    if (text.size() > short_text) add_beginning(key, text.substr(0, text.size() - short_text), poll);
    return key;
}

}  // namespace

// --- integers -------------------------------------------------------------------------------------------------------

IntegerEncoder::IntegerEncoder() : slots_(first_slots, Slot{0, unknown_code}) {}

IntegerEncoder::Search IntegerEncoder::search() const noexcept {
    return {slots_.data(), slots_.size() - 1, shift_for(slots_.size())};
}

inline std::size_t IntegerEncoder::Search::operator()(std::int64_t key) const noexcept {
    std::size_t slot = (static_cast<std::uint64_t>(key) * golden) >> shift;
    while (slots[slot].key != key && slots[slot].code != unknown_code) slot = (slot + 1) & mask;
    return slot;
}

void IntegerEncoder::add(std::int64_t key, std::int64_t code) {
    const Code checked = checked_code(code);
    if (2 * (static_cast<std::size_t>(size_) + 1) > slots_.size()) grow();
    Slot& slot = slots_[search()(key)];
    size_ += slot.code == unknown_code;
    slot = {key, checked};
}

void IntegerEncoder::grow() {
    Vector<Slot> before(growth * slots_.size(), Slot{0, unknown_code});
    std::swap(slots_, before);
    for (const Slot& slot : before) {
        if (slot.code != unknown_code) slots_[search()(slot.key)] = slot;
    }
}

std::int64_t IntegerEncoder::encode(const Integers& values, const CodesOut& out, std::int64_t first) const {
    const auto encode_as = [this, first](const auto own, const auto codes) {
        check_sizes(own.size, codes.size(), first);
        const auto code_of = [own, find = search()](std::int64_t index, Poll&) { return find.slots[find(own[index])].code; };
        return written_codes(first, own.size, codes.data(), 2, code_of);
    };
    return std::visit(encode_as, values, out);
}

// --- texts ----------------------------------------------------------------------------------------------------------

TextEncoder::TextEncoder() : slots_(first_slots, Slot{{}, 0, unknown_code}) {}

TextEncoder::Search TextEncoder::search() const noexcept {
    return {slots_.data(), slots_.size() - 1, shift_for(slots_.size()), known_.data()};
}

inline std::size_t TextEncoder::Search::first_slot(const TextKey& key) const noexcept {
    const std::uint64_t hash = key.low + key.high * odd_factor;
    return ((hash ^ (hash >> 32)) * golden) >> shift;
}

inline std::size_t TextEncoder::Search::operator()(const TextKey& key, std::string_view text) const noexcept {
    const auto is_same = [&](const Slot& slot) {
        // without a branch for each word
        if ((slot.key.low ^ key.low) | (slot.key.high ^ key.high) | (slot.key.length ^ key.length)) return false;
        return key.length <= short_text || std::memcmp(known + slot.begin, text.data(), key.length) == 0;
    };
    std::size_t slot = first_slot(key);
    while (slots[slot].code != unknown_code && !is_same(slots[slot])) slot = (slot + 1) & mask;
    return slot;
}

Code TextEncoder::code_of(std::string_view text, Poll& poll) const {
    const Search find = search();
    return find.slots[find(key_of(text, 0, poll), text)].code;
}

void TextEncoder::add(std::string_view text, std::int64_t code) {
    const Code checked = checked_code(code);
    if (4 * (static_cast<std::size_t>(size_) + 1) > slots_.size()) grow();
    Poll poll;
    const TextKey key = key_of(text, 0, poll);
    Slot& slot = slots_[search()(key, text)];
    if (slot.code == unknown_code) {
        slot.begin = known_.size();
        if (text.size() > short_text) known_.insert(known_.end(), text.begin(), text.end());
        slot.key = key;
        ++size_;
    }
    slot.code = checked;
}

void TextEncoder::grow() {
    Vector<Slot> before(growth * slots_.size(), Slot{{}, 0, unknown_code});
    std::swap(slots_, before);
    const Search find = search();
    for (const Slot& own : before) {
        if (own.code == unknown_code) continue;
        std::size_t slot = find.first_slot(own.key);  // all texts differ, so the next free slot is right
        while (slots_[slot].code != unknown_code) slot = (slot + 1) & find.mask;
        slots_[slot] = own;
    }
}

std::int64_t TextEncoder::encode(const Texts& texts, const CodesOut& out, std::int64_t first) const {
    const auto encode_as = [this, first](const auto own, const auto codes) {
        check_sizes(own.size(), codes.size(), first);
        if (!own.validity.has_room_for(own.size())) throw std::invalid_argument("there are fewer bits of validity than texts");
        const auto code_of = [own, find = search()](std::int64_t index, Poll& poll) {
            if (own.validity.is_missing(index)) return missing_code;
            const std::string_view text = own[index];
            const auto readable_before = static_cast<std::size_t>(text.data() - own.bytes.data());
            return find.slots[find(key_of(text, readable_before, poll), text)].code;
        };
        return written_codes(first, own.size(), codes.data(), 8, code_of);
    };
    return std::visit(encode_as, texts, out);
}

}  // namespace dconvex
