// Memory for the numbers of answers. A thread keeps some of what it gave back: the next answer of that size finds it there,
// with its pages, while a new large piece of memory costs more than filling it.

#pragma once

#include <cstddef>
#include <span>

namespace dconvex {

// Room for numbers, unset at first. It may be given back by another thread than took it.
class ResultBuffer {
public:
    ResultBuffer() noexcept = default;
    explicit ResultBuffer(std::size_t count);
    ~ResultBuffer();
    ResultBuffer(ResultBuffer&& other) noexcept;
    ResultBuffer& operator=(ResultBuffer&& other) noexcept;
    ResultBuffer(const ResultBuffer&) = delete;
    ResultBuffer& operator=(const ResultBuffer&) = delete;

    std::span<double> numbers() const noexcept { return {data_, count_}; }

private:
    double* data_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace dconvex
