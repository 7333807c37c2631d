#include "inference/program.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace dconvex {
namespace {

constexpr std::size_t rounded_up(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

// Outermost the axes of the product, then the summed ones, then the two innermost loops; the second of these is the innermost
// axis, the first the one around it if the product has both.
void append_loops(Step& step, std::span<const FusedLoop> all, ProgramDraft& program) {
    const auto is_summed = [](const FusedLoop& fused) { return fused.holders < 4; };
    const FusedLoop *inner = nullptr, *outer = nullptr;
    for (const FusedLoop& fused : all) {
        if (fused.loop.length == 1) continue;
        if (inner) {
            if (!is_summed(fused) && !is_summed(*inner)) outer = &fused;
            break;
        }
        inner = &fused;
    }
    step.first_loop = static_cast<Index>(program.loops.size());
    for (const bool wants_sum : {false, true}) {
        for (auto fused = all.rbegin(); fused != all.rend(); ++fused) {
            if (is_summed(*fused) != wants_sum || fused->loop.length == 1 || &*fused == inner || &*fused == outer) continue;
            program.loops.push_back(fused->loop);
            step.summed += wants_sum;
        }
    }
    constexpr Loop single_round{1, 0, 0, 1};
    program.loops.push_back(outer ? outer->loop : single_round);
    program.loops.push_back(inner ? inner->loop : single_round);
    step.loop_count = static_cast<Index>(program.loops.size()) - step.first_loop;
}

// Throws unless the loops of a step stay within its tables; nothing checks indices while it runs.
void check_bounds(const ProgramDraft& program, const Step& step, Offset left_size) {
    Offset left = 0, right = 0, product = 0;
    for (Index k = step.first_loop; k < step.first_loop + step.loop_count; ++k) {
        const Loop& loop = program.loops[k];
        left += (loop.length - 1) * loop.left;
        right += (loop.length - 1) * loop.right;
        product += (loop.length - 1) * loop.product;
    }
    const Offset size = step.is_output ? program.result_size : program.workspace_size;
    const bool is_inside = left < left_size && right < step.right_size && product < step.product_size &&
                           step.left_at + left_size <= program.workspace_size &&
                           step.right_at + step.right_size <= program.workspace_size &&
                           step.product_at + step.product_size <= size;
    if (!is_inside) throw std::logic_error("a step of a program leaves its tables");
}

}  // namespace

void ProgramDraft::clear() {
    axes.clear();
    states.clear();
    scopes.clear();
    scope_words.clear();
    scalars.clear();
    outputs.clear();
    loads.clear();
    fixed.clear();
    copied.clear();
    steps.clear();
    loops.clear();
    early_sum = {-1, -1};
}

Program::Program(const ProgramDraft& draft, std::shared_ptr<const TableLayout> layout_of_tables)
    : ProgramFacts(draft), layout(std::move(layout_of_tables)) {
    std::size_t size = 0;
    const auto count = [&size](const auto& list) { size += rounded_up(list.size() * sizeof(list[0])); };
    const bool has_words = !draft.scope_words.empty();
    const auto for_lists = [&](auto visit) {
        visit(draft.axes, axes);
        visit(draft.states, states);
        visit(draft.observed_states, observed_states);
        visit(draft.soft_states, soft_states);
        visit(draft.leaves, leaves);
        visit(draft.scalars, scalars);
        visit(draft.outputs, outputs);
        visit(draft.loads, loads);
        visit(draft.fixed, fixed);
        visit(draft.copied, copied);
        visit(draft.steps, steps);
        visit(draft.loops, loops);
        if (has_words) {
            visit(draft.scope_words, scope_words_);
        } else {
            visit(draft.scopes.offsets(), scope_offsets_);
            visit(draft.scopes.values(), scope_values_);
        }
    };
    for_lists([&](const auto& list, const auto&) { count(list); });
    memory_ = SharedPiece(size);
    std::byte* place = memory_.data();
    for_lists([&place](const auto& list, auto& own) {
        using Element = typename std::remove_reference_t<decltype(list)>::value_type;
        const std::size_t bytes = list.size() * sizeof(Element);
        if (bytes) std::memcpy(place, list.data(), bytes);
        own = std::span<const Element>(reinterpret_cast<const Element*>(place), list.size());
        place += rounded_up(bytes);
    });
}

Offset Program::length() const noexcept {
    const auto count = [](const auto& list) { return static_cast<Offset>(list.size()); };
    const Offset shape = 18 + table_count + 1 + scope_entries + 2 * count(axes);
    if (is_too_large) return shape;
    return shape + 3 + 2 * count(scalars) + count(leaves) + 3 * count(outputs) + 8 * count(loads) +
           2 * (count(fixed) + count(copied)) + 14 * count(steps) + 4 * count(loops);
}

Vector<Index> Program::scope(Index table) const {
    Vector<Index> found;
    if (scope_words_.empty()) {
        const auto first = static_cast<std::size_t>(scope_offsets_[table]),
                   last = static_cast<std::size_t>(scope_offsets_[table + 1]);
        found.assign(scope_values_.begin() + static_cast<std::ptrdiff_t>(first),
                     scope_values_.begin() + static_cast<std::ptrdiff_t>(last));
        return found;
    }
    for (std::uint64_t left = scope_words_[table]; left; left &= left - 1) found.push_back(std::countr_zero(left));
    return found;
}

Ragged Program::scopes() const {
    Ragged found;
    for (Index table = 0; table < table_count; ++table) found.append(scope(table));
    return found;
}

Vector<Index> Program::tables() const {
    Vector<Index> found;
    for (const Source& leaf : leaves) {
        if (leaf.kind == Source::Kind::table) found.push_back(leaf.number);
    }
    return found;
}

Vector<Index> Program::derived() const {
    Vector<Index> found;
    for (const Source& leaf : leaves) {
        if (leaf.kind == Source::Kind::table && leaf.number >= layout->variable_count()) found.push_back(leaf.number);
    }
    return found;
}

void append_step(Step step, std::span<const FusedLoop> fused, Offset left_size, ProgramDraft& program) {
    append_loops(step, fused, program);
    check_bounds(program, step, left_size);
    program.steps.push_back(step);
}

void ProgramWriter::write(const ContractionPath& path, std::span<const Axis> axes, Index eliminated,
                          const ProgramSubject& subject, const Flags& is_output, bool keeps_all, Index early_sum,
                          ProgramDraft& program) {
    program.clear();
    for (const Axis& axis : axes) {
        program.axes.push_back(subject.small.nodes[axis.variable]);
        program.states.push_back(static_cast<Index>(axis.states));
    }
    program.eliminated = eliminated;
    program.largest_table = 0;
    double whole = 0.0;
    for (Index table = 0; table < static_cast<Index>(path.tables().size()); ++table) {
        program.scopes.append(path.scope(table));
        if (path.tables()[table].size > path.tables()[program.largest_table].size) program.largest_table = table;
        whole += path.tables()[table].size;
    }
    program.table_count = program.scopes.size();
    program.scope_entries = static_cast<Offset>(program.scopes.values().size());
    program.is_too_large = whole > Program::most;
    program.cost = static_cast<Offset>(std::min(path.cost(), Program::most));
    program.leaves = subject.factors.sources;
    program.loads_derived = std::any_of(program.leaves.begin(), program.leaves.end(), [&](const Source& leaf) {
        return leaf.kind == Source::Kind::table && leaf.number >= subject.layout.variable_count();
    });
    if (program.is_too_large) {
        program.workspace_size = static_cast<Offset>(std::min(whole, 4 * Program::most));
        program.result_size = 0;
        return;
    }
    place(path, is_output, keeps_all, program);
    if (early_sum >= 0) program.early_sum = {early_sum, offset_[early_sum]};
    write_ends(path, axes, subject, is_output, program);
    axis_of_.assign(subject.small.nodes.size(), -1);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) axis_of_[axes[axis].variable] = static_cast<Index>(axis);
    is_loaded_.assign(path.tables().size(), 0);
    Poll poll;
    for (const ContractionPath::Step& step : path.steps()) {
        write_step(step, path, axes, is_output, program);
        for (const Index table : {step.left, step.right}) {
            if (table == ContractionPath::one || table > subject.factors.size() || is_loaded_[table]) continue;
            is_loaded_[table] = 1;
            write_load(table, path, subject, program);
            ++program.steps.back().loads;
        }
        poll(static_cast<std::int64_t>(fused_.size()) + 8);
    }
}

