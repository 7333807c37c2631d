"""The lines of Python that ask the same question."""

from __future__ import annotations

from dconvex.explorer.page_question import PageQuestion
from dconvex.intervals import Interval


def query_lines(loading: str, question: PageQuestion) -> str:
    """A script that asks for the joint distribution of the targets, or for all marginals if there are none.

    >>> question = PageQuestion(targets=("lung",), evidence={"smoke": "yes"})
    >>> print(query_lines("dc.localize(dc.load_network('asia'))", question), end="")
    import dconvex as dc
    <BLANKLINE>
    model = dc.localize(dc.load_network('asia'))
    evidence = {'smoke': 'yes'}
    answer = model.query(['lung'], evidence)
    print(answer)
    """
    first = [repr(list(question.targets))] if question.targets else []
    return _script(loading, "query" if question.targets else "marginals", first, question)


def most_probable_lines(loading: str, question: PageQuestion) -> str:
    """A script that asks for the most probable state of the targets, or of all variables."""
    return _script(loading, "most_probable", [repr(list(question.targets) or None)], question)


def _script(loading: str, method: str, first: list[str], question: PageQuestion) -> str:
    known: dict[str, object] = {"evidence": question.evidence, "soft": question.soft}
    given = [f"{name} = {value!r}" for name, value in known.items() if value]
    arguments = [*first, *(["evidence"] if question.evidence else []), *(["soft=soft"] if question.soft else [])]
    lines = ["", f"model = {loading}", *_variant_lines(question), *given]
    lines += [f"answer = model.{method}({', '.join(arguments)})", "print(answer)"]
    return "\n".join([*_imports(question), *lines]) + "\n"


def _imports(question: PageQuestion) -> list[str]:
    """What the script needs; intervals are written as themselves."""
    soft = [label for weights in question.soft.values() for label in weights]
    known = [*question.evidence.values(), *question.variant.settings.values(), *soft]
    labels = [label for value in known for label in (value if isinstance(value, set) else [value])]
    intervals = ["", "from dconvex import Interval"] if any(isinstance(label, Interval) for label in labels) else []
    return [*(["from math import inf", ""] if intervals else []), "import dconvex as dc", *intervals[1:]]


def _variant_lines(question: PageQuestion) -> list[str]:
    """What changes tables and sets variables."""
    lines = []
    tables, settings = question.variant.tables, question.variant.settings
    if tables and question.kind == "discrete":
        lines += [
            "network = model.network()",
            "tables = {name: network.family(name).values.copy() for name in network.dag.nodes}",
            *(
                f"tables[{name!r}].reshape(-1, tables[{name!r}].shape[-1])[{row}] = {list(numbers)!r}"
                for name, rows in tables.items()
                for row, numbers in rows.items()
            ),
            "model = dc.localize(dc.BayesianNetwork.discrete(network.dag, tables, network.states))",
        ]
    elif tables:
        lines += [
            "network = model.network()",
            "regressions = {name: network.family(name) for name in network.dag.nodes}",
            *(
                f"regressions[{name!r}] = ({numbers[0]!r}, dict(zip(network.dag.parents({name!r}), {list(numbers[1:-1])!r})), "
                f"{numbers[-1]!r})"
                for name, rows in tables.items()
                for numbers in rows.values()
            ),
            "model = dc.localize(dc.BayesianNetwork.gaussian(network.dag, regressions))",
        ]
    return [*lines, f"model = model.do({settings!r})"] if settings else lines
