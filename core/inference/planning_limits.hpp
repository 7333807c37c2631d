// The numbers by which planning decides, for questions of any size.

#pragma once

namespace dconvex {

// Above this many entries an answer is normalised before its last multiplication, not after. What that takes is not counted, as
// the division of a small answer is not.
constexpr double large_result = 500;
// Above this many multiplications, the writing of the answer left out, every rule of ordering is tried.
constexpr double worth_another_try = 10'000;
// Above this many, ties are broken both ways.
constexpr double worth_other_ties = 5'000;
// The innermost loop over a large answer should have `long_end` rounds; with `long_enough` it is left alone. What is written
// to make it longer should be `sparing` times smaller than the answer.
constexpr double long_end = 64, long_enough = 32, sparing = 8;

}  // namespace dconvex
