// The numbers by which planning decides, for questions of any size.

#pragma once

#include <cstdint>

namespace dconvex {

// Above this many entries an answer is normalised before its last multiplication, not after. What that takes is not counted, as
// the division of a small answer is not.
constexpr double large_result = 500;
// Above this many multiplications, the writing of the answer left out, every rule of ordering is tried.
constexpr double worth_another_try = 10'000;
// Above this many, orders with noise are tried as well: at most `most_tries`, until they have taken `share_for_tries` units of
// work for each multiplication that might be saved, or `most_work_for_tries` units; a unit is about two nanoseconds. To
// eliminate a variable takes `work_of_a_step` units, apart from the lists that are walked. Where `hopeless` multiplications are
// left after `work_without_hope` units, that is all.
constexpr double worth_many_tries = 2e7;
constexpr double share_for_tries = 0.04, most_work_for_tries = 5e8;
constexpr double hopeless = 1e14, work_without_hope = 1e7;
constexpr int most_tries = 10'000;
constexpr std::int64_t work_of_a_step = 500;
// Above this many, ties are broken both ways.
constexpr double worth_other_ties = 5'000;
// The innermost loop over a large answer should have `long_end` rounds; with `long_enough` it is left alone. What is written
// to make it longer should be `sparing` times smaller than the answer.
constexpr double long_end = 64, long_enough = 32, sparing = 8;

}  // namespace dconvex
