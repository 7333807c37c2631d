#include "common/processor.hpp"

#if defined(__x86_64__) && !defined(_MSC_VER)
#include <cpuid.h>
#endif

namespace dconvex {

Processor this_processor() noexcept {
    Processor found;
#if defined(__x86_64__) && !defined(_MSC_VER)
    const auto bit = [](unsigned word, int number) { return (word >> number & 1U) != 0; };
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return found;
    found.has_popcnt = bit(c, 23);
    const bool has_avx = bit(c, 28), can_ask_system = bit(c, 27);
    if (!has_avx || !can_ask_system) return found;
    unsigned saved = 0, rest = 0;  // which registers the system saves for each thread
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(rest) : "c"(0));
    constexpr unsigned of_avx = 0x06, of_avx512 = 0xE6;
    if ((saved & of_avx) != of_avx || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return found;
    found.has_avx2 = bit(b, 5);
    found.has_avx512_popcnt = (saved & of_avx512) == of_avx512 && bit(b, 16) && bit(b, 31) && bit(c, 14);
#endif
    return found;
}

}  // namespace dconvex
