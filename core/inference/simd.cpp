// Which sets of loops there are, and which of them this machine can run.

#include <atomic>
#include <cstring>

#include "common/processor.hpp"
#include "inference/loops.hpp"

namespace dconvex {

namespace baseline {
extern const LoopSet loop_set;
}
#ifdef DCONVEX_WIDE_LOOPS  // set by the build where it compiles the set for wider x86-64 vectors
namespace avx2 {
extern const LoopSet loop_set;
}
#endif

namespace {

struct Available {
    const LoopSet* sets[2];
    int count;
};

Available find_available() noexcept {
    Available found{{&baseline::loop_set}, 1};
#ifdef DCONVEX_WIDE_LOOPS
    if (this_processor().has_avx2) found.sets[found.count++] = &avx2::loop_set;
#endif
    return found;
}

const Available available = find_available();
std::atomic<const LoopSet*> in_use{available.sets[available.count - 1]};

}  // namespace

const LoopSet& loop_set() noexcept { return *in_use.load(std::memory_order_relaxed); }

int loop_set_count() noexcept { return available.count; }

const LoopSet& loop_set_number(int number) noexcept { return *available.sets[number]; }

bool use_loop_set(const char* name) noexcept {
    for (int number = 0; number < available.count; ++number) {
        if (std::strcmp(available.sets[number]->name, name) == 0) {
            in_use.store(available.sets[number]);
            return true;
        }
    }
    return false;
}

}  // namespace dconvex
