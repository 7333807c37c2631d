// What instructions this machine's processor has, and its system lets programs use.
//
// The compilers' own test, __builtin_cpu_supports, needs a part of their runtime library that Zig does not link into a module.

#pragma once

namespace dconvex {

struct Processor {
    bool has_popcnt = false, has_avx2 = false;
    bool has_avx512_popcnt = false;  // AVX-512 F, VL and VPOPCNTDQ
};

Processor this_processor() noexcept;

}  // namespace dconvex