// Finds where each table lies, in the workspace or among the results.
void ProgramWriter::place(const ContractionPath& path, const Flags& is_output, bool keeps_all, ProgramDraft& program) {
    const Vector<ContractionPath::Step>& steps = path.steps();
    last_use_.resize(path.tables().size());
    for (std::size_t step = 0; step < steps.size(); ++step) {
        last_use_[steps[step].left] = last_use_[steps[step].right] = static_cast<Index>(step);
    }
    offset_.assign(path.tables().size(), -1);
    offset_[ContractionPath::one] = 0;
    allocator_.clear(1);
    Offset results = 0;
    Poll poll;
    for (std::size_t number = 0; number < steps.size(); ++number) {
        const ContractionPath::Step& step = steps[number];
        for (const Index table : {step.left, step.right, step.product}) {
            if (offset_[table] >= 0) continue;
            const auto size = static_cast<Offset>(path.tables()[table].size);
            if (is_output[table]) {
                offset_[table] = results;
                results += size;
            } else {
                offset_[table] = allocator_.take(size);
            }
        }
        poll(static_cast<std::int64_t>(allocator_.pieces()) + 4);
        if (keeps_all) continue;
        const auto release = [&](Index table) {
            if (table == ContractionPath::one || last_use_[table] != static_cast<Index>(number)) return;
            allocator_.free(offset_[table], static_cast<Offset>(path.tables()[table].size));
        };
        release(step.left);
        if (step.right != step.left) release(step.right);
    }
    program.workspace_size = allocator_.top();
    program.result_size = results;
}

