#include "inference/execution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "inference/loops.hpp"

namespace dconvex {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
// Products whose binary logarithm stays above this are safe from becoming zero.
constexpr double safe_floor = -1000.0;
// A table whose largest entry is smaller is scaled, by at most this power of two.
constexpr double small = 0x1p-200;
constexpr std::int64_t most_scaling = 1000;
// Inner loops over more entries are cut, so that Ctrl-C is heard in between.
constexpr Offset most_at_once = Offset{1} << 21;
// A result of this many numbers is written past the caches.
constexpr Offset large_enough_to_stream = Offset{1} << 20;
// A result of this many numbers is written by two threads.
constexpr Offset large_enough_for_two = Offset{1} << 21;
// Several threads help with steps of this many multiplications in runs of that many, so that starting and waking them is little
// of it. A step is done in at most this many parts.
constexpr double large_step = 0x1p18;
constexpr Offset long_run = Offset{1} << 23;
constexpr Offset most_parts = 16;
// A thread keeps a workspace of this many numbers.
constexpr std::size_t most_numbers_kept = std::size_t{1} << 17;

thread_local std::unique_ptr<ExecutionWorkspace> workspace_of_thread;

// Plain or scaled, by the smallest positive entries of all that is loaded; nothing where a table is not there.
bool find_arithmetic(const Program& program, const Tables& tables, const Likelihoods& likelihoods, Arithmetic& found) {
    double total = 0.0;
    for (const Source& leaf : program.leaves) {
        total += leaf.kind == Source::Kind::table ? tables.floor(leaf.number) : likelihoods.floor(leaf.number);
    }
    found = total > safe_floor ? Arithmetic::plain : Arithmetic::scaled;
    return !std::isnan(total);
}

// Where the tables of a step are in its loops.
class Odometer {
public:
    Odometer(const Loop* loops, Offset* rounds) : loops_(loops), rounds_(rounds) {}

    const double *left = nullptr, *right = nullptr;
    double* product = nullptr;

    // One round on in a loop; false after its last round, when all is where it was at first.
    bool advance(Index axis) {
        rounds_[axis] += 1;
        move(axis, 1);
        if (rounds_[axis] < loops_[axis].length) return true;
        move(axis, -loops_[axis].length);
        rounds_[axis] = 0;
        return false;
    }

private:
    void move(Index axis, Offset times) {
        left += loops_[axis].left * times;
        right += loops_[axis].right * times;
        product += loops_[axis].product * times;
    }

    const Loop* loops_;
    Offset* rounds_;
};

}  // namespace

void check_states(const Program& program, Indices states) {
    if (states.size() != program.observed_states.size()) {
        throw std::invalid_argument("there must be a state for each observed variable");
    }
    for (std::size_t k = 0; k < states.size(); ++k) {
        if (states[k] < 0 || states[k] >= program.observed_states[k]) {
            throw std::invalid_argument("an observed variable has no such state");
        }
    }
}

void check_run(const Program& program, const Tables& tables, const Evidence& evidence) {
    if (program.is_too_large) throw std::invalid_argument("the program is too large to run");
    if (program.layout != tables.shared_layout()) throw std::invalid_argument("the program is about other tables");
    check_states(program, evidence.states);
    if (static_cast<std::size_t>(evidence.likelihoods.size()) != program.soft_states.size()) {
        throw std::invalid_argument("there must be a likelihood for each soft variable");
    }
    for (Index k = 0; k < evidence.likelihoods.size(); ++k) {
        if (evidence.likelihoods[k].size() != static_cast<std::size_t>(program.soft_states[k])) {
            throw std::invalid_argument("a likelihood has a number for each state");
        }
    }
}

Runner::Runner(const Program& program, int threads)
    : program_(program),
      threads_(threads),
      workspace_(workspace_of_thread ? std::move(workspace_of_thread) : std::make_unique<ExecutionWorkspace>()) {
    const auto size = static_cast<std::size_t>(program.workspace_size);
    if (workspace_->numbers.size() < size) {
        workspace_->numbers.clear();  // so that nothing is copied
        workspace_->numbers.resize(size);
    }
    workspace_->rounds.assign(program.axes.size() + 2, 0);
}

