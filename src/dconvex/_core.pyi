"""The native core: graphs, inference and learning over plain numbers, without names, labels or files.

A test compares this description with the module.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from types import TracebackType
from typing import Any, ClassVar, Literal, TypeAlias, final, overload

import numpy as np
from numpy.typing import NDArray

from dconvex.names import Label

_Codes: TypeAlias = NDArray[np.int8] | NDArray[np.int32]

# --- common ---------------------------------------------------------------------------------------------------------

def allocated_bytes() -> int:
    """Bytes that the core holds now."""

def peak_bytes() -> int:
    """The most bytes that the core has held at once since `reset_peak_bytes`."""

def reset_peak_bytes() -> None: ...

@final
class Cancellation:
    """Work that can be called off: native loops in a thread that has entered it stop with KeyboardInterrupt."""

    def __init__(self) -> None: ...
    def cancel(self) -> None: ...
    @property
    def is_cancelled(self) -> bool: ...
    def __enter__(self) -> None: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

@final
class Ragged:
    """Lists of lists in two arrays: list i is `values[offsets[i]:offsets[i + 1]]`. The arrays are read-only."""

    def __init__(self, offsets: NDArray[np.int64], values: NDArray[np.int32]) -> None:
        """Raises ValueError unless the offsets begin at 0, never fall and end at the number of values."""
    @staticmethod
    def from_lists(lists: Iterable[Iterable[int]]) -> Ragged: ...
    @staticmethod
    def from_pairs(owners: NDArray[np.int32], values: NDArray[np.int32], size: int) -> Ragged:
        """Pairs (owner, value) grouped by owner; within an owner they keep the order in which they come."""
    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def values(self) -> NDArray[np.int32]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> NDArray[np.int32]: ...
    def owners(self) -> NDArray[np.int32]:
        """For each value the list that holds it."""
    def reversed(self, size: int) -> Ragged:
        """The same pairs seen from their values, which lie in 0 … size - 1; each list ascends."""

# --- graph ----------------------------------------------------------------------------------------------------------

def find_cycle(parents: Ragged) -> NDArray[np.int32]:
    """A directed cycle, each node a parent of the next and the last of the first; empty if there is none."""

def find_repeated_arc(parents: Ragged) -> tuple[int, int] | None:
    """The first (parent, child) that is given twice, or None."""

def count_components(pairs: NDArray[np.int32], size: int) -> int:
    """How many parts the pairs, one a row, leave of the vertices 0 … size - 1."""

def find_nested_cluster(clusters: Ragged, variables: int) -> int:
    """The first cluster that lies inside another, or -1."""

def find_scattered_variable(clusters: Ragged, edges: NDArray[np.int32], variables: int) -> int:
    """The first variable whose clusters are not all joined with each other by edges between clusters that hold it, or -1."""

def find_wrong_separator(clusters: Ragged, edges: NDArray[np.int32], separators: Ragged) -> int:
    """The first edge whose separator is not what its two clusters share, or -1."""

@final
class Graph:
    """A directed acyclic graph over the nodes 0 … len - 1."""

    def __init__(self, parents: Ragged) -> None:
        """Raises ValueError where a parent is no node or is listed twice, or where there is a cycle."""
    @property
    def parents(self) -> Ragged: ...
    @property
    def children(self) -> Ragged:
        """The children of each node, ascending."""
    @property
    def order(self) -> NDArray[np.int32]:
        """The nodes, parents before children: first in, first out."""
    @property
    def rank(self) -> NDArray[np.int32]:
        """The rank of each node in `order`."""
    def __len__(self) -> int: ...
    def ancestors(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """The nodes and all nodes with a directed path into them, ascending."""
    def descendants(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """The nodes and all nodes with a directed path from them, ascending."""
    def d_connected(self, sources: NDArray[np.int32], given: NDArray[np.int32]) -> NDArray[np.bool_]:
        """For each node whether it is d-connected to a source; given nodes are connected to nothing."""
    def find_inducing_path(self, nodes: NDArray[np.int32]) -> NDArray[np.int32] | None:
        """The nodes of an inducing path over the set, end to end; None if the set is d-convex."""
    def convex_hull(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """The smallest d-convex set that holds the nodes, ascending."""
    def decompose(
        self, separators: SeparatorKind, refinement: Refinement, effort: int | None, threads: int = 1
    ) -> Decomposition:
        """Algorithm 2, refined if asked for, as one tree.

        `effort` is the most search nodes in each cluster (None: any). A bounded refinement takes work in proportion to that of
        Algorithm 2. Long searches are spread over `threads`.
        """
    def find_uncovered_family(self, clusters: Ragged) -> int:
        """The first node that no cluster holds with all its parents, or -1. Members of sets must ascend, here and below."""
    def find_incomplete_set(self, sets: Ragged) -> int:
        """The first set whose nodes are not pairwise adjacent, or -1."""
    def find_inducing_set(self, sets: Ragged) -> int:
        """The first set that is not d-convex, or -1; sets whose nodes are pairwise adjacent cost next to nothing."""
    def find_nonminimal_separator(self, sets: Ragged) -> int:
        """The first set that fewer than two components of the moral graph without it see all of, or -1."""
    def find_reducible_cluster(self, clusters: Ragged, separators: SeparatorKind) -> int:
        """The first d-convex cluster that a separator of this kind splits, or -1; this may take exponential time."""

SeparatorKind: TypeAlias = Literal["minimal", "any", "complete", "all"]
Refinement: TypeAlias = Literal["none", "bounded", "full"]

@final
class Decomposition:
    """A tree of clusters, by index."""

    @property
    def clusters(self) -> Ragged:
        """In the order of their members, which ascend."""
    @property
    def edges(self) -> NDArray[np.int32]:
        """Pairs of clusters, one a row, the lower first; the rows ascend."""
    @property
    def separators(self) -> Ragged:
        """What the two clusters of each edge share."""
    @property
    def undecided(self) -> NDArray[np.int32]:
        """The clusters for which the search gave up, or all if nothing was refined."""
    @property
    def is_certified(self) -> bool:
        """Whether all clusters are proven irreducible for the kind of separators asked for."""

@final
class RootedTree:
    """A tree of clusters hung on cluster 0. The members of each cluster must ascend in 0 … variables - 1."""

    def __init__(self, clusters: Ragged, edges: NDArray[np.int32], variables: int) -> None:
        """Raises ValueError unless the edges (pairs of clusters, one a row) join the clusters to one tree."""
    def __len__(self) -> int: ...
    @property
    def parent(self) -> NDArray[np.int32]:
        """For each cluster the next one towards cluster 0, -1 for that."""
    @property
    def edge_above(self) -> NDArray[np.int32]:
        """For each cluster the edge to its parent, -1 for cluster 0."""
    @property
    def depth(self) -> NDArray[np.int32]: ...
    @property
    def top(self) -> NDArray[np.int32]:
        """For each variable the cluster nearest to cluster 0 that holds it, -1 if none does."""
    def smallest_subtree(self, variables: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
        """The clusters of the smallest subtree that holds the variables, ascending, and how often a cluster was looked into.

        If one cluster holds them all, it is the one with the fewest variables, among those the first. Needs the junction
        property.
        """

class SearchStatus(Enum):
    """What a search says of a cluster."""

    IRREDUCIBLE = ...
    FOUND = ...
    UNDECIDED = ...

@final
class GrowingTree:
    """A tree of clusters that `decompose` refines, for looking at its steps one by one.

    `moral` has the neighbours of each node, ascending. A new cluster has a number above all that are there.
    """

    def __init__(self, moral: Ragged, clusters: Ragged, edges: NDArray[np.int32]) -> None: ...
    @property
    def clusters(self) -> dict[int, list[int]]: ...
    @property
    def separators(self) -> dict[tuple[int, int], list[int]]: ...
    @property
    def undecided(self) -> list[int]:
        """The clusters for which a search has given up."""
    def components(self, cluster: int, separator: Sequence[int]) -> Ragged:
        """The components of the graph of a cluster (a clique on each separator at it) without a separator."""
    def split(self, cluster: int, separator: Sequence[int]) -> NDArray[np.int32]:
        """Put one piece for each component in the place of a cluster; the clusters that are new or have changed."""
    def refine(
        self,
        search: Callable[[int], tuple[SearchStatus, Sequence[int]]] | None,
        known: Mapping[int, tuple[SearchStatus, Sequence[int]]],
        at_once: int = 1,
    ) -> None:
        """Split until nothing splits; `known` holds what the search says of clusters as they are now.

        Without a search only the separators of the tree are tried.
        """

@final
class Pdag:
    """A graph with directed and undirected edges over the nodes 0 … len - 1, one a row; the rows ascend."""

    def __init__(self, size: int, directed: NDArray[np.int32], undirected: NDArray[np.int32]) -> None:
        """Raises ValueError where an edge does not join two different nodes, or two nodes are joined twice."""
    @property
    def directed(self) -> NDArray[np.int32]: ...
    @property
    def undirected(self) -> NDArray[np.int32]: ...
    def __len__(self) -> int: ...
    def extension(self) -> tuple[Ragged, NDArray[np.int32]]:
        """The parents in a DAG of the class, and the edges that were given up where there is none."""

def essential_graph(graph: Graph) -> Pdag:
    """The graph of all DAGs that are equivalent to this one."""

# --- clusters -------------------------------------------------------------------------------------------------------

@final
class ClusterIndex:
    """Which table each cluster of a tree has for each of its variables.

    A cluster holds a variable with those of its parents that it holds too. Where it holds the whole family, its table is the
    network's own, numbered like the variable; the others are derived, each in the cluster next to it on the way to the family.
    Tables with the same variable and the same parents are one table.
    """

    def __init__(self, graph: Graph, clusters: Ragged, ends: NDArray[np.int32]) -> None:
        """Raises ValueError unless the clusters, members ascending, form one tree with the junction property that covers
        every family. `ends` has a row of two clusters for each edge.
        """
    @property
    def graph(self) -> Graph: ...
    @property
    def clusters(self) -> Ragged: ...
    @property
    def parent(self) -> NDArray[np.int32]:
        """For each cluster the next one towards cluster 0, which has -1."""
    @property
    def depth(self) -> NDArray[np.int32]: ...
    @property
    def holders(self) -> Ragged:
        """For each variable the clusters that hold it, ascending."""
    @property
    def top(self) -> NDArray[np.int32]:
        """For each variable the holder nearest to cluster 0."""
    @property
    def smallest(self) -> NDArray[np.int32]:
        """For each variable the smallest holder."""
    @property
    def member_table(self) -> NDArray[np.int32]:
        """For each member, an entry of `clusters.values`, the table that its cluster has for it."""
    @property
    def toward(self) -> NDArray[np.int32]:
        """For each member the neighbouring cluster on the way to its family, -1 where its cluster holds the family."""
    @property
    def table_count(self) -> int: ...
    @property
    def table_variable(self) -> NDArray[np.int32]: ...
    @property
    def table_parents(self) -> Ragged:
        """For each table the parents of its variable that it has, in the order of its axes."""
    @property
    def source(self) -> NDArray[np.int32]:
        """The cluster in which a derived table is made, -1 for a table of the network's own."""
    @property
    def behind(self) -> NDArray[np.int32]:
        """The cluster that needs a derived table; what lies behind it, seen from `source`, plays no part."""
    def kept_clusters(self, variables: NDArray[np.int32]) -> NDArray[np.int32]:
        """The clusters of the smallest subtree that holds the variables, ascending."""
    def separators(self) -> Ragged:
        """For each cluster what it shares with the next one towards cluster 0, ascending; nothing for cluster 0."""
    def find_inducing_separator(self) -> int:
        """The first cluster whose separator towards cluster 0 is not d-convex, -1 if all are."""

