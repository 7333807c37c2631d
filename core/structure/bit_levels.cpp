// Which loops over bits there are, and which of them this machine can run.

#include <atomic>
#include <cstring>

#include "common/processor.hpp"
#include "structure/bit_loops.hpp"

namespace dconvex {

namespace baseline {
extern const BitLoops bit_loop_set;
}
#ifdef DCONVEX_WIDE_LOOPS  // set by the build where it compiles the levels of x86-64
namespace avx2 {
extern const BitLoops bit_loop_set;
}
namespace avx512 {
extern const BitLoops bit_loop_set;
}
#endif

namespace {

struct Available {
    const BitLoops* levels[3];
    int count;
};

Available find_available() noexcept {
    Available found{{&baseline::bit_loop_set}, 1};
#ifdef DCONVEX_WIDE_LOOPS
    const Processor processor = this_processor();
    if (processor.has_avx2 && processor.has_popcnt) {
        found.levels[found.count++] = &avx2::bit_loop_set;
        if (processor.has_avx512_popcnt) found.levels[found.count++] = &avx512::bit_loop_set;
    }
#endif
    return found;
}

const Available available = find_available();
std::atomic<const BitLoops*> in_use{available.levels[available.count - 1]};

}  // namespace

const BitLoops& bit_loops() noexcept { return *in_use.load(std::memory_order_relaxed); }

int bit_loops_count() noexcept { return available.count; }

const BitLoops& bit_loops_number(int number) noexcept { return *available.levels[number]; }

bool use_bit_loops(const char* name) noexcept {
    for (int number = 0; number < available.count; ++number) {
        if (std::strcmp(available.levels[number]->name, name) == 0) {
            in_use.store(available.levels[number]);
            return true;
        }
    }
    return false;
}

}  // namespace dconvex