Runner::~Runner() {
    if (workspace_->numbers.size() <= most_numbers_kept) workspace_of_thread = std::move(workspace_);
}

RunReport Runner::run(const Tables& tables, const Evidence& evidence, std::span<double> result, Finish finish,
                      bool uses_logarithms) {
    Arithmetic arithmetic;
    if (!find_arithmetic(program_, tables, evidence.likelihoods, arithmetic)) return {Status::needs_tables, arithmetic, 0.0};
    if (uses_logarithms) arithmetic = Arithmetic::logarithms;
    Ended ended = run_once(tables, evidence, result, finish, arithmetic);
    if (ended.outcome == Outcome::needs_logarithms) {
        arithmetic = Arithmetic::logarithms;
        ended = run_once(tables, evidence, result, finish, arithmetic);
    }
    return {ended.outcome == Outcome::fine ? Status::fine : Status::impossible, arithmetic, ended.log_sum};
}

Runner::Ended Runner::run_once(const Tables& tables, const Evidence& evidence, std::span<double> result, Finish finish,
                               Arithmetic arithmetic) {
    constexpr Ended impossible{Outcome::impossible, -infinite};
    double* const numbers = workspace_->numbers.data();
    numbers[0] = arithmetic == Arithmetic::logarithms ? 0.0 : 1.0;
    const bool is_scaled = arithmetic == Arithmetic::scaled;
    Vector<std::int64_t>& exponents = workspace_->exponents;
    Vector<double>& floors = workspace_->floors;
    if (is_scaled) {
        exponents.assign(static_cast<std::size_t>(program_.table_count), 0);
        floors.assign(static_cast<std::size_t>(program_.table_count), 0.0);
    }
    double early_sum = 0.0;
    std::int64_t scaled_by = 0;
    const Load* next_load = program_.loads.data();
    for (const Step& step : program_.steps) {
        for (Index k = 0; k < step.loads; ++k, ++next_load) {
            load(*next_load, tables, evidence, arithmetic);
            if (is_scaled && !watch(next_load->table, next_load->at, next_load->size)) return impossible;
        }
        const bool is_last = &step == &program_.steps.back();
        if (is_last && finish == Finish::joint && program_.early_sum.table >= 0 && arithmetic != Arithmetic::logarithms) {
            early_sum = numbers[program_.early_sum.at];
            if (!(early_sum > 0.0)) return impossible;
            if (is_scaled) {  // by what the answer is scaled, not by what the sum is
                const std::int64_t further = exponents[program_.early_sum.table] - exponents[step.left] - exponents[step.right];
                early_sum *= std::ldexp(1.0, static_cast<int>(std::clamp<std::int64_t>(further, -5000, 5000)));
            }
            divide({numbers + step.right_at, static_cast<std::size_t>(step.right_size)}, early_sum);
        }
        double* const products = step.is_output ? result.data() : numbers;
        if (arithmetic == Arithmetic::logarithms) {
            multiply_logarithms(step, products);
            continue;
        }
        if (is_worth_help(step)) {
            multiply_shared(step, products);
        } else {
            multiply(step, products, workspace_->rounds.data(), poll_, {0, 1});
        }
        if (!is_scaled) continue;
        if (floors[step.left] + floors[step.right] < safe_floor) return {Outcome::needs_logarithms, 0.0};
        exponents[step.product] = exponents[step.left] + exponents[step.right];
        if (step.is_output) {
            scaled_by = exponents[step.product];
        } else if (!watch(step.product, step.product_at, step.product_size)) {
            return impossible;
        }
    }
    return finished(result, finish, arithmetic, early_sum, scaled_by);
}

