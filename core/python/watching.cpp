#include "python/watching.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace dconvex::python {
namespace {

constexpr std::chrono::milliseconds between_looks{20};

// Work on a thread of its own. Whoever lets go of it before it has ended calls it off, and waits for the thread.
class WatchedWork {
public:
    explicit WatchedWork(const std::function<void()>& work) : thread_([this, &work] { run(work); }) {}

    ~WatchedWork() {
        task_.cancel();
        thread_.join();
    }

    // Waits for a moment; whether the work has ended.
    bool has_ended() {
        std::unique_lock lock(mutex_);
        return ended_.wait_for(lock, between_looks, [this] { return has_ended_; });
    }

    // After the work has ended.
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    void run(const std::function<void()>& work) {
        set_current_task(&task_);
        try {
            work();
        } catch (...) {
            failure_ = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
        ended_.notify_one();
    }

    Cancellation task_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool has_ended_ = false;
    std::exception_ptr failure_;
    std::thread thread_;  // the last one: it uses all others
};

}  // namespace

bool has_signal() {
    const nanobind::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
}

void do_watched(const std::function<void()>& work) {
    std::optional<WatchedWork> watched;
    try {
        watched.emplace(work);
    } catch (const std::system_error&) {  // no thread
        return work();
    }
    while (!watched->has_ended()) {
        if (has_signal()) throw Interrupted{};
    }
    watched->rethrow();
}

}  // namespace dconvex::python
