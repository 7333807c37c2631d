#include "inference/program.hpp"

#include <algorithm>
#include <stdexcept>

namespace dconvex {
namespace {

template <class T>
std::int64_t bytes_of(const Vector<T>& numbers) {
    return static_cast<std::int64_t>(numbers.capacity() * sizeof(T));
}

// Throws unless the loops of a step stay within its tables; nothing checks indices while it runs.
void check_bounds(const Program& program, const Step& step, Offset left_size) {
    Offset left = 0, right = 0, product = 0;
    for (Index k = step.first_loop; k < step.first_loop + step.loop_count; ++k) {
        const Loop& loop = program.loops[k];
        left += (loop.length - 1) * loop.left;
        right += (loop.length - 1) * loop.right;
        product += (loop.length - 1) * loop.product;
    }
    const Offset room = step.is_output ? program.result_size : program.workspace_size;
    const bool is_inside = left < left_size && right < step.right_size && product < step.product_size &&
                           step.left_at + left_size <= program.workspace_size &&
                           step.right_at + step.right_size <= program.workspace_size &&
                           step.product_at + step.product_size <= room;
    if (!is_inside) throw std::logic_error("a step of a program leaves its tables");
}

}  // namespace

std::int64_t Program::own_bytes() const noexcept {
    return static_cast<std::int64_t>(sizeof(Program)) + bytes_of(axes) + bytes_of(states) + bytes_of(scopes.offsets()) +
           bytes_of(scopes.values()) + bytes_of(observed_states) + bytes_of(soft_states) + bytes_of(leaves) +
           bytes_of(scalars) + bytes_of(outputs) + bytes_of(loads) + bytes_of(fixed) + bytes_of(copied) + bytes_of(steps) +
           bytes_of(loops);
}

Offset Program::length() const noexcept {
    const auto count = [](const auto& list) { return static_cast<Offset>(list.size()); };
    const Offset shape = 18 + count(scopes.offsets()) + count(scopes.values()) + 2 * count(axes);
    if (is_too_large) return shape;
    return shape + 3 + 2 * count(scalars) + count(leaves) + 3 * count(outputs) + 8 * count(loads) +
           2 * (count(fixed) + count(copied)) + 14 * count(steps) + 4 * count(loops);
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

void ProgramWriter::write(const ContractionPath& path, std::span<const Axis> axes, Index eliminated,
                          const ProgramSubject& subject, const Flags& is_output, bool keeps_all, Index early_sum,
                          Program& program) {
    program.axes.clear();
    program.states.clear();
    for (const Axis& axis : axes) {
        program.axes.push_back(subject.small.nodes[axis.variable]);
        program.states.push_back(static_cast<Index>(axis.states));
    }
    program.eliminated = eliminated;
    program.scopes.clear();
    program.largest_table = 0;
    double whole = 0.0;
    for (Index table = 0; table < static_cast<Index>(path.tables().size()); ++table) {
        program.scopes.append(path.scope(table));
        if (path.tables()[table].size > path.tables()[program.largest_table].size) program.largest_table = table;
        whole += path.tables()[table].size;
    }
    program.is_too_large = whole > Program::most;
    program.cost = static_cast<Offset>(std::min(path.cost(), Program::most));
    program.leaves = subject.factors.sources;
    program.loads_derived = std::any_of(program.leaves.begin(), program.leaves.end(), [&](const Source& leaf) {
        return leaf.kind == Source::Kind::table && leaf.number >= subject.layout.variable_count();
    });
    program.scalars.clear();
    program.outputs.clear();
    program.loads.clear();
    program.fixed.clear();
    program.copied.clear();
    program.steps.clear();
    program.loops.clear();
    program.early_sum = {-1, -1};
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
void ProgramWriter::place(const ContractionPath& path, const Flags& is_output, bool keeps_all, Program& program) {
    const Vector<ContractionPath::Step>& steps = path.steps();
    last_use_.resize(path.tables().size());
    for (std::size_t step = 0; step < steps.size(); ++step) {
        last_use_[steps[step].left] = last_use_[steps[step].right] = static_cast<Index>(step);
    }
    offset_.assign(path.tables().size(), -1);
    offset_[ContractionPath::one] = 0;
    free_.clear();
    Offset top = 1, results = 0;
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
                offset_[table] = take(size, top);
            }
        }
        poll(static_cast<std::int64_t>(free_.size()) + 4);
        if (keeps_all) continue;
        const auto release = [&](Index table) {
            if (table == ContractionPath::one || last_use_[table] != static_cast<Index>(number)) return;
            free(offset_[table], static_cast<Offset>(path.tables()[table].size));
        };
        release(step.left);
        if (step.right != step.left) release(step.right);
    }
    program.workspace_size = top;
    program.result_size = results;
}

