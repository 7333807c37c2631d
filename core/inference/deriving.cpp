#include "inference/deriving.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "inference/execution.hpp"
#include "inference/planning.hpp"

namespace dconvex {
namespace {

// On a long way to the ground this many programs are kept for the way back; the others are made twice.
constexpr std::size_t programs_kept = 10'000;

// Visits the wanted tables and all those that they come from, these first, each once. `is_done` says that a table needs no
// visit (any more), `is_ground` that it comes from no other; `visit` gets the program that derives a table, null for the
// ground.
template <class IsDone, class IsGround, class Visit>
void from_the_ground(const std::shared_ptr<const TableLayout>& layout, Indices wanted, IsDone is_done, IsGround is_ground,
                     Visit visit) {
    struct Waiting {
        Index table;
        std::optional<Program> program;
    };
    Vector<Waiting> stack;
    for (const Index table : wanted) stack.push_back({table, std::nullopt});
    std::size_t kept = 0;
    Poll poll;
    while (!stack.empty()) {
        poll();
        const Index table = stack.back().table;
        if (is_done(table)) {
            if (stack.back().program) --kept;
            stack.pop_back();
            continue;
        }
        if (is_ground(table)) {
            visit(table, std::optional<Program>());
            stack.pop_back();
            continue;
        }
        std::optional<Program> program = std::move(stack.back().program);
        if (program) {
            --kept;
            stack.back().program.reset();
        } else {
            program = plan_derivation(layout, table);
        }
        const std::size_t own = stack.size() - 1;
        if (!program->is_too_large) {
            for (const Index source : program->tables()) {
                if (!is_done(source)) stack.push_back({source, std::nullopt});
            }
        }
        if (stack.size() - 1 == own) {
            visit(table, std::move(program));
            stack.pop_back();
        } else if (kept < programs_kept) {
            stack[own].program = std::move(program);
            ++kept;
        }
    }
}

}  // namespace

Derivation::Derivation(std::shared_ptr<Tables> tables, Indices wanted) : tables_(std::move(tables)) {
    // One look first: most often all is there.
    const auto is_missing = [this](Index table) { return tables_->is_missing(table); };
    if (std::none_of(wanted.begin(), wanted.end(), is_missing)) return;
    Vector<std::uint8_t> is_visited(static_cast<std::size_t>(tables_->layout().table_count()), 0);
    std::size_t kept = 0;
    from_the_ground(
        tables_->shared_layout(), wanted, [&](Index table) { return is_visited[table] || !tables_->is_missing(table); },
        [&](Index table) { return table < tables_->given(); },
        [&](Index table, std::optional<Program> program) {
            is_visited[table] = 1;
            if (table < tables_->given()) {
                missing_.push_back(table);
            } else if (kept < programs_kept) {
                items_.push_back({table, std::move(program)});
                ++kept;
            } else {
                items_.push_back({table, std::nullopt});
            }
        });
}

void Derivation::run() {
    const auto is_missing = [this](Index table) { return tables_->is_missing(table); };
    if (std::any_of(missing_.begin(), missing_.end(), is_missing)) {
        throw std::invalid_argument("tables that are given are not there yet");
    }
    for (Item& item : items_) {
        if (!tables_->is_missing(item.table)) continue;
        const Program program = item.program ? *std::move(item.program) : plan_derivation(tables_->shared_layout(), item.table);
        item.program.reset();
        if (make(item.table, program)) {
            tables_->publish(item.table);
        } else {
            tables_->mark_underflowed(item.table);
        }
    }
    missing_.clear();
    items_.clear();
}

// Puts the numbers of a derived table where they belong; whether all are there, and none is too small for that.
bool Derivation::make(Index table, const Program& program) const {
    if (program.is_too_large) throw std::bad_alloc();
    for (const Index source : program.tables()) {
        if (tables_->is_underflowed(source)) return false;
    }
    const Likelihoods no_likelihoods;
    const Evidence nothing{{}, no_likelihoods};
    check_run(program, *tables_, nothing);
    const std::span<double> buffer = tables_->buffer_of(table);
    Runner runner(program);
    if (runner.run(*tables_, nothing, buffer).arithmetic == Arithmetic::plain) return true;
    Vector<double> logarithms(buffer.size());
    runner.run(*tables_, nothing, logarithms, Finish::none, true);
    for (std::size_t k = 0; k < buffer.size(); ++k) {
        const bool is_positive = logarithms[k] > -std::numeric_limits<double>::infinity();
        if (is_positive && buffer[k] < std::numeric_limits<double>::min()) return false;
    }
    return true;
}

DerivationCost derivation_cost(Tables& tables, Indices wanted) {
    from_the_ground(
        tables.shared_layout(), wanted, [&](Index table) { return tables.has_cost(table); },
        [](Index) { return false; },  // what is given has its cost from the start
        [&](Index table, const std::optional<Program>& program) {
            DerivationCost most{0.0, 0.0};
            if (!program->is_too_large) {
                for (const Index source : program->tables()) {
                    most.multiplications = std::max(most.multiplications, tables.cost(source).multiplications);
                    most.peak_bytes = std::max(most.peak_bytes, tables.cost(source).peak_bytes);
                }
            }
            tables.set_cost(table, {static_cast<double>(program->cost) + most.multiplications,
                                    std::max(static_cast<double>(program->peak_bytes()), most.peak_bytes)});
        });
    DerivationCost total{0.0, 0.0};
    for (const Index table : wanted) {
        total.multiplications += tables.cost(table).multiplications;
        total.peak_bytes = std::max(total.peak_bytes, tables.cost(table).peak_bytes);
    }
    return total;
}

}  // namespace dconvex
