#include "learning/expected_tables.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"
#include "common/parallel.hpp"

namespace dconvex {
namespace {

constexpr Offset rows_at_once = 4096;
constexpr std::int64_t way_work = 10'000;

}  // namespace

ExpectedTables::ExpectedTables(std::shared_ptr<const Graph> graph, Vector<Index> states, Vector<double> values,
                               double most_bytes, int threads)
    : graph_(std::move(graph)),
      layout_(*graph_, std::move(states)),
      values_(std::move(values)),
      most_bytes_(most_bytes),
      kinds_with_(static_cast<std::size_t>(layout_.size())),
      scratches_(static_cast<std::size_t>(std::max(threads, 1))) {
    if (static_cast<Offset>(values_.size()) != layout_.cells()) throw std::invalid_argument("a table's numbers are missing");
}

void ExpectedTables::set_rows(std::span<const std::int8_t> codes, std::span<const double> weights) {
    set_codes(codes, weights, narrow_);
}

void ExpectedTables::set_rows(std::span<const std::int32_t> codes, std::span<const double> weights) {
    set_codes(codes, weights, wide_);
}

template <class Code>
void ExpectedTables::set_codes(std::span<const Code> codes, std::span<const double> weights, Vector<Code>& own) {
    rows_ = static_cast<Offset>(weights.size());
    if (static_cast<Offset>(codes.size()) != rows_ * size()) throw std::invalid_argument("there must be a code for each cell");
    own.assign(codes.begin(), codes.end());
    weights_.assign(weights.begin(), weights.end());
    for (Index variable = 0; variable < size(); ++variable) {
        const Code* line = own.data() + variable * rows_;
        const Index states = layout_.states(variable);
        if (std::any_of(line, line + rows_, [states](Code code) { return static_cast<Index>(code) >= states; })) {
            throw std::invalid_argument("a state is none of its variable's");
        }
    }
    find_components(own.data());
}

template <class Code>
void ExpectedTables::find_components(const Code* codes) {
    RowComponents row(*graph_);
    Vector<Index>& own = row.codes();
    Vector<Offset> bases;
    Poll poll;
    row_start_.assign(1, 0);
    for (Offset number = 0; number < rows_; ++number) {
        bool is_complete = true;
        for (Index variable = 0; variable < size(); ++variable) {
            own[variable] = std::max<Index>(codes[variable * rows_ + number], -1);
            is_complete &= own[variable] >= 0;
        }
        poll(size() + 32);
        if (!is_complete) row.split(true);
        for (Index component = 0; component < (is_complete ? 0 : row.size()); ++component) {
            const Indices variables = row.variables(component), families = row.families(component);
            Index kind = kind_index_.find(variables, families);
            if (kind < 0) {
                kind = kind_index_.add(variables, families);
                kinds_.emplace_back(layout_, variables, families);
                for (const Index variable : variables) kinds_with_[variable].push_back(kind);
            }
            bases.clear();
            for (const Index family : families) bases.push_back(layout_.base(family, own));
            const Index at = kinds_[kind].component(bases);
            for (std::size_t k = 0; k < variables.size(); ++k) {
                missing_.push_back({variables[k], kind, at, static_cast<Index>(k)});
            }
            poll(static_cast<std::int64_t>(100 * families.size()));
        }
        const auto first = missing_.begin() + row_start_.back();
        std::sort(first, missing_.end(), [](const Missing& a, const Missing& b) { return a.variable < b.variable; });
        row_start_.push_back(static_cast<Offset>(missing_.size()));
    }
    last_set_.assign(kinds_.size(), 0);
}

bool ExpectedTables::count(const Vector<Vector<Index>>& sets, Vector<Vector<double>>& tables) {
    tables.resize(sets.size());
    std::size_t first = 0;
    while (first < sets.size()) {
        std::size_t last = first;
        while (last < sets.size() && know(sets[last])) ++last;
        if (last == first) {
            if (held_bytes_ == 0.0) return false;
            forget();
            continue;
        }
        in_parallel(static_cast<int>(scratches_.size()), static_cast<std::int64_t>(last - first),
                    [&](int thread, std::int64_t item) {
                        const std::size_t k = first + static_cast<std::size_t>(item);
                        Scratch& scratch = scratches_[static_cast<std::size_t>(thread)];
                        narrow_.empty() ? count_set(wide_.data(), sets[k], tables[k], scratch)
                                        : count_set(narrow_.data(), sets[k], tables[k], scratch);
                    });
        first = last;
    }
    return true;
}

// Computes the posteriors that a set asks for; false where they do not fit in.
bool ExpectedTables::know(const Vector<Index>& set) {
    Vector<std::pair<Index, KindPosteriors::Way>> needed;
    double bytes = 0.0;
    ++set_number_;
    for (const Index variable : set) {
        for (const Index kind : kinds_with_[variable]) {
            if (std::exchange(last_set_[kind], set_number_) == set_number_) continue;
            Vector<Index> locals;
            const Indices all = kinds_[kind].variables();
            for (const Index member : set) {
                const auto found = std::lower_bound(all.begin(), all.end(), member);
                if (found != all.end() && *found == member) locals.push_back(static_cast<Index>(found - all.begin()));
            }
            if (kinds_[kind].known(locals)) continue;
            needed.emplace_back(kind, kinds_[kind].way_to(layout_, std::move(locals)));
            bytes += needed.back().second.bytes;
            poll_(way_work);
        }
    }
    if (held_bytes_ + bytes > most_bytes_) {
        refused_bytes_ = bytes;
        return false;
    }
    for (auto& [kind, way] : needed) held_bytes_ += kinds_[kind].find(values_.data(), std::move(way), poll_);
    return true;
}

void ExpectedTables::forget() {
    for (KindPosteriors& kind : kinds_) kind.forget();
    held_bytes_ = 0.0;
}

template <class Code>
void ExpectedTables::count_set(const Code* codes, const Vector<Index>& set, Vector<double>& table, Scratch& scratch) const {
    Vector<Offset> strides(set.size());
    Offset cells = 1;
    for (std::size_t axis = set.size(); axis-- > 0;) {
        strides[axis] = cells;
        cells *= layout_.states(set[axis]);
    }
    table.assign(static_cast<std::size_t>(cells), 0.0);
    scratch.cell.resize(static_cast<std::size_t>(rows_at_once));
    scratch.is_whole.resize(static_cast<std::size_t>(rows_at_once));
    Offset* cell = scratch.cell.data();
    char* is_whole = scratch.is_whole.data();
    for (Offset first = 0; first < rows_; first += rows_at_once) {
        const Offset many = std::min(rows_at_once, rows_ - first);
        std::fill_n(cell, many, 0);
        std::fill_n(is_whole, many, char{1});
        for (std::size_t axis = 0; axis < set.size(); ++axis) {
            const Code* own = codes + set[axis] * rows_ + first;
            for (Offset k = 0; k < many; ++k) {
                cell[k] += std::max<Code>(own[k], 0) * strides[axis];
                is_whole[k] &= static_cast<char>(own[k] >= 0);
            }
        }
        for (Offset k = 0; k < many; ++k) {
            const double weight = weights_[static_cast<std::size_t>(first + k)];
            if (is_whole[k]) {
                table[static_cast<std::size_t>(cell[k])] += weight;
                continue;
            }
            scratch.missing.clear();
            scratch.axes.clear();
            for (std::size_t axis = 0; axis < set.size(); ++axis) {
                if (codes[set[axis] * rows_ + first + k] >= 0) continue;
                scratch.missing.push_back(missing_cell(first + k, set[axis]));
                scratch.axes.push_back(axis);
            }
            add_gapped(cell[k], weight, strides, table.data(), scratch);
        }
        scratch.poll(many * static_cast<Offset>(2 * set.size()));
    }
}

const ExpectedTables::Missing* ExpectedTables::missing_cell(Offset row, Index variable) const {
    const Missing* first = missing_.data() + row_start_[static_cast<std::size_t>(row)];
    const Missing* last = missing_.data() + row_start_[static_cast<std::size_t>(row) + 1];
    return std::lower_bound(first, last, variable, [](const Missing& own, Index other) { return own.variable < other; });
}

void ExpectedTables::add_gapped(Offset cell, double weight, const Vector<Offset>& strides, double* counts,
                                Scratch& scratch) const {
    if (scratch.missing.size() == 1) {  // most of them
        const Missing& own = *scratch.missing.front();
        const Index states = layout_.states(own.variable);
        const Offset stride = strides[scratch.axes.front()];
        const double* posterior = kinds_[own.kind].known(own.local) + static_cast<Offset>(own.component) * states;
        for (Index state = 0; state < states; ++state) counts[cell + state * stride] += weight * posterior[state];
        return;
    }
    scratch.parts.assign(1, {cell, weight});
    while (!scratch.missing.empty()) multiply_component(strides, scratch);
    for (const Part& part : scratch.parts) counts[part.cell] += part.weight;
}

void ExpectedTables::multiply_component(const Vector<Offset>& strides, Scratch& scratch) const {
    const Missing& first = *scratch.missing.front();
    scratch.locals.clear();
    scratch.states.clear();
    scratch.strides.clear();
    std::size_t left = 0;
    for (std::size_t k = 0; k < scratch.missing.size(); ++k) {
        const Missing* own = scratch.missing[k];
        if (own->kind == first.kind && own->component == first.component) {
            scratch.locals.push_back(own->local);
            scratch.states.push_back(layout_.states(own->variable));
            scratch.strides.push_back(strides[scratch.axes[k]]);
        } else {
            scratch.missing[left] = own;
            scratch.axes[left++] = scratch.axes[k];
        }
    }
    scratch.missing.resize(left);
    scratch.axes.resize(left);
    const KindPosteriors& kind = kinds_[first.kind];
    const Offset cells = kind.cells(scratch.locals);
    const double* posterior = kind.known(scratch.locals) + static_cast<Offset>(first.component) * cells;
    scratch.more.clear();
    for (Offset cell = 0; cell < cells; ++cell) {
        Offset rest = cell, shift = 0;
        for (std::size_t axis = scratch.states.size(); axis-- > 0;) {
            shift += (rest % scratch.states[axis]) * scratch.strides[axis];
            rest /= scratch.states[axis];
        }
        for (const Part& part : scratch.parts) scratch.more.push_back({part.cell + shift, part.weight * posterior[cell]});
    }
    std::swap(scratch.parts, scratch.more);
}

}  // namespace dconvex
