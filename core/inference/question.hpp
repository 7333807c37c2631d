// A question about a network, by the numbers of its variables; it says nothing about states or numbers.

#pragma once

#include <cstdint>

#include "clusters/cluster_index.hpp"
#include "common/memory.hpp"
#include "common/ragged.hpp"

namespace dconvex {

// What a program ends in.
enum class Ending : std::uint8_t {
    answer,     // one table over all targets
    marginals,  // a table for each target
    trace,      // every table on the way, to be traced back
};

// Where a question is answered: in the clusters that it keeps, or among its ancestors in the whole network.
enum class NetworkPart : std::uint8_t { pruned, whole };

struct Question {
    static constexpr std::int64_t no_limit = std::int64_t{1} << 48;  // more bytes than a process can address

    Vector<Index> targets;
    Vector<Index> observed;       // variables whose state is known
    Vector<Index> soft;           // variables with a likelihood
    Vector<Index> map_variables;  // targets that are maximised, after everything else is summed out
    Vector<Index> context;        // variables whose clusters are kept though nothing is asked of them
    // Variables whose state is fixed in each run, after the observed ones, though they are not observed: the sum over all of
    // their states is the answer. They have no likelihood and are no axes of the answer.
    Vector<Index> sliced;
    NetworkPart network = NetworkPart::pruned;
    bool coherent = false;          // all clusters agree, so evidence that does not matter may be left out
    bool shows_impossible = false;  // observed variables with observed parents are looked up though they do not matter
    Ending ending = Ending::answer;
    std::int64_t max_bytes = no_limit;

    bool operator==(const Question&) const = default;
};

// Throws std::invalid_argument where there is no such variable, where one is named twice or is both observed and something
// else, or where map_variables are no targets of a trace.
void check_question(const Question& question, IndexMarks& marks);

}  // namespace dconvex
