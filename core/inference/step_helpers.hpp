// Threads that help with the large steps of one run of a program, and end with it.
//
// The parts of a step are taken from one counter, so that nobody waits for a thread that has not begun; which thread does a
// part makes no difference to its numbers.

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "common/interrupt.hpp"
#include "common/memory.hpp"
#include "common/ragged.hpp"

namespace dconvex {

class StepHelpers {
public:
    // Does one part of a step, with the loop counters and the poll of its thread.
    using PartWork = std::function<void(Offset part, Offset* rounds, Poll& poll)>;

    // Where fewer threads can be had, fewer help. Each has counters for this many loops.
    StepHelpers(int count, std::size_t loops);
    ~StepHelpers();
    StepHelpers(const StepHelpers&) = delete;
    StepHelpers& operator=(const StepHelpers&) = delete;

    // Does all parts of a step, together with the caller, whose counters and poll these are. The first error is thrown once
    // nobody works on the step any more.
    void share(Offset parts, const PartWork& work, Offset* rounds, Poll& poll);

private:
    void help(std::size_t loops);
    void take_parts(const PartWork& work, Offset* rounds, Poll& poll);
    void close();

    Cancellation task_;
    std::mutex mutex_;
    std::condition_variable has_step_, has_ended_;
    const PartWork* work_ = nullptr;  // of the step that is open
    Offset parts_ = 0;
    std::atomic<Offset> next_{0};
    std::int64_t step_ = 0;  // how many there were
    int helping_ = 0;
    bool is_over_ = false;
    std::exception_ptr failure_;
    Vector<std::thread> threads_;
};

}  // namespace dconvex