void WorkspaceAllocator::clear(Offset top) {
    top_ = top;
    free_.clear();
}

Offset WorkspaceAllocator::take(Offset size) {
    auto best = free_.end();
    for (auto piece = free_.begin(); piece != free_.end(); ++piece) {
        if (piece->size >= size && (best == free_.end() || piece->size < best->size)) best = piece;
    }
    if (best == free_.end()) {
        const Offset at = top_;
        top_ += size;
        return at;
    }
    const Offset at = best->at;
    best->at += size;
    best->size -= size;
    if (best->size == 0) free_.erase(best);
    return at;
}

void WorkspaceAllocator::free(Offset at, Offset size) {
    const auto is_before = [](const FreePiece& piece, Offset place) { return piece.at < place; };
    auto next = std::lower_bound(free_.begin(), free_.end(), at, is_before);
    const bool joins_next = next != free_.end() && at + size == next->at;
    const bool joins_last = next != free_.begin() && (next - 1)->at + (next - 1)->size == at;
    if (joins_last) {
        (next - 1)->size += size + (joins_next ? next->size : 0);
        if (joins_next) free_.erase(next);
    } else if (joins_next) {
        next->at = at;
        next->size += size;
    } else {
        free_.insert(next, {at, size});
    }
}

// The scalars that are left over, and the results.
void ProgramWriter::write_ends(const ContractionPath& path, std::span<const Axis> axes, const ProgramSubject& subject,
                               const Flags& is_output, ProgramDraft& program) const {
    for (const Index scalar : path.scalars()) program.scalars.push_back({scalar, offset_[scalar]});
    for (Index table = 0; table < static_cast<Index>(path.tables().size()); ++table) {
        if (!is_output[table]) continue;
        const Indices scope = path.scope(table);
        const Index variable = scope.size() == 1 ? subject.small.nodes[axes[scope[0]].variable] : -1;
        program.outputs.push_back({variable, offset_[table], static_cast<Offset>(path.tables()[table].size)});
    }
}

