#include "inference/step_helpers.hpp"

#include <system_error>
#include <utility>

namespace dconvex {

StepHelpers::StepHelpers(int count, std::size_t loops) : task_(current_task()) {
    threads_.reserve(static_cast<std::size_t>(count));
    try {
        for (int thread = 0; thread < count; ++thread) threads_.emplace_back([this, loops] { help(loops); });
    } catch (const std::system_error&) {  // fewer will do
    }
}

StepHelpers::~StepHelpers() {
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    has_step_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void StepHelpers::share(Offset parts, const PartWork& work, Offset* rounds, Poll& poll) {
    {
        const std::lock_guard lock(mutex_);
        work_ = &work;
        parts_ = parts;
        next_ = 0;
        ++step_;
    }
    has_step_.notify_all();
    try {
        take_parts(work, rounds, poll);
    } catch (...) {
        task_.cancel();
        close();
        throw;
    }
    close();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

// Lets nobody begin with the step any more, and waits for those who have.
void StepHelpers::close() {
    std::unique_lock lock(mutex_);
    work_ = nullptr;
    next_ = parts_;
    has_ended_.wait(lock, [this] { return helping_ == 0; });
}

void StepHelpers::take_parts(const PartWork& work, Offset* rounds, Poll& poll) {
    for (Offset part = next_++; part < parts_; part = next_++) work(part, rounds, poll);
}

void StepHelpers::help(std::size_t loops) {
    set_current_task(&task_);
    Poll poll;
    Vector<Offset> rounds;
    std::int64_t last = 0;
    std::unique_lock lock(mutex_);
    while (true) {
        has_step_.wait(lock, [&] { return is_over_ || (work_ && step_ != last); });
        if (is_over_) return;
        last = step_;
        const PartWork& work = *work_;  // it lasts until nobody helps; `work_` may go before
        ++helping_;
        lock.unlock();
        std::exception_ptr failure;
        try {
            rounds.resize(loops, 0);
            take_parts(work, rounds.data(), poll);
        } catch (...) {
            failure = std::current_exception();
            next_ = parts_;
        }
        lock.lock();
        if (failure && !failure_) failure_ = failure;
        if (--helping_ == 0) has_ended_.notify_one();
    }
}

}  // namespace dconvex
