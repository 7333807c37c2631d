// Back through the steps of a program: the states of what was eliminated, by the largest weight or at random.

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "inference/program.hpp"

namespace dconvex {

// How states are chosen: those of the largest weight, or at random by weight, from a counter that begins at this seed.
using Seed = std::optional<std::uint64_t>;

// Goes back through a program that was run and kept all its tables, which `numbers` has, as logarithms or not. `states` gets a
// row with the state of each axis for each of `rows` samples.
void trace(const Program& program, const double* numbers, bool are_logarithms, Seed seed, Offset rows, std::span<Index> states);

}  // namespace dconvex
