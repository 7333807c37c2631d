// Memory that the core counts: every container of the core takes its memory through `CountedAllocator`.
//
// Python's tracemalloc does not see native memory, so the core keeps its own count, which tests and benchmarks read.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

namespace dconvex {

// Bytes that the core holds now, and the most it has held since `reset_peak_bytes`.
std::int64_t allocated_bytes() noexcept;
std::int64_t peak_bytes() noexcept;
void reset_peak_bytes() noexcept;

void count_allocated(std::size_t bytes) noexcept;
void count_freed(std::size_t bytes) noexcept;

template <class T>
struct CountedAllocator {
    using value_type = T;

    CountedAllocator() noexcept = default;
    template <class U>
    CountedAllocator(const CountedAllocator<U>&) noexcept {}

    T* allocate(std::size_t count) {
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
        void* memory = ::operator new(count * sizeof(T), std::align_val_t{alignment});
        count_allocated(count * sizeof(T));
        return static_cast<T*>(memory);
    }

    void deallocate(T* memory, std::size_t count) noexcept {
        count_freed(count * sizeof(T));
        ::operator delete(memory, std::align_val_t{alignment});
    }

    // A vector that is grown without a value leaves numbers as they are: it costs nothing to make room.
    template <class U>
    void construct(U* place) noexcept(noexcept(::new (static_cast<void*>(place)) U)) {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class First, class... Rest>
    void construct(U* place, First&& first, Rest&&... rest) {
        ::new (static_cast<void*>(place)) U(static_cast<First&&>(first), static_cast<Rest&&>(rest)...);
    }

    friend bool operator==(const CountedAllocator&, const CountedAllocator&) noexcept { return true; }

    static constexpr std::size_t alignment = alignof(T) > 16 ? alignof(T) : 16;
};

// The core's vector. `Vector<int>(n)` and `resize(n)` leave numbers unset; `Vector<int>(n, 0)` sets them.
template <class T>
using Vector = std::vector<T, CountedAllocator<T>>;

}  // namespace dconvex
