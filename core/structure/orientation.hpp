// The directions of edges: what is known of them, colliders, and what follows from both (Meek 1995).

#pragma once

#include "graph/equivalence.hpp"
#include "structure/skeleton.hpp"

namespace dconvex {

// The edges of a skeleton with all directions that the constraints and the tests give. A triple of two variables that are not
// adjacent and a common neighbour is a collider if most of the smallest sets that separate the two are without the neighbour.
// An arrow that most triples want the other way around, or that closes a cycle, is left out.
Pdag oriented(Skeleton& skeleton, const EdgeConstraints& constraints);

}  // namespace dconvex
