#include "common/interrupt.hpp"

#include <algorithm>
#include <chrono>

namespace dconvex {
namespace {

std::atomic<InterruptCheck> interrupt_check{nullptr};
thread_local const Cancellation* task_of_thread = nullptr;

// Nanoseconds between two questions. Next to a busy Python thread the answer takes five milliseconds.
constexpr std::int64_t least_wait = 20'000'000, most_wait = 100'000'000, waits_for_answer = 20;

std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void set_interrupt_check(InterruptCheck check) noexcept { interrupt_check.store(check); }

void set_current_task(const Cancellation* task) noexcept { task_of_thread = task; }

const Cancellation* current_task() noexcept { return task_of_thread; }

void stop_if_asked_to() {
    if (task_of_thread) {
        if (task_of_thread->is_cancelled()) throw Interrupted{};
        return;
    }
    const InterruptCheck check = interrupt_check.load();
    if (check && check()) throw Interrupted{};
}

void Poll::look() {
    counted_before_ += between_looks - left_;
    left_ = between_looks;
    if (task_of_thread) return stop_if_asked_to();
    const std::int64_t time = now();
    if (next_question_ == 0) next_question_ = time + least_wait;  // short work never asks
    if (time < next_question_) return;
    stop_if_asked_to();
    const std::int64_t answered = now();
    next_question_ = answered + std::clamp((answered - time) * waits_for_answer, least_wait, most_wait);
}

}  // namespace dconvex