// Adds up the sum of everything, and normalises the results.
Runner::Ended Runner::finished(std::span<double> result, Finish finish, Arithmetic arithmetic, double early_sum,
                               std::int64_t scaled_by) {
    constexpr Ended impossible{Outcome::impossible, -infinite};
    double log_sum = 0.0;
    for (const Scalar& scalar : program_.scalars) {
        const double number = workspace_->numbers[scalar.at];
        if (arithmetic == Arithmetic::logarithms) {
            log_sum += number;
            continue;
        }
        if (!(number > 0.0)) return impossible;
        log_sum += std::log(number);
        if (arithmetic == Arithmetic::scaled) {
            log_sum += static_cast<double>(workspace_->exponents[scalar.table]) * std::numbers::ln2;
        }
    }
    if (log_sum == -infinite) return impossible;
    if (finish == Finish::joint) {
        log_sum += static_cast<double>(scaled_by) * std::numbers::ln2;
        if (early_sum > 0.0) return {Outcome::fine, log_sum + std::log(early_sum)};
        const double log_total = normalize(result, arithmetic);
        return {log_total > -infinite ? Outcome::fine : Outcome::impossible, log_sum + log_total};
    }
    if (finish == Finish::each) {
        for (const Output& output : program_.outputs) {
            const auto part = result.subspan(static_cast<std::size_t>(output.offset), static_cast<std::size_t>(output.size));
            if (normalize(part, arithmetic) == -infinite) return impossible;
        }
    }
    if (finish == Finish::rows) {
        const auto row = static_cast<std::size_t>(program_.states.back());
        for (std::size_t first = 0; first < result.size(); first += row) {
            const std::span<double> part = result.subspan(first, row);
            if (normalize(part, arithmetic) == -infinite) std::fill(part.begin(), part.end(), 1.0 / static_cast<double>(row));
        }
    }
    return {Outcome::fine, log_sum};
}

// Divides by the sum; its logarithm.
double Runner::normalize(std::span<double> numbers, Arithmetic arithmetic) {
    double highest = 0.0;
    if (arithmetic == Arithmetic::logarithms) {
        highest = -infinite;
        for (const double number : numbers) highest = std::max(highest, number);
        if (highest == -infinite) return -infinite;
        for (double& number : numbers) {
            number = std::exp(number - highest);
            poll_(4);
        }
    }
    const double total = sum(numbers);
    if (!(total > 0.0)) return -infinite;
    divide(numbers, total);
    return highest + std::log(total);
}

double Runner::sum(std::span<const double> numbers) {
    double total = 0.0;
    for (std::size_t first = 0; first < numbers.size(); first += most_at_once) {
        const auto count = static_cast<Offset>(std::min<std::size_t>(most_at_once, numbers.size() - first));
        total += loop_set().sum(numbers.data() + first, count);
        poll_(count);
    }
    return total;
}

void Runner::divide(std::span<double> numbers, double divisor) {
    for (std::size_t first = 0; first < numbers.size(); first += most_at_once) {
        const auto count = static_cast<Offset>(std::min<std::size_t>(most_at_once, numbers.size() - first));
        loop_set().divide(numbers.data() + first, count, divisor);
        poll_(count);
    }
}

// Scales a table of small numbers by a power of two and notes its smallest positive entry; whether there is any.
bool Runner::watch(Index table, Offset at, Offset size) {
    double* const numbers = workspace_->numbers.data() + at;
    Range range = loop_set().range(numbers, size);
    poll_(size);
    if (range.largest == 0.0) return false;
    if (range.largest < small) {
        const auto wanted = static_cast<std::int64_t>(-std::floor(std::log2(range.largest)));
        const std::int64_t shift = std::min(wanted, most_scaling);
        const double factor = std::ldexp(1.0, static_cast<int>(shift));
        loop_set().scale(numbers, size, factor);
        range.smallest_positive *= factor;
        workspace_->exponents[table] -= shift;
    }
    workspace_->floors[table] = std::log2(range.smallest_positive);
    return true;
}

