// From a question to its program: cut the small network out, drop what does not matter, order, and write the steps down.

#pragma once

#include "inference/program.hpp"
#include "inference/question.hpp"
#include "inference/table_layout.hpp"

namespace dconvex {

// The program of a question, which is checked first. It is the same whatever was planned before.
Program plan(const std::shared_ptr<const TableLayout>& layout, const Question& question);
// The program that derives a table, whose source must be a cluster; its result has the table's own axes.
Program plan_derivation(const std::shared_ptr<const TableLayout>& layout, Index table);
// The tables that this program loads, found without making it.
Vector<Index> derivation_sources(const TableLayout& layout, Index table);
// The small network of a question.
SmallNetwork small_network(const ClusterIndex& index, const Question& question);

}  // namespace dconvex
