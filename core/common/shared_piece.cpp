#include "common/shared_piece.hpp"

#include "common/memory.hpp"

namespace dconvex {
namespace {

// A block has this many bytes; pieces of more than an eighth have a block of their own.
constexpr std::size_t block_size = std::size_t{1} << 15;

std::shared_ptr<std::byte> new_block(std::size_t bytes) {
    CountedAllocator<std::byte> allocator;
    return {allocator.allocate(bytes), [allocator, bytes](std::byte* memory) mutable { allocator.deallocate(memory, bytes); }};
}

struct BlockInUse {
    std::shared_ptr<std::byte> block;
    std::size_t used = block_size;
};

thread_local BlockInUse block_of_thread;

}  // namespace

SharedPiece::SharedPiece(std::size_t bytes) : size_(bytes) {
    if (bytes > block_size / 8) {
        block_ = new_block(bytes);
        begin_ = block_.get();
        return;
    }
    BlockInUse& current = block_of_thread;
    if (current.used + bytes > block_size) {
        current.block = new_block(block_size);
        current.used = 0;
    }
    block_ = current.block;
    begin_ = current.block.get() + current.used;
    current.used += (bytes + 15) / 16 * 16;
}

}  // namespace dconvex