// Copies a table in the program's order of axes.
void Runner::load(const Load& load, const Tables& tables, const Evidence& evidence, Arithmetic arithmetic) {
    const double* from = load.source.kind == Source::Kind::table
                             ? tables.values().data() + tables.layout().offsets()[load.source.number]
                             : evidence.likelihoods.data(load.source.number);
    for (Index k = load.first_fixed; k < load.first_fixed + load.fixed_count; ++k) {
        from += evidence.states[program_.fixed[k].observation] * program_.fixed[k].stride;
    }
    double* const to = workspace_->numbers.data() + load.at;
    Offset* const rounds = workspace_->rounds.data();
    if (load.copied_count == 0) {
        *to = *from;
    } else {
        const CopiedAxis* axes = program_.copied.data() + load.first_copied;
        const Index inner = load.copied_count - 1;
        const Offset length = axes[inner].length, stride = axes[inner].stride;
        for (Offset done = 0; done < load.size;) {
            for (Offset k = 0; k < length; ++k) to[done + k] = from[k * stride];
            done += length;
            poll_(length);
            for (Index axis = inner - 1; axis >= 0; --axis) {
                from += axes[axis].stride;
                if (++rounds[axis] < axes[axis].length) break;
                from -= axes[axis].stride * axes[axis].length;
                rounds[axis] = 0;
            }
        }
    }
    if (arithmetic != Arithmetic::logarithms) return;
    for (Offset k = 0; k < load.size; ++k) to[k] = to[k] > 0.0 ? std::log(to[k]) : -infinite;
}

// product[...] = sum of left[...] * right[...] over the axes that the product does not have. A sum of two terms right outside
// the two innermost loops is taken in one go, so that the product is written once.
//
// Of the outermost loop over axes of the product only a part is done.
void Runner::multiply(const Step& step, double* products, Offset* rounds, Poll& poll, Part part_of_all) const {
    const LoopSet& set = loop_set();
    const Loop* loops = program_.loops.data() + step.first_loop;
    Index outer = step.loop_count - 2, summed = step.summed;
    const Loop &second = loops[outer], &inner = loops[outer + 1];
    const bool is_pair = summed > 0 && loops[outer - 1].length == 2 && inner.product == 1;
    if (is_pair) {
        --outer;
        --summed;
    }
    const Loop& pair = loops[outer];  // where there is one
    // Rows of the product begin at multiples of 16 bytes.
    const bool streams = step.is_output && step.product_size >= large_enough_to_stream && summed == 0 &&
                         inner.length % 2 == 0 && step.product_at % 2 == 0;
    InnerLoops both{loops + outer, 0, 0, second, inner.length, inner.left != 0, inner.right != 0, inner.product != 0, streams};
    Offset work = second.length * inner.length;
    const bool is_all = part_of_all.count == 1;
    const Index least = !is_all && outer > summed ? 1 : 0;  // the outermost loop is done in parts
    while (outer > least && both.around_count < InnerLoops::most_around && work * loops[outer - 1].length <= most_at_once) {
        --outer;
        work *= loops[outer].length;
        both.around = loops + outer;
        ++both.around_count;
        if (summed > 0) {
            --summed;
            ++both.summed;
        }
    }
    const auto run = [&](const InnerLoops& part, const double* left, const double* right, double* product, bool is_first,
                         Offset work_of_part) {
        if (is_pair) {
            set.multiply_pairs(part, left, right, pair.left, pair.right, product, is_first);
        } else {
            set.multiply(part, left, right, product, is_first);
        }
        poll(work_of_part);
    };
    Odometer at(loops, rounds);
    at.left = workspace_->numbers.data() + step.left_at;
    at.right = workspace_->numbers.data() + step.right_at;
    at.product = products + step.product_at;
    if (is_all && outer == 0 && work <= most_at_once) {  // most steps
        run(both, at.left, at.right, at.product, true, work);
        return;
    }
    const bool has_outermost = outer > summed;
    const Loop& outermost = has_outermost ? loops[0] : second;
    const Offset first_round = outermost.length * part_of_all.number / part_of_all.count;
    const Offset last_round = outermost.length * (part_of_all.number + 1) / part_of_all.count;
    if (first_round == last_round) return;
    if (!has_outermost) both.outer.length = last_round - first_round;
    at.left += first_round * outermost.left;
    at.right += first_round * outermost.right;
    at.product += first_round * outermost.product;
    Offset rounds_left = last_round - first_round;  // of the outermost loop
    bool is_first = true;
    while (true) {
        const Offset block = both.outer.length * both.length;
        if (block <= most_at_once) {
            run(both, at.left, at.right, at.product, is_first, work);
        } else {
            InnerLoops part = both;
            const Offset rounds_at_once = std::max<Offset>(1, most_at_once / both.length);
            for (Offset round = 0; round < both.outer.length; round += rounds_at_once) {
                part.outer.length = std::min(rounds_at_once, both.outer.length - round);
                const double* left = at.left + round * both.outer.left;
                const double* right = at.right + round * both.outer.right;
                double* product = at.product + round * both.outer.product;
                for (Offset done = 0; done < both.length; done += most_at_once) {
                    part.length = std::min(most_at_once, both.length - done);
                    const bool adds_up = done > 0 && inner.product == 0;  // to the sum of what came before
                    run(part, left + inner.left * done, right + inner.right * done, product + inner.product * done,
                        is_first && !adds_up, part.outer.length * part.length);
                }
            }
        }
        Index axis = outer - 1;
        while (axis > 0 && !at.advance(axis)) --axis;
        if (axis == 0 && has_outermost) {
            if (--rounds_left == 0) return;
            at.left += outermost.left;
            at.right += outermost.right;
            at.product += outermost.product;
        } else if (axis < 0 || (axis == 0 && !at.advance(axis))) {
            return;
        }
        is_first = axis < outer - summed;
    }
}

