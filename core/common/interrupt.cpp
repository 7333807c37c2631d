#include "common/interrupt.hpp"

#include <chrono>

namespace dconvex {
namespace {

std::atomic<InterruptCheck> interrupt_check{nullptr};
thread_local const Cancellation* task_of_thread = nullptr;

constexpr std::int64_t nanoseconds_between_questions = 20'000'000;

std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void set_interrupt_check(InterruptCheck check) noexcept { interrupt_check.store(check); }

void set_current_task(const Cancellation* task) noexcept { task_of_thread = task; }

const Cancellation* current_task() noexcept { return task_of_thread; }

void Poll::look() {
    counted_before_ += between_looks - left_;
    left_ = between_looks;
    if (task_of_thread && task_of_thread->is_cancelled()) throw Interrupted{};
    const std::int64_t time = now();
    if (last_asked_ == 0) last_asked_ = time;  // short work never asks
    if (time - last_asked_ < nanoseconds_between_questions) return;
    last_asked_ = time;
    const InterruptCheck check = interrupt_check.load();
    if (check && check()) throw Interrupted{};
}

}  // namespace dconvex
