// Running a program: loading tables and multiplying them, in plain numbers, with scaling, or in logarithms.
//
// Plain numbers are taken where the product of the smallest positive entries of all tables stays far above the smallest float,
// so that nothing that is positive can become zero. Otherwise every table is scaled by a power of two, which is exact, and the
// smallest positive entries are watched; where even that could lose one, logarithms are taken.

#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "common/interrupt.hpp"
#include "common/memory.hpp"
#include "inference/program.hpp"
#include "inference/step_helpers.hpp"
#include "inference/tables.hpp"

namespace dconvex {

enum class Status : std::uint8_t {
    fine,
    impossible,    // the evidence has probability zero
    needs_tables,  // a table that the program loads is not there
};

enum class Arithmetic : std::uint8_t { plain, scaled, logarithms };

struct RunReport {
    Status status;
    Arithmetic arithmetic;
    double log_sum;  // the natural logarithm of the sum of the result, -inf where the evidence is impossible
};

// The evidence of one row: the state of each observed variable, and the likelihoods, in the order of the question.
struct Evidence {
    Indices states;
    const Likelihoods& likelihoods;
};

// Throws std::invalid_argument unless the tables are laid out as the program's, and the evidence fits its question.
void check_run(const Program& program, const Tables& tables, const Evidence& evidence);
void check_states(const Program& program, Indices states);

// What a run works in. What was in it before does not matter.
struct ExecutionWorkspace {
    Vector<double> numbers;
    Vector<Offset> rounds;  // of each loop; zero between steps
    Vector<std::int64_t> exponents;
    Vector<double> floors;
};

// Runs a program; arguments must be checked. Its workspace is this thread's own, unless that would be large.
class Runner {
public:
    // At most this many threads work on large steps; two on those of a large result in any case. The bits are the same.
    explicit Runner(const Program& program, int threads = 1);
    ~Runner();
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    // `result` has the program's `result_size`. In logarithms a result that is not normalised stays logarithmic.
    RunReport run(const Tables& tables, const Evidence& evidence, std::span<double> result) {
        return run(tables, evidence, result, program_.finish, false);
    }
    RunReport run(const Tables& tables, const Evidence& evidence, std::span<double> result, Finish finish,
                  bool uses_logarithms);

    // All tables of the last run, where the program keeps them.
    const double* numbers() const noexcept { return workspace_->numbers.data(); }

private:
    enum class Outcome : std::uint8_t { fine, impossible, needs_logarithms };
    struct Ended {
        Outcome outcome;
        double log_sum;
    };

    Ended run_once(const Tables& tables, const Evidence& evidence, std::span<double> result, Finish finish,
                   Arithmetic arithmetic);
    Ended finished(std::span<double> result, Finish finish, Arithmetic arithmetic, double early_sum, std::int64_t scaled_by);
    void load(const Load& load, const Tables& tables, const Evidence& evidence, Arithmetic arithmetic);
    // One of several parts of a loop.
    struct Part {
        Offset number, count;
    };
    void multiply(const Step& step, double* products, Offset* rounds, Poll& poll, Part part_of_all) const;
    const Loop& split_loop(const Step& step) const;
    bool is_worth_help(const Step& step) const;
    void multiply_shared(const Step& step, double* products);
    void multiply_logarithms(const Step& step, double* products);
    bool watch(Index table, Offset at, Offset size);
    double normalize(std::span<double> numbers, Arithmetic arithmetic);
    double sum(std::span<const double> numbers);
    void divide(std::span<double> numbers, double divisor);

    const Program& program_;
    const int threads_;
    std::unique_ptr<ExecutionWorkspace> workspace_;
    Poll poll_;
    std::unique_ptr<StepHelpers> helpers_;  // from the first step that is shared
};

}  // namespace dconvex
