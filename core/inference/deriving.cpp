#include "inference/deriving.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "inference/execution.hpp"
#include "inference/planning.hpp"

namespace dconvex {
namespace {

// Visits the wanted tables and all those that they come from, these first, each once. `is_done` says that a table needs no
// visit (any more); `expand` gives what is known of a table with its `sources`, which `visit` gets when all of them are done.
template <class IsDone, class Expand, class Visit>
void from_the_ground(Indices wanted, IsDone is_done, Expand expand, Visit visit) {
    using Expanded = decltype(expand(Index{}));
    struct Waiting {
        Index table;
        std::optional<Expanded> expanded;  // once its sources were put on the stack
    };
    Vector<Waiting> stack;
    for (const Index table : wanted) stack.push_back({table, {}});
    Poll poll;
    while (!stack.empty()) {
        poll();
        const Index table = stack.back().table;
        if (is_done(table)) {
            stack.pop_back();
        } else if (stack.back().expanded) {
            const Expanded expanded = std::move(*stack.back().expanded);
            stack.pop_back();
            visit(table, expanded);
        } else {
            const std::size_t own = stack.size() - 1;
            Expanded expanded = expand(table);
            for (const Index source : expanded.sources) {
                if (!is_done(source)) stack.push_back({source, {}});
            }
            stack[own].expanded = std::move(expanded);
        }
    }
}

}  // namespace

Derivation::Derivation(std::shared_ptr<Tables> tables, Indices wanted) : tables_(std::move(tables)) {
    struct Sources {
        Vector<Index> sources;
    };
    // One look first: most often all is there.
    const auto is_missing = [this](Index table) { return tables_->is_missing(table); };
    if (std::none_of(wanted.begin(), wanted.end(), is_missing)) return;
    Vector<std::uint8_t> is_visited(static_cast<std::size_t>(tables_->layout().table_count()), 0);
    from_the_ground(
        wanted, [&](Index table) { return is_visited[table] || !tables_->is_missing(table); },
        [&](Index table) {
            return Sources{table < tables_->given() ? Vector<Index>() : derivation_sources(tables_->layout(), table)};
        },
        [&](Index table, const Sources&) {
            is_visited[table] = 1;
            (table < tables_->given() ? missing_ : derived_).push_back(table);
        });
}

void Derivation::run() {
    const auto is_missing = [this](Index table) { return tables_->is_missing(table); };
    if (std::any_of(missing_.begin(), missing_.end(), is_missing)) {
        throw std::invalid_argument("tables that are given are not there yet");
    }
    Poll poll;
    for (const Index table : derived_) {
        poll(100);
        if (!tables_->is_missing(table)) continue;
        if (make(table, plan_derivation(tables_->shared_layout(), table))) {
            tables_->publish(table);
        } else {
            tables_->mark_underflowed(table);
        }
    }
    missing_.clear();
    derived_.clear();
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
    struct Own {
        DerivationCost cost;
        Vector<Index> sources;  // none where it is too large
    };
    from_the_ground(
        wanted, [&](Index table) { return tables.has_cost(table); },  // what is given has its cost from the start
        [&](Index table) {
            const Program program = plan_derivation(tables.shared_layout(), table);
            const DerivationCost cost{static_cast<double>(program.cost), static_cast<double>(program.peak_bytes())};
            return Own{cost, program.is_too_large ? Vector<Index>() : program.tables()};
        },
        [&](Index table, const Own& own) {
            DerivationCost most{0.0, 0.0};
            for (const Index source : own.sources) {
                most.multiplications = std::max(most.multiplications, tables.cost(source).multiplications);
                most.peak_bytes = std::max(most.peak_bytes, tables.cost(source).peak_bytes);
            }
            tables.set_cost(table,
                            {own.cost.multiplications + most.multiplications, std::max(own.cost.peak_bytes, most.peak_bytes)});
        });
    DerivationCost total{0.0, 0.0};
    for (const Index table : wanted) {
        total.multiplications += tables.cost(table).multiplications;
        total.peak_bytes = std::max(total.peak_bytes, tables.cost(table).peak_bytes);
    }
    return total;
}

}  // namespace dconvex