void ProgramWriter::write_load(Index table, const ContractionPath& path, const ProgramSubject& subject, ProgramDraft& program) {
    const SmallNetwork& small = subject.small;
    const Index factor = table - 1, owner = subject.factors.owners[factor];
    const Source source = subject.factors.sources[factor];
    Load load{table, source, offset_[table], static_cast<Offset>(path.tables()[table].size), 0, 0, 0, 0};
    load.first_fixed = static_cast<Index>(program.fixed.size());
    loaded_axes_.clear();
    Offset stride = 1;
    const auto add = [&](Index member) {
        const Index states = subject.layout.states()[small.nodes[member]];
        if (subject.observation[member] >= 0) {
            program.fixed.push_back({subject.observation[member], stride});
        } else {
            loaded_axes_.push_back({axis_of_[member], {states, stride}});
        }
        stride *= states;
    };
    add(owner);  // the last axis of its table; before it come its parents
    if (source.kind == Source::Kind::table) {
        const Indices parents = small.parents[owner];
        for (std::size_t k = parents.size(); k-- > 0;) add(parents[k]);
    }
    load.fixed_count = static_cast<Index>(program.fixed.size()) - load.first_fixed;
    std::sort(loaded_axes_.begin(), loaded_axes_.end(),
              [](const LoadedAxis& a, const LoadedAxis& b) { return a.axis < b.axis; });
    load.first_copied = static_cast<Index>(program.copied.size());
    load.copied_count = static_cast<Index>(loaded_axes_.size());
    for (const LoadedAxis& axis : loaded_axes_) program.copied.push_back(axis.copied);
    program.loads.push_back(load);
}

void ProgramWriter::write_step(const ContractionPath::Step& step, const ContractionPath& path, std::span<const Axis> axes,
                               const Flags& is_output, ProgramDraft& program) {
    const auto size = [&](Index table) { return static_cast<Offset>(path.tables()[table].size); };
    fuse_loops(path, axes, step);
    append_step({step.left, step.right, step.product, offset_[step.left], offset_[step.right], offset_[step.product],
                 size(step.right), size(step.product), step.elimination, is_output[step.product] != 0, 0, 0, 0, 0},
                fused_, size(step.left), program);
}

// The loops of a step from the innermost out, neighbouring axes fused where the same tables have them.
void ProgramWriter::fuse_loops(const ContractionPath& path, std::span<const Axis> axes, const ContractionPath::Step& step) {
    const Indices left = path.scope(step.left), right = path.scope(step.right), product = path.scope(step.product);
    std::size_t a = left.size(), b = right.size(), c = product.size();
    Offset left_stride = 1, right_stride = 1, product_stride = 1;
    fused_.clear();
    while (a || b || c) {
        const Index axis = std::max({a ? left[a - 1] : -1, b ? right[b - 1] : -1, c ? product[c - 1] : -1});
        const auto length = static_cast<Offset>(axes[axis].states);
        const bool in_left = a && left[a - 1] == axis, in_right = b && right[b - 1] == axis;
        const bool in_product = c && product[c - 1] == axis;
        const int holders = in_left + 2 * in_right + 4 * in_product;
        if (!fused_.empty() && fused_.back().holders == holders) {
            fused_.back().loop.length *= length;
        } else {
            fused_.push_back(
                {{length, in_left ? left_stride : 0, in_right ? right_stride : 0, in_product ? product_stride : 0}, holders});
        }
        if (in_left) --a, left_stride *= length;
        if (in_right) --b, right_stride *= length;
        if (in_product) --c, product_stride *= length;
    }
}

}  // namespace dconvex
