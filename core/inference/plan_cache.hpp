// The plans of questions that were asked before, as many as fit; the oldest goes first.

#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>

#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "common/shared_piece.hpp"
#include "inference/program.hpp"

namespace dconvex {

// What is kept of a question. A binding may keep more, in a class of its own.
struct KeptPlan {
    KeptPlan(Indices key_of_question, Program program_of_question, bool can_be_run);

    Indices key() const noexcept { return {reinterpret_cast<const Index*>(key_.data()), key_size_}; }

    Program program;
    bool is_usable;  // otherwise only what is known about it is kept: that another way has to be found

private:
    SharedPiece key_;
    std::size_t key_size_;
};

// Plans by a key, which is a list of numbers. For one thread at a time.
class PlanCache {
public:
    static constexpr std::size_t most_plans = 4096;
    static constexpr std::int64_t most_bytes = std::int64_t{1} << 28;

    // The plan with this key, or null.
    std::shared_ptr<const KeptPlan> find(Indices key) const;
    void keep(std::shared_ptr<const KeptPlan> plan);
    std::size_t size() const noexcept { return by_key_.size(); }

private:
    // A key knows its hash, so that the memory of other keys is not looked at.
    struct Key {
        explicit Key(Indices own);

        Indices numbers;
        std::size_t hash;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const noexcept { return key.hash; }
    };
    struct Equal {
        bool operator()(const Key& one, const Key& other) const noexcept;
    };
    using Plan = std::shared_ptr<const KeptPlan>;

    std::unordered_map<Key, Plan, Hash, Equal, CountedAllocator<std::pair<const Key, Plan>>> by_key_;
    std::deque<Plan, CountedAllocator<Plan>> by_age_;
    std::int64_t bytes_ = 0;
};

// A cache that one thread at a time borrows. Who finds it borrowed works without it: nobody waits, and a forked process never
// waits for a thread that it does not have.
class SharedPlanCache {
public:
    SharedPlanCache() = default;
    ~SharedPlanCache() { delete cache_.load(); }
    SharedPlanCache(const SharedPlanCache&) = delete;
    SharedPlanCache& operator=(const SharedPlanCache&) = delete;

    std::shared_ptr<const KeptPlan> find(Indices key);
    void keep(std::shared_ptr<const KeptPlan> plan);
    std::size_t size();

private:
    std::atomic<PlanCache*> cache_{nullptr};
};

}  // namespace dconvex
