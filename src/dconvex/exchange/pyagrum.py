"""Discrete networks to and from pyAgrum.

The parents of a family are the variables that follow its own in `cpt.names`, in that order.

pyAgrum's names and labels are strings. Ascending integer states become an `IntegerVariable`; the network's property
`dconvex` says which other strings mean an int or a bool. So `from_pyagrum(to_pyagrum(network))` equals `network`, the
numbers to the last bit. Without that property the labels of integer and range variables are read as int, all other strings
as they are.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard, cast

import numpy as np

from dconvex.arrays import Floats
from dconvex.errors import NetworkError
from dconvex.graph.dag import Dag
from dconvex.intervals import Interval
from dconvex.names import Label, Name
from dconvex.network.family import Table
from dconvex.network.network import BayesianNetwork

PROPERTY = "dconvex"
INTERVAL = "dconvex_interval"
"""The property of a pyAgrum network that says which of its strings mean something else."""

Meaning: TypeAlias = Mapping[str, Label]


def from_pyagrum(model: Any) -> BayesianNetwork:
    """The network in a pyAgrum model.

    Args:
        model: A `pyagrum.BayesNet`; noisy-or, logit and aggregator nodes become tables.

    Returns:
        The network.

    Raises:
        TypeError: `model` is not a `pyagrum.BayesNet`.
        NetworkError: A row of a table is not a distribution.
        ImportError: pyAgrum is not installed.

    """
    gum = _pyagrum()
    if not isinstance(model, gum.BayesNet):
        raise TypeError(f"expected a pyagrum.BayesNet, not {type(model).__name__}")
    names, meanings = _marked(model)
    parents, tables, states = {}, {}, {}
    for node in model.nodes():
        cpt = model.cpt(node)
        own, *above = (names.get(text, text) for text in cpt.names)
        # Not `toarray`: noisy-or and aggregator nodes have no array, and it returns uninitialised memory.
        tables[own] = _parents_reversed(cpt[:])
        parents[own] = above
        states[own] = _labels(gum, model.variable(node), meanings.get(cpt.names[0], {}))
    return BayesianNetwork.discrete(Dag.from_parents(parents), tables, states)


def to_pyagrum(network: BayesianNetwork) -> Any:
    """A pyAgrum model of the network.

    Args:
        network: A discrete network.

    Returns:
        A new `pyagrum.BayesNet` with the same names, states and numbers.

    Raises:
        NetworkError: The network is not discrete.
        ImportError: pyAgrum is not installed.

    """
    gum = _pyagrum()
    if network.kind != "discrete":
        raise NetworkError(f"a pyagrum.BayesNet holds discrete networks only, and this one is {network.kind}; try to_pgmpy")
    model = gum.BayesNet()
    names = _texts(network.dag.nodes)
    meanings = {}
    for index, (name, labels) in enumerate(network.states.items()):
        variable, meanings[names[name]] = _variable(gum, names[name], labels)
        model.add(variable, index)  # without the index, pyAgrum's search for a free one makes this quadratic
    _mark(model, _meaning(names), meanings)
    _add_arcs(model, network.dag)
    for index, name in enumerate(network.dag.nodes):
        values = cast(Table, network.family(name)).values
        model.cpt(index)[:] = np.ascontiguousarray(_parents_reversed(values))
    return model


def _pyagrum() -> Any:
    try:
        with warnings.catch_warnings():
            # If this warning of pyAgrum's binding is an error, the import kills the process.
            warnings.filterwarnings("ignore", "builtin type .* has no __module__ attribute", DeprecationWarning)
            import pyagrum
    except ImportError as error:
        raise ImportError("exchange with pyAgrum needs pyAgrum: pip install pyagrum") from error
    return pyagrum


def _parents_reversed(values: Floats) -> Floats:
    """From our axes (first parent, …, last parent, variable) to pyAgrum's (last parent, …, first, variable) or back."""
    own = values.ndim - 1
    return values.transpose([*reversed(range(own)), own])


def _mark(model: Any, names: Meaning, states: Mapping[str, Meaning]) -> None:
    changed = {name: meaning for name, meaning in states.items() if meaning}
    if names or changed:
        model.setProperty(PROPERTY, json.dumps({"names": names, "states": changed}, default=_as_object))


def _marked(model: Any) -> tuple[dict[str, Name], dict[str, Meaning]]:
    """The meaning of names, and for each variable the meaning of its labels."""
    mark = json.loads(model.propertyWithDefault(PROPERTY, "{}"), object_hook=_from_object)
    return mark.get("names", {}), mark.get("states", {})


def _as_object(interval: Interval) -> dict[str, str]:
    return {INTERVAL: str(interval)}


def _from_object(found: dict[str, object]) -> object:
    return Interval.from_text(str(found[INTERVAL])) if found.keys() == {INTERVAL} else found


def _labels(gum: Any, variable: Any, meaning: Meaning) -> list[Label]:
    is_integer = variable.varType() in (gum.VarType_INTEGER, gum.VarType_RANGE)
    return [int(text) if is_integer else meaning.get(text, text) for text in variable.labels()]


def _variable(gum: Any, name: str, labels: Sequence[Label]) -> tuple[Any, Meaning]:
    """The variable, and the meaning of those labels that mean something else."""
    if _fit_an_integer_variable(labels):
        return gum.IntegerVariable(name, "", list(labels)), {}
    texts = _texts(labels)
    return gum.LabelizedVariable(name, "", [texts[label] for label in labels]), _meaning(texts)


def _fit_an_integer_variable(labels: Sequence[Label]) -> bool:
    """Whether the labels ascend within 32 bits: pyAgrum sorts them, and truncates larger ones silently."""
    integers = [label for label in labels if type(label) is int and abs(label) < 2**31]
    return len(integers) == len(labels) and integers == sorted(integers)


def _texts(values: Sequence[Label]) -> dict[Label, str]:
    """A text for each value, all different: strings keep their own, others get what is left."""
    texts: dict[Label, str] = {value: value for value in values if _is_its_own_text(value)}
    taken = set(texts.values())
    for value in values:
        if value not in texts:
            text = str(value).replace("\0", "")
            while text in taken:
                text += "_"
            taken.add(text)
            texts[value] = text
    return texts


def _is_its_own_text(value: Label) -> TypeGuard[str]:
    return isinstance(value, str) and "\0" not in value  # pyAgrum cuts a label at a NUL character


def _meaning(texts: Mapping[Label, str]) -> Meaning:
    return {text: value for value, text in texts.items() if text != value}


def _add_arcs(model: Any, dag: Dag) -> None:
    model.beginTopologyTransformation()  # tables take their shape once, at the end
    # Parents first: before each arc pyAgrum searches for a path back from the child, which has no children yet.
    for child in dag.graph.order.tolist():
        for parent in dag.graph.parents[child].tolist():
            model.addArc(parent, child)
    model.endTopologyTransformation()
