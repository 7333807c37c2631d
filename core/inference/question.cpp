#include "inference/question.hpp"

#include <stdexcept>

namespace dconvex {
namespace {

// What a variable is named as, one bit each; the marks of a walk hold them.
enum Named : Index { as_target = 1, as_observed = 2, as_soft = 4, as_map_variable = 8, as_sliced = 16 };

// Notes that these variables are named as something.
void name(const Vector<Index>& variables, Named what, IndexMarks& marks) {
    for (const Index variable : variables) {
        if (variable < 0 || static_cast<std::size_t>(variable) >= marks.variable.size()) {
            throw std::invalid_argument("a question names a variable that there is not");
        }
        if (marks.variable[variable] != marks.stamp) {
            marks.variable[variable] = marks.stamp;
            marks.local[variable] = 0;
        }
        Index& named = marks.local[variable];
        if (named & what) throw std::invalid_argument("a question names a variable twice");
        named |= what;
        if ((named & as_observed) && named != as_observed) {
            throw std::invalid_argument("an observed variable is neither a target nor has a likelihood");
        }
        if (what == as_sliced && (named & (as_observed | as_soft))) {
            throw std::invalid_argument("a sliced variable is neither observed nor has a likelihood");
        }
        if (what == as_map_variable && !(named & as_target)) {
            throw std::invalid_argument("map_variables are targets of a trace");
        }
    }
}

}  // namespace

void check_question(const Question& question, IndexMarks& marks) {
    ++marks.stamp;
    name(question.targets, as_target, marks);
    name(question.observed, as_observed, marks);
    name(question.soft, as_soft, marks);
    name(question.map_variables, as_map_variable, marks);
    name(question.sliced, as_sliced, marks);
    if (question.ending == Ending::answer) {
        for (const Index variable : question.sliced) {
            if (marks.local[variable] & as_target) throw std::invalid_argument("a sliced variable is no axis of the answer");
        }
    }
    for (const Index variable : question.context) {
        if (variable < 0 || static_cast<std::size_t>(variable) >= marks.variable.size()) {
            throw std::invalid_argument("a question names a variable that there is not");
        }
    }
    if (!question.map_variables.empty() && question.ending != Ending::trace) {
        throw std::invalid_argument("map_variables are targets of a trace");
    }
}

}  // namespace dconvex
