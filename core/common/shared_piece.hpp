// Memory that many small values of one thread share: one allocation serves dozens of them, and is freed when the last one goes.
//
// After other libraries have freed much, an allocation of a few kilobytes may take longer than all the rest of a small
// question.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace dconvex {

// A piece of such memory; copies are the same piece.
class SharedPiece {
public:
    SharedPiece() noexcept = default;
    explicit SharedPiece(std::size_t bytes);

    std::byte* data() const noexcept { return begin_; }
    std::int64_t size() const noexcept { return static_cast<std::int64_t>(size_); }

private:
    std::shared_ptr<std::byte> block_;
    std::byte* begin_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace dconvex
