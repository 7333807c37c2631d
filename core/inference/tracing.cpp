#include "inference/tracing.hpp"

#include <algorithm>
#include <cmath>

#include "common/interrupt.hpp"
#include "common/memory.hpp"

namespace dconvex {
namespace {

// An axis of the two factors of a step, and how far each factor moves on along it.
struct StepAxis {
    Index axis;
    Offset states, left, right;
};

// The axes of a step that its product has, and those that were eliminated.
struct StepAxes {
    Vector<StepAxis> fixed, eliminated;
};

void find_axes(const Program& program, const Step& step, StepAxes& found) {
    const Vector<Index> left = program.scope(step.left), right = program.scope(step.right),
                        product = program.scope(step.product);
    std::size_t a = left.size(), b = right.size(), c = product.size();
    Offset left_stride = 1, right_stride = 1;
    found.fixed.clear();
    found.eliminated.clear();
    while (a || b) {
        const Index axis = std::max(a ? left[a - 1] : -1, b ? right[b - 1] : -1);
        const bool in_left = a && left[a - 1] == axis, in_right = b && right[b - 1] == axis;
        while (c && product[c - 1] > axis) --c;
        const bool in_product = c && product[c - 1] == axis;
        const Offset states = program.states[axis];
        (in_product ? found.fixed : found.eliminated)
            .push_back({axis, states, in_left ? left_stride : 0, in_right ? right_stride : 0});
        if (in_left) --a, left_stride *= states;
        if (in_right) --b, right_stride *= states;
    }
}

// A number in [0, 1) from a counter (SplitMix64).
double uniform(std::uint64_t number) noexcept {
    std::uint64_t mixed = number * 0x9E3779B97F4A7C15ULL;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
    mixed = mixed ^ (mixed >> 31);
    return static_cast<double>(mixed >> 11) * 0x1p-53;
}

// A cell at random by weight, never one of weight zero.
std::size_t drawn(Vector<double>& weights, bool are_logarithms, double share) {
    if (are_logarithms) {
        const double highest = *std::max_element(weights.begin(), weights.end());
        for (double& weight : weights) weight = std::exp(weight - highest);
    }
    double total = 0.0;
    for (const double weight : weights) total += weight;
    double left = share * total;
    std::size_t chosen = 0;
    for (std::size_t cell = 0; cell < weights.size(); ++cell) {
        if (!(weights[cell] > 0.0)) continue;
        chosen = cell;
        left -= weights[cell];
        if (left < 0.0) break;
    }
    return chosen;
}

class Tracer {
public:
    Tracer(const double* numbers, bool are_logarithms, bool is_random)
        : numbers_(numbers), are_logarithms_(are_logarithms), is_random_(is_random) {}

    // Chooses the states of the axes that a step eliminated, given those of its product, in each row, which has its own
    // counter.
    void choose(const Program& program, const Step& step, std::uint64_t counter, Offset rows, std::span<Index> states) {
        find_axes(program, step, axes_);
        if (axes_.eliminated.empty()) return;
        std::size_t cells = 1;
        for (const StepAxis& axis : axes_.eliminated) cells *= static_cast<std::size_t>(axis.states);
        weights_.resize(cells);
        const std::size_t width = program.axes.size();
        for (Offset row = 0; row < rows; ++row) {
            const std::span<Index> own = states.subspan(static_cast<std::size_t>(row) * width, width);
            weigh(step, own);
            const std::size_t cell =
                is_random_ ? drawn(weights_, are_logarithms_, uniform(counter + static_cast<std::uint64_t>(row)))
                           : static_cast<std::size_t>(std::max_element(weights_.begin(), weights_.end()) - weights_.begin());
            set_states(static_cast<Offset>(cell), own);
            poll_(static_cast<std::int64_t>(4 * cells + axes_.fixed.size()));
        }
    }

private:
    // The product of the two factors in each joint state of the eliminated axes, the last one fastest.
    void weigh(const Step& step, std::span<const Index> states) {
        const double *left = numbers_ + step.left_at, *right = numbers_ + step.right_at;
        for (const StepAxis& axis : axes_.fixed) {
            left += states[axis.axis] * axis.left;
            right += states[axis.axis] * axis.right;
        }
        rounds_.assign(axes_.eliminated.size(), 0);
        for (double& weight : weights_) {
            weight = are_logarithms_ ? *left + *right : *left * *right;
            for (std::size_t k = axes_.eliminated.size(); k-- > 0;) {
                const StepAxis& axis = axes_.eliminated[k];
                left += axis.left;
                right += axis.right;
                if (++rounds_[k] < axis.states) break;
                left -= axis.left * axis.states;
                right -= axis.right * axis.states;
                rounds_[k] = 0;
            }
        }
    }

    void set_states(Offset cell, std::span<Index> states) const {
        for (std::size_t k = axes_.eliminated.size(); k-- > 0;) {
            const StepAxis& axis = axes_.eliminated[k];
            states[axis.axis] = static_cast<Index>(cell % axis.states);
            cell /= axis.states;
        }
    }

    const double* numbers_;
    bool are_logarithms_, is_random_;
    StepAxes axes_;
    Vector<double> weights_;
    Vector<Offset> rounds_;
    Poll poll_;
};

}  // namespace

void trace(const Program& program, const double* numbers, bool are_logarithms, Seed seed, Offset rows,
           std::span<Index> states) {
    // in blocks: memory that is touched for the first time takes so long that Ctrl-C would not be heard
    constexpr std::size_t block_size = std::size_t{1} << 20;
    Poll poll;
    for (std::size_t first = 0; first < states.size(); first += block_size) {
        const std::span<Index> block = states.subspan(first, std::min(block_size, states.size() - first));
        std::fill(block.begin(), block.end(), 0);
        poll(static_cast<std::int64_t>(block.size()));
    }
    Tracer tracer(numbers, are_logarithms, seed.has_value());
    // Loads and steps are numbered together, in the order in which they are done; each has its own counters.
    std::uint64_t number = program.loads.size() + program.steps.size();
    for (std::size_t k = program.steps.size(); k-- > 0;) {
        const Step& step = program.steps[k];
        --number;
        tracer.choose(program, step, seed.value_or(0) + number * static_cast<std::uint64_t>(rows), rows, states);
        number -= static_cast<std::uint64_t>(step.loads);
    }
}

}  // namespace dconvex
