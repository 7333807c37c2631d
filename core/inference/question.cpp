#include "inference/question.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace dconvex {
namespace {

// The variables in ascending order, each in range and none twice.
Vector<Index> checked(const Vector<Index>& variables, Index count, bool may_repeat = false) {
    Vector<Index> sorted = variables;
    std::sort(sorted.begin(), sorted.end());
    if (!sorted.empty() && (sorted.front() < 0 || sorted.back() >= count)) {
        throw std::invalid_argument("a question names a variable that there is not");
    }
    if (!may_repeat && std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
        throw std::invalid_argument("a question names a variable twice");
    }
    return sorted;
}

bool are_disjoint(const Vector<Index>& one, const Vector<Index>& other) {
    auto a = one.begin(), b = other.begin();
    while (a != one.end() && b != other.end()) {
        if (*a == *b) return false;
        *a < *b ? ++a : ++b;
    }
    return true;
}

}  // namespace

void check_question(const Question& question, Index variables) {
    const Vector<Index> targets = checked(question.targets, variables), observed = checked(question.observed, variables);
    const Vector<Index> soft = checked(question.soft, variables), maximized = checked(question.map_variables, variables);
    checked(question.context, variables, true);
    if (!are_disjoint(observed, targets) || !are_disjoint(observed, soft)) {
        throw std::invalid_argument("an observed variable is neither a target nor has a likelihood");
    }
    if (maximized.empty()) return;
    if (question.ending != Ending::trace || !std::includes(targets.begin(), targets.end(), maximized.begin(), maximized.end())) {
        throw std::invalid_argument("map_variables are targets of a trace");
    }
}

}  // namespace dconvex
