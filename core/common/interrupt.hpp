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

// Work that another thread can call off: `poll` in a thread that works for a cancelled task throws. It ends with the task that
// it is part of, if any.
class Cancellation {
public:
    explicit Cancellation(const Cancellation* whole = nullptr) noexcept : whole_(whole) {}
    void cancel() noexcept { is_cancelled_.store(true, std::memory_order_relaxed); }
    bool is_cancelled() const noexcept {
        return is_cancelled_.load(std::memory_order_relaxed) || (whole_ && whole_->is_cancelled());
    }

private:
    std::atomic<bool> is_cancelled_{false};
    const Cancellation* whole_;
};

// The task that the calling thread works for, or null.
void set_current_task(const Cancellation* task) noexcept;
const Cancellation* current_task() noexcept;

// Throws `Interrupted` where the calling thread should stop: its task is cancelled, or the user has pressed Ctrl-C. A thread
// that works for a task leaves the asking to whoever can call it off.
void stop_if_asked_to();

// Looks at the clock once in a thousand calls, and asks whether to stop every 20 milliseconds, or less often where asking takes
// long.
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
    std::int64_t next_question_ = 0;   // when, in nanoseconds; 0 before the first look
};

}  // namespace dconvex
