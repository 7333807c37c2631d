// Calls of the core without the lock of the interpreter; long ones on a thread of their own, while the caller listens to
// Ctrl-C.
//
// Python runs the handlers of signals in its main thread, which has to hold the lock for that. Next to a busy Python thread
// each look takes five milliseconds, a fifth of the time between two of them. A caller that only waits loses nothing by it.

#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex::python {

// Work of more steps, each of about a nanosecond, is long: ten milliseconds, two hundred times what starting a thread takes.
constexpr double long_work = 1e7;

// Asks Python whether a signal has come; the exception that its handler raises stays with the thread until `Interrupted`
// reaches Python. Only the main thread ever gets one.
bool has_signal();

// Does the work on a thread of its own and waits for it; throws what it throws, and `Interrupted` where a signal has come,
// after the thread has ended. Where no thread can be had, this one does the work. The caller must not hold the lock.
void do_watched(const std::function<void()>& work);

// What the work gives, done without the lock. The caller of a task that others can call off is watched already.
template <class Work>
auto released(double steps, Work work) -> decltype(work()) {
    nanobind::gil_scoped_release release;
    if (steps < long_work || current_task()) return work();
    std::optional<decltype(work())> found;
    do_watched([&] { found.emplace(work()); });
    return std::move(*found);
}

// The same for work that is short, or whose length is not known.
template <class Work>
auto released(Work work) -> decltype(work()) {
    return released(0.0, std::move(work));
}

}  // namespace dconvex::python
