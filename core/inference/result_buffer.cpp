#include "inference/result_buffer.hpp"

#include <array>
#include <bit>
#include <new>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "common/memory.hpp"

namespace dconvex {
namespace {

// Sizes are powers of two, from `smallest` numbers on; larger ones than `largest_kept` are taken and given back at once.
constexpr int smallest = 3, largest_kept = 21, classes = largest_kept - smallest + 1;
// A thread keeps this many buffers of a size, and this many bytes of all.
constexpr int most_of_a_size = 16;
constexpr std::size_t most_bytes_kept = std::size_t{1} << 24;
// From this many bytes on, memory comes in huge pages where the system has them.
constexpr std::size_t huge_page = std::size_t{1} << 21;

int class_of(std::size_t count) { return count <= (1U << smallest) ? 0 : std::bit_width(count - 1) - smallest; }

std::size_t bytes_of(std::size_t count) {
    const int own = class_of(count);
    return own < classes ? sizeof(double) << (own + smallest) : count * sizeof(double);
}

std::align_val_t alignment_of(std::size_t bytes) { return std::align_val_t{bytes >= huge_page ? huge_page : 64}; }

double* new_memory(std::size_t bytes) {
    void* const memory = ::operator new(bytes, alignment_of(bytes));
    count_allocated(bytes);
#ifdef __linux__
    if (bytes >= huge_page) madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
    return static_cast<double*>(memory);
}

void delete_memory(double* memory, std::size_t bytes) noexcept {
    count_freed(bytes);
    ::operator delete(memory, alignment_of(bytes));
}

// What a thread keeps, the buffers of each size on a stack.
class Pool {
public:
    ~Pool() {
        for (int own = 0; own < classes; ++own) {
            for (int k = 0; k < counts_[own]; ++k) delete_memory(stacks_[own][k], sizeof(double) << (own + smallest));
            counts_[own] = 0;
        }
        bytes_ = most_bytes_kept;  // whatever a thread gives back while it ends is not kept any more
    }

    double* take(int own) noexcept {
        if (counts_[own] == 0) return nullptr;
        bytes_ -= sizeof(double) << (own + smallest);
        return stacks_[own][--counts_[own]];
    }

    bool keep(int own, double* memory) noexcept {
        const std::size_t bytes = sizeof(double) << (own + smallest);
        if (counts_[own] == most_of_a_size || bytes_ + bytes > most_bytes_kept) return false;
        bytes_ += bytes;
        stacks_[own][counts_[own]++] = memory;
        return true;
    }

private:
    std::array<std::array<double*, most_of_a_size>, classes> stacks_;
    std::array<int, classes> counts_{};
    std::size_t bytes_ = 0;
};

thread_local Pool pool_of_thread;

}  // namespace

ResultBuffer::ResultBuffer(std::size_t count) : count_(count) {
    const int own = class_of(count);
    if (own < classes) data_ = pool_of_thread.take(own);
    if (!data_) data_ = new_memory(bytes_of(count));
}

ResultBuffer::~ResultBuffer() {
    if (!data_) return;
    const int own = class_of(count_);
    if (own >= classes || !pool_of_thread.keep(own, data_)) delete_memory(data_, bytes_of(count_));
}

ResultBuffer::ResultBuffer(ResultBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}

ResultBuffer& ResultBuffer::operator=(ResultBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
}

}  // namespace dconvex
