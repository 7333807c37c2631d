// Ctrl-C in long loops: every loop whose length grows with the input polls, and stops by an exception.

#pragma once

#include <atomic>
#include <cstdint>

namespace dconvex {

// Thrown by `poll` where the user has pressed Ctrl-C or the work was cancelled; nothing is left half done that matters.
struct Interrupted {};

// What `poll` asks now and then: whether the user has pressed Ctrl-C. The binding sets it; without it nothing interrupts.
using InterruptCheck = bool (*)();
void set_interrupt_check(InterruptCheck check) noexcept;

// Work that another thread can call off: `poll` in a thread that works for a cancelled task throws.
class Cancellation {
public:
    void cancel() noexcept { is_cancelled_.store(true, std::memory_order_relaxed); }
    bool is_cancelled() const noexcept { return is_cancelled_.load(std::memory_order_relaxed); }

private:
    std::atomic<bool> is_cancelled_{false};
};

// The task that the calling thread works for, or null.
void set_current_task(const Cancellation* task) noexcept;
const Cancellation* current_task() noexcept;

// Looks at the clock once in a thousand calls, and asks whether to stop every 20 milliseconds.
class Poll {
public:
    // Counts `work` units, each of about a nanosecond to ten.
    void operator()(std::int64_t work = 1) {
        left_ -= work;
        if (left_ < 0) look();
    }

    // All work counted so far: a measure of cost that is the same on every machine.
    std::int64_t counted() const noexcept { return counted_before_ + between_looks - left_; }

private:
    static constexpr std::int64_t between_looks = 100'000;

    void look();

    std::int64_t left_ = between_looks;
    std::int64_t counted_before_ = 0;  // the last look
    std::int64_t last_asked_ = 0;
};

}  // namespace dconvex
