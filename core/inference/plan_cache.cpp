#include "inference/plan_cache.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dconvex {

KeptPlan::KeptPlan(Indices key_of_question, Program program_of_question, bool can_be_run)
    : program(std::move(program_of_question)),
      is_usable(can_be_run),
      key_(key_of_question.size_bytes()),
      key_size_(key_of_question.size()) {
    if (!key_of_question.empty()) std::memcpy(key_.data(), key_of_question.data(), key_of_question.size_bytes());
}

PlanCache::Key::Key(Indices own) : numbers(own) {
    std::uint64_t found = 14695981039346656037ULL;  // FNV-1a, by numbers rather than by bytes
    for (const Index number : own) found = (found ^ static_cast<std::uint32_t>(number)) * 1099511628211ULL;
    hash = static_cast<std::size_t>(found ^ (found >> 32));
}

bool PlanCache::Equal::operator()(const Key& one, const Key& other) const noexcept {
    return one.hash == other.hash && one.numbers.size() == other.numbers.size() &&
           std::equal(one.numbers.begin(), one.numbers.end(), other.numbers.begin());
}

std::shared_ptr<const KeptPlan> PlanCache::find(Indices key) const {
    const auto found = by_key_.find(Key(key));
    return found == by_key_.end() ? nullptr : found->second;
}

void PlanCache::keep(Plan plan) {
    const auto bytes_of = [](const KeptPlan& own) {
        return own.program.own_bytes() + static_cast<std::int64_t>(own.key().size_bytes());
    };
    if (!by_key_.try_emplace(Key(plan->key()), plan).second) return;  // another thread was first
    bytes_ += bytes_of(*plan);
    by_age_.push_back(std::move(plan));
    while (by_age_.size() > most_plans || (bytes_ > most_bytes && by_age_.size() > 1)) {
        const Plan oldest = std::move(by_age_.front());
        by_age_.pop_front();
        bytes_ -= bytes_of(*oldest);
        by_key_.erase(Key(oldest->key()));
    }
}

std::shared_ptr<const KeptPlan> SharedPlanCache::find(Indices key) {
    PlanCache* const cache = cache_.exchange(nullptr);
    if (!cache) return nullptr;
    std::shared_ptr<const KeptPlan> found = cache->find(key);
    delete cache_.exchange(cache);
    return found;
}

void SharedPlanCache::keep(std::shared_ptr<const KeptPlan> plan) {
    std::unique_ptr<PlanCache> cache(cache_.exchange(nullptr));
    if (!cache) cache = std::make_unique<PlanCache>();
    cache->keep(std::move(plan));
    delete cache_.exchange(cache.release());
}

std::size_t SharedPlanCache::size() {
    PlanCache* const cache = cache_.exchange(nullptr);
    if (!cache) return 0;
    const std::size_t found = cache->size();
    delete cache_.exchange(cache);
    return found;
}

}  // namespace dconvex
