#include "common/memory.hpp"

#include <atomic>

namespace dconvex {
namespace {

std::atomic<std::int64_t> held{0};
std::atomic<std::int64_t> peak{0};

}  // namespace

std::int64_t allocated_bytes() noexcept { return held.load(std::memory_order_relaxed); }

std::int64_t peak_bytes() noexcept { return peak.load(std::memory_order_relaxed); }

void reset_peak_bytes() noexcept { peak.store(allocated_bytes(), std::memory_order_relaxed); }

void count_allocated(std::size_t bytes) noexcept {
    const auto added = static_cast<std::int64_t>(bytes);
    const std::int64_t now = held.fetch_add(added, std::memory_order_relaxed) + added;
    std::int64_t before = peak.load(std::memory_order_relaxed);
    while (now > before && !peak.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
    }
}

void count_freed(std::size_t bytes) noexcept { held.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed); }

}  // namespace dconvex
