"""The lines of Python that ask the same question."""

from __future__ import annotations

from typing import Any

from dconvex.explorer.question import Question


def asking_lines(loading: str, question: Question) -> str:
    """A script that asks for the joint distribution of the variables asked for, or for all marginals if there are none.

    >>> print(asking_lines("dc.localize(dc.load_network('asia'))", Question(asked=("lung",), seen={"smoke": "yes"})), end="")
    import dconvex as dc
    <BLANKLINE>
    model = dc.localize(dc.load_network('asia'))
    evidence = {'smoke': 'yes'}
    answer = model.query(['lung'], evidence)
    print(answer)
    """
    first = [repr(list(question.asked))] if question.asked else []
    return _script(loading, "query" if question.asked else "marginals", first, question)


def most_probable_lines(loading: str, question: Question) -> str:
    """A script that asks for the most probable state of the variables asked for, or of all."""
    return _script(loading, "most_probable", [repr(list(question.asked) or None)], question)


def _script(loading: str, method: str, first: list[str], question: Question) -> str:
    known: dict[str, Any] = {"evidence": question.seen, "soft": question.soft}
    given = [f"{name} = {value!r}" for name, value in known.items() if value]
    arguments = [*first, *(["evidence"] if question.seen else []), *(["soft=soft"] if question.soft else [])]
    lines = ["import dconvex as dc", "", f"model = {loading}", *given]
    lines += [f"answer = model.{method}({', '.join(arguments)})", "print(answer)"]
    return "\n".join(lines) + "\n"
