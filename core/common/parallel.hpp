// Work that is spread over threads for the time of one call.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "common/interrupt.hpp"
#include "common/memory.hpp"

namespace dconvex {

// Calls work(thread, item) once for each item, in any order; threads are numbered from 0, the caller's. Where no thread can be
// had, the caller does it all. The first error stops the others and is thrown.
template <class Work>
void in_parallel(int threads, std::int64_t items, Work&& work) {
    std::atomic<std::int64_t> next{0};
    const auto run = [&](int thread) {
        for (std::int64_t item = next++; item < items; item = next++) work(thread, item);
    };
    if (threads <= 1 || items <= 1) return run(0);
    Cancellation task(current_task());
    std::exception_ptr failure;
    std::mutex mutex;
    std::condition_variable has_ended;
    int running = 0;
    Vector<std::thread> others;
    const auto run_other = [&](int thread) {
        set_current_task(&task);
        std::exception_ptr own;
        try {
            run(thread);
        } catch (...) {
            own = std::current_exception();
            next = items;
        }
        const std::lock_guard lock(mutex);
        if (own && !failure) failure = own;
        --running;
        has_ended.notify_one();
    };
    const auto start = [&](int thread) {
        const std::lock_guard lock(mutex);
        others.emplace_back(run_other, thread);
        ++running;
    };
    const auto join = [&] {
        for (std::thread& other : others) other.join();
    };
    try {
        for (int thread = 1; thread < threads; ++thread) start(thread);
    } catch (const std::system_error&) {  // fewer will do
    }
    try {
        run(0);
        std::unique_lock lock(mutex);
        const auto are_done = [&] { return running == 0; };
        while (!has_ended.wait_for(lock, std::chrono::milliseconds(20), are_done)) {
            lock.unlock();
            stop_if_asked_to();
            lock.lock();
        }
    } catch (...) {
        next = items;
        task.cancel();
        join();
        throw;
    }
    join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace dconvex