# --- inference ------------------------------------------------------------------------------------------------------

class Ending(Enum):
    """What a program ends in."""

    ANSWER = 0
    """One table over all targets."""
    MARGINALS = 1
    """A table for each target."""
    TRACE = 2
    """Every table on the way, to be traced back."""

class NetworkPart(Enum):
    """Where a question is answered."""

    PRUNED = 0
    """In the clusters that it keeps."""
    WHOLE = 1
    """Among its ancestors in the whole network."""

@final
class Question:
    """A question about a network, by the indices of its variables. It is a value: equal ones have the same hash."""

    NO_LIMIT: ClassVar[int]
    """More bytes than a process can address."""

    def __init__(
        self,
        targets: Iterable[int] = (),
        observed: Iterable[int] = (),
        soft: Iterable[int] = (),
        *,
        map_variables: Iterable[int] = (),
        context: Iterable[int] = (),
        sliced: Iterable[int] = (),
        network: NetworkPart = ...,
        coherent: bool = False,
        shows_impossible: bool = False,
        ending: Ending = ...,
        max_bytes: int = ...,
    ) -> None:
        """A record.

        Args:
            targets: What is asked for.
            observed: Variables whose state is known.
            soft: Variables with a likelihood; they may be targets too.
            map_variables: Targets of a trace that are maximised, after everything else is summed out.
            context: Variables whose clusters are kept though nothing is asked of them.
            sliced: Variables whose state is fixed in each run, after those observed; the sum over their states is the answer.
            network: Where it is answered.
            coherent: All clusters agree, so evidence that does not matter may be left out.
            shows_impossible: Observed variables with observed parents are looked up though they do not matter.
            ending: What the program ends in.
            max_bytes: Plans with larger tables are avoided.

        """
    @property
    def targets(self) -> tuple[int, ...]: ...
    @property
    def observed(self) -> tuple[int, ...]: ...
    @property
    def soft(self) -> tuple[int, ...]: ...
    @property
    def map_variables(self) -> tuple[int, ...]: ...
    @property
    def context(self) -> tuple[int, ...]: ...
    @property
    def sliced(self) -> tuple[int, ...]: ...
    @property
    def network(self) -> NetworkPart: ...
    @property
    def coherent(self) -> bool: ...
    @property
    def shows_impossible(self) -> bool: ...
    @property
    def ending(self) -> Ending: ...
    @property
    def max_bytes(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Role(Enum):
    """What a question does with a variable."""

    NONE = 0
    TARGET = 1
    OBSERVED = 2
    SOFT = 3
    SOFT_TARGET = 4
    GIVEN = 5
    """It blocks like an observation, but stays an axis of the answer."""

@final
class SmallNetwork:
    """The small network of a question; its variables are numbered from 0."""

    @property
    def nodes(self) -> NDArray[np.int32]:
        """The variable of the large network that each one is."""
    @property
    def tables(self) -> NDArray[np.int32]:
        """The table of each variable, -1 for none."""
    @property
    def parents(self) -> Ragged:
        """The parents of each variable, in the order of its table's axes."""
    @property
    def children(self) -> Ragged: ...
    @property
    def roles(self) -> NDArray[np.uint8]:
        """The value of the `Role` of each variable."""
    @property
    def is_requisite(self) -> NDArray[np.bool_]:
        """Whether the answer depends on the table of each variable."""
    @property
    def is_reached(self) -> NDArray[np.bool_]:
        """Whether the Bayes ball reached each variable; observed ones among them matter."""
    def __len__(self) -> int: ...

def small_network(index: ClusterIndex, question: Question) -> SmallNetwork:
    """Cut the small network of a question out of a model.

    Raises:
        ValueError: the question names a variable that there is not, or one twice, or contradicts itself.

    """

@final
class TableLayout:
    """What the tables of a discrete model look like: axes, sizes, and where each begins, without their numbers."""

    def __init__(self, index: ClusterIndex, states: NDArray[np.int32]) -> None:
        """Raises ValueError unless each variable has at least one state, MemoryError where no memory could hold the tables."""
    @property
    def index(self) -> ClusterIndex: ...
    @property
    def states(self) -> NDArray[np.int32]:
        """The number of states of each variable."""
    @property
    def offsets(self) -> NDArray[np.int64]:
        """Table t is the numbers from `offsets[t]` up to `offsets[t + 1]`; its axes are its parents, then its variable."""

@final
class Likelihoods:
    """The likelihoods of a question's soft evidence, in its order."""

    def __init__(self, numbers: Iterable[NDArray[np.float64]] = ()) -> None:
        """Raises ValueError where a number is negative or not finite, or where a likelihood is zero everywhere."""
    def __len__(self) -> int: ...

@final
class Tables:
    """The numbers of a discrete model: the tables that are given, and those derived from them.

    Threads may read tables that are there while one thread puts others in.
    """

    def __init__(self, layout: TableLayout, given: int) -> None:
        """No table is there yet. The first `given` tables come from outside, at least those of the network."""
    @property
    def layout(self) -> TableLayout: ...
    @property
    def given(self) -> int: ...
    @property
    def values(self) -> NDArray[np.float64]:
        """All numbers, read-only; those of a table that is not there mean nothing."""
    @property
    def floors(self) -> NDArray[np.float64]:
        """The binary logarithm of each table's smallest positive entry, NaN for one that is not there."""
    @property
    def underflowed(self) -> NDArray[np.int32]:
        """Tables with a probability that is too small for a float; they are never there."""
    @property
    def buffer(self) -> NDArray[np.float64]:
        """Where the numbers of given tables belong; `publish` says that those of some tables are complete."""
    def publish(self, tables: NDArray[np.int32]) -> None: ...
    def put(self, tables: NDArray[np.int32], values: NDArray[np.float64]) -> None:
        """Put the numbers of these tables in, one table after the other."""
    def mark_underflowed(self, tables: NDArray[np.int32]) -> None: ...
    def is_any_underflowed(self, tables: NDArray[np.int32]) -> bool: ...
    def have_zeros(self, tables: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether each of these tables is there and has an entry that is zero."""

@final
class Derivation:
    """The tables that have to be made before some wanted ones are there."""

    def __init__(self, tables: Tables, wanted: NDArray[np.int32]) -> None: ...
    @property
    def missing(self) -> NDArray[np.int32]:
        """Given tables whose numbers are not there: they have to be put in before `run`, or marked as underflowed."""
    def run(self) -> None:
        """Make the tables. Raises ValueError where given tables are missing still."""

def derivation_cost(tables: Tables, wanted: NDArray[np.int32]) -> tuple[int, int]:
    """The multiplications that deriving these tables takes, and the most bytes that one of them takes."""

class Status(Enum):
    FINE = 0
    IMPOSSIBLE = 1
    """The evidence has probability zero."""
    NEEDS_TABLES = 2
    """A table that the program loads is not there."""

class Arithmetic(Enum):
    """What a run computes with; the later ones only where a positive number could become zero."""

    PLAIN = 0
    SCALED = 1
    LOGARITHMS = 2

@final
class RunReport:
    @property
    def status(self) -> Status: ...
    @property
    def arithmetic(self) -> Arithmetic: ...
    @property
    def log_sum(self) -> float:
        """The natural logarithm of the probability of the evidence; of use for an `Ending.ANSWER`."""

@final
class Step:
    """A product of two tables of a program. Table 0 is the number 1, then come the tables loaded, then products."""

    @property
    def left(self) -> int: ...
    @property
    def right(self) -> int: ...
    @property
    def product(self) -> int: ...

@final
class Output:
    """A result: the variable of its only axis (-1 for a joint one), and where it is among the results."""

    @property
    def variable(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def size(self) -> int: ...

@final
class Program:
    """A compiled plan. It is the same for all states observed and all numbers, and any number of threads may run it."""

    @property
    def ending(self) -> Ending: ...
    @property
    def axes(self) -> NDArray[np.int32]:
        """The variables of its axes: first those eliminated, in order, then the targets."""
    @property
    def order(self) -> NDArray[np.int32]:
        """The variables in the order in which they are eliminated."""
    @property
    def scopes(self) -> Ragged:
        """The axes of each table, by index in `axes`."""
    @property
    def largest_scope(self) -> NDArray[np.int32]:
        """The variables of the largest table."""
    @property
    def is_too_large(self) -> bool:
        """Whether it is larger than any memory; then it has no steps and cannot be run."""
    @property
    def uses_all_evidence(self) -> bool: ...
    @property
    def cost(self) -> int:
        """Multiplications."""
    @property
    def workspace_size(self) -> int:
        """Numbers of the workspace."""
    @property
    def result_size(self) -> int:
        """Numbers of the result."""
    @property
    def peak_bytes(self) -> int:
        """The most bytes that one run takes, result included."""
    @property
    def own_bytes(self) -> int:
        """Bytes that the program itself takes."""
    @property
    def length(self) -> int:
        """How many numbers it is made of: a measure of how long it took to make."""
    @property
    def tables(self) -> NDArray[np.int32]:
        """The tables that it loads."""
    @property
    def derived(self) -> NDArray[np.int32]:
        """Those of them that are not the network's own."""
    @property
    def outputs(self) -> list[Output]: ...
    @property
    def steps(self) -> list[Step]: ...
    def derivation_cost(self, tables: Tables) -> tuple[int, int]:
        """What deriving the tables in `derived` takes: all multiplications, and the most bytes for one of them."""
    def run(
        self,
        tables: Tables,
        states: Iterable[int],
        likelihoods: Likelihoods,
        result: NDArray[np.float64],
        threads: int = 1,
    ) -> RunReport:
        """Run it for one row of evidence.

        Args:
            tables: Numbers of the layout that it was planned for.
            states: The state of each observed variable of the question.
            likelihoods: One for each variable with soft evidence.
            result: Gets the results, normalised: the answer as one, marginals each. Not touched where a table is missing.
            threads: Share the large steps of a long run; the bits are the same.

        Raises:
            ValueError: the tables are others, the evidence does not fit the question, or `result` has another size.

        """
    def run_rows(self, tables: Tables, states: NDArray[np.int32], results: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Run it for each row of states, without likelihoods; the values of the `Status` of each row."""
    def trace(
        self, tables: Tables, states: Iterable[int], likelihoods: Likelihoods, rows: int = 1, seed: int | None = None
    ) -> tuple[Status, NDArray[np.int32]]:
        """Run a program that ends in a trace, and go back through it.

        Returns:
            The status and, where that is fine, `rows` rows with the state of each axis: at random from this seed, or without
            one the most probable.

        """
    def trace_best(
        self, tables: Tables, states: Iterable[int], likelihoods: Likelihoods
    ) -> tuple[Status, float, NDArray[np.int32]]:
        """The status and, where that is fine, the logarithm of the largest weight and the state of each axis that has it."""

class Numbers:
    """The numbers of an answer, which it offers as a buffer (`numpy.frombuffer`)."""

    def __len__(self) -> int: ...

class Answer:
    """What an answer is about, and its numbers; `Distribution` inherits from it, so that the core can make one."""

    variables: tuple[str | int, ...]
    labels: tuple[tuple[Label, ...], ...]
    """The states of each variable."""
    evidence: object
    """What it was computed given, or None."""
    numbers: Numbers
    """The probabilities."""

class Queries:
    """Answers ordinary questions about one set of tables, each in one call, and keeps their plans; the oldest goes first."""

    def __init__(
        self,
        tables: Tables,
        indices: dict[str | int, int],
        names: Sequence[str | int],
        labels: Sequence[tuple[Label, ...]],
        derive: Callable[[NDArray[np.int32]], None],
        answer_type: type[Answer],
        coherent: bool,
        default_limit: int,
        cheap: float,
        cheap_for_each: float,
        shared_by: float,
        planning_one: float,
    ) -> None:
        """`indices` are those of the variables by name; it may grow. `derive` makes tables that are not there yet. Answers are
        instances of `answer_type`.

        A plan is too expensive for this where another might save `cheap` multiplications, and `cheap_for_each` for each number
        of the program. `shared_by` questions share the cost of a derived table; planning one variable takes as long as
        `planning_one` multiplications.
        """
    def ask_marginals(
        self, evidence: object = None, max_bytes: object = None, assume_possible: bool = False, threads: int = 1
    ) -> dict[str | int, Answer] | None:
        """P(v | evidence) for each variable v; None as for `ask`. Large steps are shared by several threads."""
    def ask(
        self, variables: object, evidence: object = None, max_bytes: object = None, assume_possible: bool = False
    ) -> Answer | None:
        """P(variables | evidence); None where the question is not ordinary, and has to be answered in another way.

        That is: names or labels that are not there or of unusual types, tables that are not there yet, evidence that is
        impossible, variables that are observed, a question that is expensive or too large.
        """
    def __len__(self) -> int:
        """The number of plans that are kept."""

def plan(layout: TableLayout, question: Question) -> Program:
    """The program of a question, a function of both and of nothing else.

    Raises:
        ValueError: the question names a variable that there is not, or one twice, or contradicts itself.

    """

def plan_derivation(layout: TableLayout, table: int) -> Program:
    """The program that derives a table. Raises ValueError where there is none, or it is the network's own."""

def simd_levels() -> tuple[str, ...]:
    """The levels of vector instructions that this machine has, the widest last; all give the same bits."""

def simd_level() -> str:
    """The level in use."""

def set_simd_level(name: str) -> None:
    """Use another level, in all threads. Raises ValueError if this machine does not have it."""

# --- learning -------------------------------------------------------------------------------------------------------

MISSING_CODE: int
"""The code of a missing cell, or of a value that counts as one."""

@final
class IntegerEncoder:
    """_Codes of 64-bit keys: integers, or addresses of objects that the caller keeps alive. One thread uses it at a time."""

    def __init__(self) -> None: ...
    def __len__(self) -> int:
        """The number of keys it knows."""
    def add(self, key: int, code: int) -> None:
        """Give a key its code, -1 or more; a known key gets another one."""
    def encode(self, values: NDArray[np.integer[Any]], out: _Codes, first: int) -> int:
        """Write the codes of the values from `first` on, up to the first value that is unknown.

        `values` are integers of at most 64 bits with a sign, at any stride; `out` has the same length. A code that is too wide
        for `out` is cut.

        Returns:
            The index of the unknown value, or -1 if all are known.

        Raises:
            ValueError: lengths, types or `first` are wrong.

        """

@final
class TextEncoder:
    """_Codes of texts as Arrow holds them: UTF-8 bytes, and where each text begins. One thread uses it at a time."""

    def __init__(self) -> None: ...
    def __len__(self) -> int:
        """The number of texts it knows."""
    def add(self, text: bytes, code: int) -> None:
        """Give a text its code, -1 or more; a known text gets another one."""
    def encode(
        self,
        offsets: NDArray[np.int32] | NDArray[np.int64],
        text: NDArray[np.uint8],
        out: _Codes,
        first: int,
        validity: NDArray[np.uint8] | None = None,
        first_bit: int = 0,
    ) -> int:
        """As `IntegerEncoder.encode`, for the texts `text[offsets[i]:offsets[i + 1]]`.

        Text i is missing where bit `first_bit + i` of `validity` is not set.

        Raises:
            ValueError: lengths, types or `first` are wrong, or offsets fall or leave the bytes.

        """
    def encode_objects(self, values: NDArray[np.object_], out: _Codes, first: int) -> int:
        """As `encode`, for Python objects; None and NaN are missing, and all that is neither these nor str is unknown."""

@final
class CountTables:
    """Families of variables, and where their tables lie among all counts."""

    def __init__(
        self, members: Ragged, states: NDArray[np.int64], may_miss: NDArray[np.bool_], first_cell: NDArray[np.int64]
    ) -> None:
        """A record for `count_cells`.

        Args:
            members: For each family its parents and then its variable.
            states: For each variable the number of its states.
            may_miss: For each variable whether some of its codes are below zero.
            first_cell: For each family where its table begins; below zero if it is not counted.

        Raises:
            ValueError: lengths differ, a member is no variable, or a table has 2**31 cells or more.

        """
    def __len__(self) -> int: ...

def count_cells(
    tables: CountTables,
    codes: _Codes,
    rows: int,
    counts: NDArray[np.int64],
    used: NDArray[np.int64],
    first: int,
    last: int,
) -> None:
    """Add rows to the tables of the families from `first` up to `last`. Threads may share the families.

    Args:
        tables: The families.
        codes: `codes[v, row]` is the state of variable v, below zero where it is missing. int8 or int32.
        rows: The first `rows` rows are counted, each in the families none of whose cells are missing in it.
        counts: All tables, the variable's state running fastest.
        used: For each family the number of rows counted.
        first: The first family.
        last: One more than the last family.

    Raises:
        ValueError: arrays are too short, or a code is no state; some rows may be counted then.

    """

@final
class ExpectedTables:
    """Expected counts of any sets of variables in rows with missing cells, given what each row shows, under one network."""

    @overload
    def __init__(
        self,
        graph: Graph,
        states: NDArray[np.int32],
        values: NDArray[np.float64],
        codes: NDArray[np.int8],
        weights: NDArray[np.float64],
        most_bytes: float,
        threads: int = 1,
    ) -> None:
        """`values` are the tables of all families one after the other, axes (*parents, variable); `codes[variable, row]` is
        negative where a cell is missing.
        """

    @overload
    def __init__(
        self,
        graph: Graph,
        states: NDArray[np.int32],
        values: NDArray[np.float64],
        codes: NDArray[np.int32],
        weights: NDArray[np.float64],
        most_bytes: float,
        threads: int = 1,
    ) -> None: ...
    def tables_of(self, sets: Sequence[tuple[int, ...]]) -> list[NDArray[np.float64]] | None:
        """A table for each set, whose variables ascend, flat, the last one changing fastest. None where the posteriors of one
        set take more than `most_bytes`. Raises ValueError where a row has probability zero.
        """

    @property
    def refused_bytes(self) -> float:
        """What the posteriors of the last set that was refused take."""

@final
class ExpectedCounts:
    """The E-step of EM: rows whose families are counted, entirely or in expectation. The tables of all families lie one after
    the other, axes (*parents, variable).
    """

    def __init__(self, graph: Graph, states: NDArray[np.int32]) -> None:
        """No rows yet; `states` is the number of states of each variable."""
    @overload
    def add_rows(self, codes: NDArray[np.int8], weights: NDArray[np.float64] | None) -> None:
        """Add rows, `codes[variable, row]`, below zero where a cell is missing; without weights each weighs one.

        Raises:
            ValueError: A state is none of its variable's, or arrays do not fit.
        """
    @overload
    def add_rows(self, codes: NDArray[np.int16], weights: NDArray[np.float64] | None) -> None: ...
    @overload
    def add_rows(self, codes: NDArray[np.int32], weights: NDArray[np.float64] | None) -> None: ...
    def finish(self) -> None:
        """Cut what was added into blocks of about the same cost; to be called after the last rows."""
    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where the table of each family begins, and where the last one ends."""
    @property
    def complete_counts(self) -> NDArray[np.float64]:
        """For each cell the weight of the rows that show it entirely."""
    @property
    def family_weights(self) -> NDArray[np.float64]:
        """For each family the weight of the rows in which it counts, entirely or in expectation."""
    @property
    def row_weight(self) -> float: ...
    @property
    def missing_cells(self) -> float:
        """The weight of all cells that are missing."""
    @property
    def component_count(self) -> int:
        """The number of different components of missing variables, with the observed cells around them."""
    @property
    def largest_workspace(self) -> float:
        """The most numbers that the posterior of one component takes."""
    @property
    def largest_component(self) -> NDArray[np.int32]:
        """The variables of that component."""
    @property
    def cost(self) -> float:
        """The multiplications of one E-step."""
    @property
    def held_bytes(self) -> float:
        """The bytes of what rows leave open, which grow with the rows that differ."""
    @property
    def block_count(self) -> int: ...
    def expect(self, values: NDArray[np.float64], block: int, counts: NDArray[np.float64]) -> tuple[float, float]:
        """Add the expected counts of one block's components to `counts`, given the tables `values`.

        Returns:
            The log-likelihood of the components in the block, and the weight of those of probability zero, which count nowhere.

        Raises:
            ValueError: There is no such block, or there is not a number for each cell.
        """

@final
class ExpectedMoments:
    """The E-step of EM for numbers: rows with gaps, of which families with a missing member are measured in expectation. A
    family has its parents and then its variable as members.
    """

    def __init__(self, graph: Graph) -> None: ...
    def add_rows(self, values: NDArray[np.float64], weights: NDArray[np.float64] | None) -> None:
        """Add rows, `values[variable, row]`, NaN where a cell is missing; without weights each weighs one.

        Raises:
            ValueError: Arrays do not fit.
        """
    def finish(self) -> None:
        """Cut what was added into blocks of about the same cost; to be called after the last rows."""
    @property
    def family_weights(self) -> NDArray[np.float64]:
        """For each family the weight of the rows in which it counts in expectation."""
    @property
    def missing_cells(self) -> float:
        """The weight of all cells that are missing."""
    @property
    def component_count(self) -> int: ...
    @property
    def largest_workspace(self) -> float:
        """The most numbers that the posterior of one component takes."""
    @property
    def largest_component(self) -> NDArray[np.int32]:
        """The variables of that component."""
    @property
    def cost(self) -> float:
        """The multiplications of one E-step."""
    @property
    def held_bytes(self) -> float:
        """The bytes of what rows leave open, which grow with the rows that differ."""
    @property
    def block_count(self) -> int: ...
    def expect(
        self,
        intercept: NDArray[np.float64],
        coefficients: NDArray[np.float64],
        variance: NDArray[np.float64],
        block: int,
        sums: NDArray[np.float64],
        products: NDArray[np.float64],
    ) -> tuple[float, float]:
        """Add the expected sums of one block, and of products the lower half of a matrix for each family.

        Returns:
            The log-likelihood of the components in the block, and the weight of those of density zero, which count nowhere.

        Raises:
            ValueError: There is no such block, or arrays do not fit.
        """

@final
class RowCompletion:
    """Rows with missing states: the probability of what they show, and what they do not show filled in."""

    def __init__(
        self, graph: Graph, states: NDArray[np.int32], filling: Literal["none", "most_probable", "sample"]
    ) -> None: ...
    def plan(self, codes: NDArray[np.int32]) -> None:
        """See rows, `codes[variable, row]`: -1 where a cell is missing and wanted, -2 where it is missing and summed over.

        Raises:
            ValueError: A state is none of its variable's, or there is not a line for each variable.
        """
    @property
    def largest_workspace(self) -> float:
        """The most numbers that the missing cells of one row take."""
    @property
    def largest_component(self) -> NDArray[np.int32]:
        """The variables of these cells."""
    def complete(
        self,
        values: NDArray[np.float64],
        codes: NDArray[np.int32],
        noise: NDArray[np.float64] | None,
        log_probability: NDArray[np.float64],
    ) -> None:
        """Write the logarithm of the probability of what rows show, and fill in what is wanted, in place.

        States are drawn by the numbers of `noise`, between zero and one. Impossible rows stay as they are.

        Raises:
            ValueError: A row was not planned for, or arrays do not fit.
        """

@final
class LinearCompletion:
    """Rows with missing numbers: the density of what they show, and what they do not show filled in."""

    def __init__(self, graph: Graph, is_wanted: NDArray[np.bool_]) -> None:
        """`is_wanted` says whether the missing cells of a variable are filled in."""
    def plan(self, values: NDArray[np.float64]) -> None:
        """See rows, `values[variable, row]`, NaN where a cell is missing.

        Raises:
            ValueError: There is not a line for each variable.
        """
    @property
    def largest_workspace(self) -> float:
        """The most numbers that the missing cells of one row take."""
    @property
    def largest_component(self) -> NDArray[np.int32]:
        """The variables of these cells."""
    def complete(
        self,
        intercept: NDArray[np.float64],
        coefficients: NDArray[np.float64],
        variance: NDArray[np.float64],
        values: NDArray[np.float64],
        noise: NDArray[np.float64] | None,
        log_density: NDArray[np.float64],
    ) -> None:
        """Write the logarithm of the density of the families with a missing member, and fill in what is wanted, in place.

        With `noise`, standard normal numbers, cells are drawn, else they are means. Impossible rows stay as they are.

        Raises:
            ValueError: Arrays do not fit.
        """

@final
class MomentSums:
    """Sums of the deviations and of their products in families of variables, all zero at first."""

    def __init__(self, members: Ragged) -> None: ...
    def __len__(self) -> int: ...
    @property
    def shift(self) -> NDArray[np.float64]:
        """For each member of each family what its deviations are from: its number in the first row that the family takes."""
    @property
    def sums(self) -> NDArray[np.float64]:
        """For each member of each family the sum of its deviations."""
    @property
    def products(self) -> NDArray[np.float64]:
        """For each family with m members an m × m matrix, of which the lower half is filled."""
    @property
    def used(self) -> NDArray[np.int64]:
        """For each family the number of rows it took."""

def add_moments(
    moments: MomentSums, values: NDArray[np.float64], rows: int, may_miss: NDArray[np.bool_], first: int, last: int
) -> None:
    """Add rows to the sums of the families from `first` up to `last`. Threads may share the families.

    Args:
        moments: The families and their sums.
        values: `values[v, row]` is the number of variable v, NaN where it is missing.
        rows: The first `rows` rows are added, each to the families none of whose cells are missing in it.
        may_miss: For each variable whether some of its numbers are NaN.
        first: The first family.
        last: One more than the last family.

    Raises:
        ValueError: arrays are too short.

    """

def cluster_checksums(
    numbers: NDArray[np.float64],
    table_offsets: NDArray[np.int64],
    cluster_offsets: NDArray[np.int64],
    member_table: NDArray[np.int32],
    known: int,
    first: int,
    last: int,
) -> NDArray[np.uint64]:
    """A mix of the bits of the numbers in the tables of each cluster, as model files hold it.

    Args:
        numbers: Those of table t are `numbers[table_offsets[t]:table_offsets[t + 1]]`.
        table_offsets: Where each table begins.
        cluster_offsets: The tables of cluster c are `member_table[cluster_offsets[c]:cluster_offsets[c + 1]]`.
        member_table: The tables of all clusters.
        known: Only the first `known` tables count.
        first: The first cluster.
        last: One more than the last cluster.

    Raises:
        ValueError: an offset or a table leaves its array.

    """

# --- structure ------------------------------------------------------------------------------------------------------

def bit_loop_names() -> list[str]:
    """The levels of vector instructions that counting by bits can use here, the best one last."""

def use_bit_loops(name: str) -> None:
    """Use another level, for tests: all give the same counts. Raises ValueError for one that is not there."""

class FamilyScore:
    """Scores of families, a pure function of the data: all that a search for a structure asks of it."""

    @property
    def size(self) -> int:
        """The number of variables."""
    def family(self, variable: int, parents: NDArray[np.int32]) -> float:
        """The score of a variable given parents, which ascend."""
    def with_each(self, variable: int, parents: NDArray[np.int32], candidates: NDArray[np.int32]) -> NDArray[np.float64]:
        """The scores of a variable given the parents and one of the candidates each."""
    def parameters(self, variable: int, parents: NDArray[np.int32]) -> float:
        """The free parameters of a family."""

@final
class DiscreteScore(FamilyScore):
    """Scores from counts: `bic`, `aic`, `bdeu`, or the `likelihood` without a penalty."""

    @overload
    def __init__(
        self,
        codes: NDArray[np.int8],
        states: NDArray[np.int32],
        weights: NDArray[np.int64] | None,
        criterion: str,
        equivalent_sample_size: float = 1.0,
        unit: float = 1.0,
        threads: int = 1,
    ) -> None:
        """Rows `codes[variable, row]`, -1 where a cell is missing; without weights each weighs one. A weight of 1 counts as
        `unit` rows. The scores are the same for any number of threads. Raises ValueError where a code is no state.
        """
    @overload
    def __init__(
        self,
        codes: NDArray[np.int32],
        states: NDArray[np.int32],
        weights: NDArray[np.int64] | None,
        criterion: str,
        equivalent_sample_size: float = 1.0,
        unit: float = 1.0,
        threads: int = 1,
    ) -> None: ...

@final
class GaussianScore(FamilyScore):
    """Scores from means and the covariance of maximum likelihood: `bic`, `aic`, `bge`, or the `likelihood`."""

    def __init__(
        self,
        means: NDArray[np.float64],
        covariance: NDArray[np.float64],
        rows: float,
        criterion: str,
        mean_weight: float = 1.0,
        degrees: float = 0.0,
        scale: float = 0.0,
    ) -> None:
        """`mean_weight`, `degrees` and `scale` (of the identity) are the prior of BGe."""

@final
class GappedGaussianScore(FamilyScore):
    """Scores where cells are missing: each family in the rows that show it, by averages. `bic`, `aic` or `likelihood`."""

    def __init__(
        self,
        means: NDArray[np.float64],
        scatter: NDArray[np.float64],
        group_weights: NDArray[np.float64],
        rows: NDArray[np.float64],
        weights: NDArray[np.float64],
        criterion: str,
    ) -> None:
        """Groups of rows that show the same variables by their moments, a line each (NaN for other variables), and other rows
        by their numbers `rows[variable, row]`. Raises ValueError where lengths do not fit.
        """

@final
class CountedScore(FamilyScore):
    """Scores from tables of counts that a function holds: those of `DiscreteScore` for rows with the same counts."""

    def __init__(
        self,
        states: NDArray[np.int32],
        rows: int,
        tables_of: Callable[[list[tuple[int, ...]]], list[NDArray[np.int64]]],
        criterion: str,
        equivalent_sample_size: float = 1.0,
        unit: float = 1.0,
    ) -> None:
        """`tables_of` answers a round of sets of variables with a table each, flat, the last variable changing fastest; each
        adds up to `rows`, and a count of one is `unit` rows. Raises ValueError where a table does not fit.
        """

@final
class PenalisedScore(FamilyScore):
    """Another score with a price for each edge."""

    def __init__(self, score: FamilyScore, edge_penalty: float) -> None: ...

@final
class CallableScore(FamilyScore):
    """A function of (variable, parents) in place of data: an oracle."""

    def __init__(
        self,
        size: int,
        score: Callable[[int, tuple[int, ...]], float],
        parameters: Callable[[int, tuple[int, ...]], float] | None = None,
    ) -> None: ...

@final
class EdgeConstraints:
    """What a graph must and must not have: pairs (parent, child), one a row."""

    def __init__(self, size: int, required: NDArray[np.int32], forbidden: NDArray[np.int32], max_parents: int = -1) -> None:
        """Without `max_parents` (-1) there is no limit. Raises ValueError for an edge that does not join two variables."""
    @property
    def size(self) -> int: ...
    @property
    def max_parents(self) -> int: ...

@final
class StructureSearch:
    """Hill climbing from a start, and with a budget on from the optimum. How it is cut into calls makes no difference."""

    def __init__(
        self,
        score: FamilyScore,
        constraints: EdgeConstraints,
        start: Ragged,
        budget: int = 0,
        tabu_steps: int = 0,
        seed: int = 0,
    ) -> None:
        """`start`: the parents of each variable. Raises ValueError where it is not acyclic or not within the constraints."""
    def advance(self, evaluations: int) -> bool:
        """Go on for about this many scores of families; False once the search has ended."""
    def edge_gains(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What removing and what reversing each edge of `parents` gains; NaN where that is not allowed."""
    @property
    def parents(self) -> Ragged:
        """The best graph so far."""
    @property
    def is_loaded(self) -> bool:
        """Whether the scores of the start are all there."""
    @property
    def score(self) -> float: ...
    @property
    def evaluations(self) -> int:
        """The scores of families that were asked for."""
    def moves(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """(0 add, 1 remove, 2 reverse; parent; child) and the gain of each move that led to the best graph."""

@final
class ClassSearch:
    """Greedy search over classes of equivalent graphs: GES in the order of XGES."""

    def __init__(self, score: FamilyScore, constraints: EdgeConstraints, start: Graph, attempts: int) -> None:
        """Edges are forbidden in both directions or in none, and none is required.

        From an optimum, at most `attempts` times an edge is taken out to go on from there.
        """
    def advance(self, evaluations: int) -> bool:
        """Go on for about this many scores; False once the search has ended."""
    @property
    def graph(self) -> Pdag:
        """The best class so far."""
    @property
    def gained(self) -> float:
        """How much better it is than the start."""
    @property
    def evaluations(self) -> int: ...
    @property
    def moves(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The way there: (0 add, 1 remove, 2 reverse; parent; child) a row each, and what each move gained."""

class IndependenceTest:
    """Tests whether two variables are independent given others: all that a search by constraints asks of the data."""

    @property
    def size(self) -> int: ...
    def are_independent(self, one: int, other: int, given: NDArray[np.int32]) -> bool: ...

@final
class LikelihoodTest(IndependenceTest):
    """G² (`discrete`), or Fisher's z (`gaussian`), from scores without a penalty."""

    def __init__(self, likelihood: FamilyScore, kind: str, alpha: float, rows: float) -> None: ...
    def p_value(self, one: int, other: int, given: NDArray[np.int32]) -> float: ...

@final
class CallableTest(IndependenceTest):
    """A function of two variables and a tuple of others in place of data."""

    def __init__(self, size: int, test: Callable[[int, int, tuple[int, ...]], bool]) -> None: ...

def chi_squared_tail(value: float, degrees: float) -> float:
    """The probability that a chi-squared variable is larger than this."""

@final
class ConstraintSearch:
    """PC-stable: edges are removed by tests, level by level, and directed by colliders and what follows from them."""

    def __init__(self, test: IndependenceTest, constraints: EdgeConstraints, most_tests: int = ...) -> None:
        """It ends after about `most_tests`."""
    def advance(self, tests: int) -> bool:
        """Go on for about this many tests; False once no edge is left to test."""
    def oriented(self) -> Pdag:
        """The edges that are left, with the directions that the constraints and the tests give them."""
    @property
    def level(self) -> int:
        """How many variables the tests are given."""
    @property
    def left_out(self) -> int:
        """How many pairs of the level were not tested to the end."""
    @property
    def tests(self) -> int: ...

@final
class ExactSearch:
    """The graph of the best score, by dynamic programming."""

    most_variables: ClassVar[int]
    bytes_per_subset: ClassVar[int]
    def __init__(
        self, score: FamilyScore, constraints: EdgeConstraints, tops: NDArray[np.float64] | None, penalty: float
    ) -> None:
        """With `tops`, no score of a variable is more than its top less `penalty` for each parameter."""
    def score_sets(self, most: int, most_scores: int) -> bool:
        """Score the sets of parents of one more variable; False where more than `most` would have to be held, or more than
        `most_scores` asked for.
        """
    def largest_part(self) -> int:
        """How many variables may depend on each other, 2 to the power of which numbers are needed."""
    def ordering_work(self) -> float:
        """About how many sets of parents `best_parents` looks at."""
    def best_parents(self) -> Ragged: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def held(self) -> int:
        """The sets that can be in the best graph."""

# --- storage --------------------------------------------------------------------------------------------------------

def check_names(text: NDArray[np.uint8], offsets: NDArray[np.int64], integers: int) -> None:
    """Raises ValueError unless the offsets begin at 0, never fall and end with the text, every name is UTF-8 (lone surrogates
    included), and the names are in canonical order, no two of them equal: first the integers, as many as said, then the others.
    """

@final
class StoredNumbers:
    """The numbers of the first tables of an index, one table after the other, as a file has them.

    A table has a row of probabilities for each configuration of its parents; a regression has its intercept, its variance and
    its coefficients.
    """

    @staticmethod
    def of_tables(index: ClusterIndex, tables: int, states: NDArray[np.int64], most: int) -> StoredNumbers:
        """Raises ValueError where a variable has no states, where there are fewer tables, or more than `most` numbers."""
    @staticmethod
    def of_regressions(index: ClusterIndex, tables: int) -> StoredNumbers: ...
    def __len__(self) -> int: ...
    @property
    def offsets(self) -> NDArray[np.int64]:
        """The numbers of table t are those from `offsets[t]` up to `offsets[t + 1]`."""
    def checksums(self, numbers: NDArray[np.float64], first: int, last: int) -> NDArray[np.uint64]:
        """One for each cluster from `first` up to `last`: a mix of the bits of the numbers in its tables."""
    def find_wrong_table(self, numbers: NDArray[np.float64], tables: NDArray[np.int32]) -> int:
        """The first of the tables with a number that is not finite, a negative probability or variance, or a row that does not
        sum to one; -1 if there is none.
        """
