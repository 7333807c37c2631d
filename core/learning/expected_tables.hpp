// Expected counts of any sets of variables in rows with missing cells, given what each row shows, under one network.
//
// The E-step of a search for a structure: it asks for families that the network does not have. What a row does not show falls
// into components that are independent given the rest (see expectation.hpp), so what a set lacks in a row is a product of
// posteriors, one for each component that the set meets.

#pragma once

#include <memory>
#include <span>

#include "common/interrupt.hpp"
#include "common/memory.hpp"
#include "graph/graph.hpp"
#include "learning/kind_posteriors.hpp"
#include "learning/row_components.hpp"

namespace dconvex {

class ExpectedTables {
public:
    // `values` are the tables of the network's families, one after the other, the axes of each its parents and then itself.
    ExpectedTables(std::shared_ptr<const Graph> graph, Vector<Index> states, Vector<double> values, double most_bytes,
                   int threads);

    // Sets the rows, once: the state of variable v in row r is codes[v * rows + r], negative where it is missing. Throws
    // std::invalid_argument for a state that the variable does not have.
    void set_rows(std::span<const std::int8_t> codes, std::span<const double> weights);
    void set_rows(std::span<const std::int32_t> codes, std::span<const double> weights);

    // A table for each set, whose variables ascend, the last one fastest: the same numbers for any number of threads.
    // Posteriors are kept for later sets while they take at most `most_bytes`; false where those of one set take more.
    bool count(const Vector<Vector<Index>>& sets, Vector<Vector<double>>& tables);

    Index size() const noexcept { return layout_.size(); }
    // What the posteriors of the last set that was refused take.
    double refused_bytes() const noexcept { return refused_bytes_; }

private:
    // A missing cell: its component, and its variable's number there.
    struct Missing {
        Index variable, kind, component, local;
    };
    struct Part {
        Offset cell;
        double weight;
    };
    // What is known of a row while its cells are counted.
    struct Scratch {
        Vector<Offset> cell;
        Vector<char> is_whole;
        Vector<const Missing*> missing;
        Vector<std::size_t> axes;  // of the missing ones
        Vector<Index> locals, states;
        Vector<Offset> strides;
        Vector<Part> parts, more;
        Poll poll;
    };

    template <class Code>
    void set_codes(std::span<const Code> codes, std::span<const double> weights, Vector<Code>& own);
    template <class Code>
    void find_components(const Code* codes);
    bool know(const Vector<Index>& set);
    void forget();
    template <class Code>
    void count_set(const Code* codes, const Vector<Index>& set, Vector<double>& table, Scratch& scratch) const;
    void add_gapped(Offset cell, double weight, const Vector<Offset>& strides, double* counts, Scratch& scratch) const;
    // Takes the missing variables of one component out of the list, and multiplies what is there with their posterior.
    void multiply_component(const Vector<Offset>& strides, Scratch& scratch) const;
    const Missing* missing_cell(Offset row, Index variable) const;

    std::shared_ptr<const Graph> graph_;
    FamilyLayout layout_;
    Vector<double> values_;
    double most_bytes_;
    Offset rows_ = 0;
    Vector<std::int8_t> narrow_;
    Vector<std::int32_t> wide_;
    Vector<double> weights_;
    Vector<Offset> row_start_;  // of each row among the missing cells
    Vector<Missing> missing_;
    Vector<KindPosteriors> kinds_;
    ComponentIndex kind_index_;
    Vector<Vector<Index>> kinds_with_;  // each variable
    Vector<Index> last_set_;            // that a kind was looked at for
    Index set_number_ = 0;
    double held_bytes_ = 0.0;
    double refused_bytes_ = 0.0;
    Poll poll_;
    Vector<Scratch> scratches_;
};

}  // namespace dconvex
