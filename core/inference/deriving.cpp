#include "inference/deriving.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "inference/execution.hpp"
#include "inference/planning.hpp"

namespace dconvex {
namespace {

// On a long way to the ground this many programs are kept for the way back; the others are made again.
constexpr std::size_t programs_kept = 10'000;

// What is kept of every program on the way.
struct Brief {
    double cost, peak_bytes;
    Vector<Index> sources;  // none where it is too large

    explicit Brief(const Program& program)
        : cost(static_cast<double>(program.cost)), peak_bytes(static_cast<double>(program.peak_bytes())) {
        if (!program.is_too_large) sources = program.tables();
    }
};

// Visits the wanted tables and all those that they come from, these first, each once. `is_done` says that a table needs no
// visit (any more), `is_ground` that it comes from no other; `visit` gets what is known of the program that derives a table,
// null for the ground, and the program where it was kept.
template <class IsDone, class IsGround, class Visit>
void from_the_ground(const std::shared_ptr<const TableLayout>& layout, Indices wanted, IsDone is_done, IsGround is_ground,
                     Visit visit) {
    struct Waiting {
        Index table;
        std::unique_ptr<Brief> brief;  // there once its sources were put on the stack
        std::unique_ptr<Program> program;
    };
    Vector<Waiting> stack;
    for (const Index table : wanted) stack.push_back({table, nullptr, nullptr});
    std::size_t kept = 0;
    Poll poll;
    while (!stack.empty()) {
        poll();
        const Index table = stack.back().table;
        if (stack.back().brief) {
            Waiting own = std::move(stack.back());
            stack.pop_back();
            if (own.program) --kept;
            if (!is_done(table)) visit(table, own.brief.get(), std::move(own.program));
            continue;
        }
        if (is_done(table)) {
            stack.pop_back();
            continue;
        }
        if (is_ground(table)) {
            stack.pop_back();
            visit(table, static_cast<const Brief*>(nullptr), std::unique_ptr<Program>());
            continue;
        }
        auto program = std::make_unique<Program>(plan_derivation(layout, table));
        auto brief = std::make_unique<Brief>(*program);
        const Vector<Index>& sources = brief->sources;
        if (std::all_of(sources.begin(), sources.end(), is_done)) {
            stack.pop_back();
            visit(table, brief.get(), std::move(program));
            continue;
        }
        const std::size_t own = stack.size() - 1;
        for (const Index source : sources) {
            if (!is_done(source)) stack.push_back({source, nullptr, nullptr});
        }
        stack[own].brief = std::move(brief);
        if (kept < programs_kept) {
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
        [&](Index table, const Brief*, std::unique_ptr<Program> program) {
            is_visited[table] = 1;
            if (table < tables_->given()) {
                missing_.push_back(table);
                return;
            }
            if (program && ++kept > programs_kept) program.reset();
            items_.push_back({table, std::move(program)});
        });
}

void Derivation::run() {
    const auto is_missing = [this](Index table) { return tables_->is_missing(table); };
    if (std::any_of(missing_.begin(), missing_.end(), is_missing)) {
        throw std::invalid_argument("tables that are given are not there yet");
    }
    for (Item& item : items_) {
        if (!tables_->is_missing(item.table)) continue;
        const std::unique_ptr<Program> kept = std::move(item.program);
        if (kept ? make(item.table, *kept) : make(item.table, plan_derivation(tables_->shared_layout(), item.table))) {
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
        [&](Index table, const Brief* brief, const std::unique_ptr<Program>&) {
            DerivationCost most{0.0, 0.0};
            for (const Index source : brief->sources) {
                most.multiplications = std::max(most.multiplications, tables.cost(source).multiplications);
                most.peak_bytes = std::max(most.peak_bytes, tables.cost(source).peak_bytes);
            }
            tables.set_cost(table, {brief->cost + most.multiplications, std::max(brief->peak_bytes, most.peak_bytes)});
        });
    DerivationCost total{0.0, 0.0};
    for (const Index table : wanted) {
        total.multiplications += tables.cost(table).multiplications;
        total.peak_bytes = std::max(total.peak_bytes, tables.cost(table).peak_bytes);
    }
    return total;
}

}  // namespace dconvex