// The loop of a step that can be done in parts: the outermost over an axis of the product.
const Loop& Runner::split_loop(const Step& step) const {
    const Loop* loops = program_.loops.data() + step.first_loop;
    return loops[step.loop_count - 2 > step.summed ? 0 : step.loop_count - 2];
}

// Whether other threads should help with a step: it takes long, or makes a large result.
bool Runner::is_worth_help(const Step& step) const {
    const Loop& split = split_loop(step);
    if (split.product == 0 || split.length < 2) return false;
    if (step.is_output && step.product_size >= large_enough_for_two) return true;
    if (threads_ < 2 || program_.cost < long_run) return false;
    double work = 1.0;
    for (const Loop& loop : program_.loops.subspan(step.first_loop, step.loop_count)) work *= static_cast<double>(loop.length);
    return work >= large_step;
}

// The same on several threads, in parts of one loop; the bits are the same.
void Runner::multiply_shared(const Step& step, double* products) {
    if (!helpers_) helpers_ = std::make_unique<StepHelpers>(std::max(threads_, 2) - 1, workspace_->rounds.size());
    const Offset parts = std::min(split_loop(step).length, most_parts);
    const auto multiply_part = [&](Offset part, Offset* rounds, Poll& poll) {
        multiply(step, products, rounds, poll, {part, parts});
    };
    helpers_->share(parts, multiply_part, workspace_->rounds.data(), poll_);
}

// The same in logarithms, cell by cell of the product: the maximum, or the logarithm of the sum of exponentials.
void Runner::multiply_logarithms(const Step& step, double* products) {
    const Loop* loops = program_.loops.data() + step.first_loop;
    const Index count = step.loop_count;
    const auto is_summed = [loops](Index axis) { return loops[axis].product == 0; };
    Index innermost = -1;
    for (Index axis = 0; axis < count; ++axis) {
        if (is_summed(axis)) innermost = axis;
    }
    const Loop inner = innermost >= 0 ? loops[innermost] : Loop{1, 0, 0, 0};
    Odometer at(loops, workspace_->rounds.data());
    at.left = workspace_->numbers.data() + step.left_at;
    at.right = workspace_->numbers.data() + step.right_at;
    at.product = products + step.product_at;
    const auto advance = [&](Index below, bool in_sum) {
        for (Index axis = below - 1; axis >= 0; --axis) {
            if (is_summed(axis) == in_sum && at.advance(axis)) return true;
        }
        return false;
    };
    do {
        double highest = -infinite;
        do {
            for (Offset k = 0; k < inner.length; ++k) {
                highest = std::max(highest, at.left[k * inner.left] + at.right[k * inner.right]);
            }
            poll_(inner.length);
        } while (advance(innermost, true));
        if (step.elimination != Elimination::maximum && innermost >= 0 && highest > -infinite) {
            double total = 0.0;
            do {
                for (Offset k = 0; k < inner.length; ++k) {
                    total += std::exp(at.left[k * inner.left] + at.right[k * inner.right] - highest);
                }
                poll_(4 * inner.length);
            } while (advance(innermost, true));
            highest += std::log(total);
        }
        *at.product = highest;
    } while (advance(count, false));
}

}  // namespace dconvex