// A place of this size: in the smallest free piece that is large enough, or at the end.
Offset ProgramWriter::take(Offset size, Offset& top) {
    auto best = free_.end();
    for (auto piece = free_.begin(); piece != free_.end(); ++piece) {
        if (piece->size >= size && (best == free_.end() || piece->size < best->size)) best = piece;
    }
    if (best == free_.end()) {
        const Offset at = top;
        top += size;
        return at;
    }
    const Offset at = best->at;
    best->at += size;
    best->size -= size;
    if (best->size == 0) free_.erase(best);
    return at;
}

// Adds a piece to the free ones, which ascend, and joins it with its neighbours.
void ProgramWriter::free(Offset at, Offset size) {
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
                               const Flags& is_output, Program& program) const {
    for (const Index scalar : path.scalars()) program.scalars.push_back({scalar, offset_[scalar]});
    for (Index table = 0; table < static_cast<Index>(path.tables().size()); ++table) {
        if (!is_output[table]) continue;
        const Indices scope = path.scope(table);
        const Index variable = scope.size() == 1 ? subject.small.nodes[axes[scope[0]].variable] : -1;
        program.outputs.push_back({variable, offset_[table], static_cast<Offset>(path.tables()[table].size)});
    }
}

void ProgramWriter::write_load(Index table, const ContractionPath& path, const ProgramSubject& subject, Program& program) {
    const SmallNetwork& small = subject.small;
    const Index factor = table - 1, owner = subject.factors.owners[factor];
    const Source source = subject.factors.sources[factor];
    Load load{table, source, offset_[table], static_cast<Offset>(path.tables()[table].size), 0, 0, 0, 0};
    load.first_fixed = static_cast<Index>(program.fixed.size());
    loaded_axes_.clear();
    Offset stride = 1;
    const auto add = [&](Index member) {
        const Index states = subject.layout.states()[small.nodes[member]];
        if (small.roles[member] == Role::observed) {
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
                               const Flags& is_output, Program& program) {
    const auto size = [&](Index table) { return static_cast<Offset>(path.tables()[table].size); };
    Step written{step.left,
                 step.right,
                 step.product,
                 offset_[step.left],
                 offset_[step.right],
                 offset_[step.product],
                 size(step.right),
                 size(step.product),
                 step.elimination,
                 is_output[step.product] != 0,
                 0,
                 static_cast<Index>(program.loops.size()),
                 0,
                 0};
    fuse_loops(path, axes, step);
    write_loops(written, program);
    check_bounds(program, written, size(step.left));
    program.steps.push_back(written);
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

// Outermost the axes of the product, then the summed ones, then the two innermost loops; the second of these is the innermost
// axis, the first the one around it if the product has both.
void ProgramWriter::write_loops(Step& step, Program& program) const {
    const auto is_summed = [](const FusedLoop& fused) { return fused.holders < 4; };
    const FusedLoop *inner = nullptr, *outer = nullptr;
    for (const FusedLoop& fused : fused_) {
        if (fused.loop.length == 1) continue;
        if (inner) {
            if (!is_summed(fused) && !is_summed(*inner)) outer = &fused;
            break;
        }
        inner = &fused;
    }
    for (const bool wants_sum : {false, true}) {
        for (auto fused = fused_.rbegin(); fused != fused_.rend(); ++fused) {
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

}  // namespace dconvex
