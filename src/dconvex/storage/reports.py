"""Priors and reports of models that were learned, in files and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Literal

import numpy as np

from dconvex.arrays import Array
from dconvex.inference.report import EmReport, Report
from dconvex.learning.estimation.priors import KINDS, BDeu, Dirichlet, NormalInverseGamma, Prior
from dconvex.learning.learning_options import EM
from dconvex.names import Name
from dconvex.storage.container import Container
from dconvex.storage.facts import Facts, read_json
from dconvex.storage.sections import Record


def prior_record(prior: Prior | None) -> Record | None:
    """The name and the numbers of a prior."""
    if prior is None:
        return None
    numbers = {name: _as_pairs(value) for name, value in asdict(prior).items() if value is not None}
    return {"kind": type(prior).__name__, **numbers}


def _as_pairs(value: object) -> object:
    """What has a number for each variable as pairs: names in JSON are text."""
    return [[name, own] for name, own in value.items()] if isinstance(value, Mapping) else value


def _of_pairs(record: Facts, what: str) -> float | dict[Name, object]:
    """What `_as_pairs` gave."""
    if type(record.record[what]) is not list:
        return record.number(what)
    pairs = record.items(what)
    if not all(isinstance(pair, list) and len(pair) == 2 and type(pair[0]) in (str, int) for pair in pairs):
        raise record.wrong(what, pairs)
    return {name: tuple(own) if what == "axes" and isinstance(own, list) else own for name, own in pairs}


def read_prior(about: Facts, kind: str) -> Prior | None:
    """The prior of a model of this kind.

    Raises:
        FormatError: There is no such prior, or not for this kind of model.
    """
    if "prior" not in about:
        return None
    record = about.part("prior")
    fitting: tuple[type[Prior], ...] = (BDeu, Dirichlet) if kind == "discrete" else (NormalInverseGamma,)
    chosen = KINDS[record.choice("kind", [kind.__name__ for kind in fitting])]
    try:
        return chosen(**{name: _of_pairs(record, name) for name in record if name != "kind"})  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise about.wrong("prior", record.record) from None


def report_array(report: Report) -> Array:
    """A report in JSON."""
    return np.frombuffer(json.dumps(report.record()).encode(), np.uint8)


def read_report(file: Container, kind: str, families: int) -> Report:
    """What `report_array` gave.

    Raises:
        FormatError: It is not the report of a model of this kind with these families.
    """
    record = Facts(read_json(file.array("report.json").tobytes(), file.path), file.path, "report.")
    if record.choice("kind", ("discrete", "gaussian")) != kind or record.count("families") != families:
        raise record.wrong("families", record.record["families"])
    unobserved = {}
    for title, pair in record.part("unobserved").record.items():
        if not (isinstance(pair, list) and len(pair) == 2 and all(type(own) is int for own in pair) and 0 < pair[0] <= pair[1]):
            raise record.wrong("unobserved", pair)
        unobserved[title] = (pair[0], pair[1])
    missing, partial = ({title: part.count(title) for title in part} for part in map(record.part, ("missing", "partial")))
    return Report(
        record.choice("kind", ("discrete", "gaussian")), record.count("rows"), families, unobserved, missing, partial,
        tuple(record.texts("singular")), tuple(_names(record, "constant")), _em(record) if "em" in record else None,
        _texts_by_name(record, "suspicious"),
    )  # fmt: skip


def missing_record(missing: Literal["available", "complete"] | EM) -> Record:
    """What an update needs to know of how missing cells were treated."""
    if isinstance(missing, EM):
        return {"missing": "em", "em": {"tolerance": missing.tolerance, "max_iterations": missing.max_iterations}}
    return {"missing": missing}


def read_missing(about: Facts) -> Literal["available", "complete"] | EM:
    """What `missing_record` gave; files of earlier versions do not say.

    Raises:
        FormatError: There is no such way, or it does not say how EM runs.
    """
    ways: tuple[Literal["available", "complete", "em"], ...] = ("available", "complete", "em")
    way = about.choice("missing", ways) if "missing" in about else "available"
    if way != "em":
        return way
    record = about.part("em")
    tolerance = record.number("tolerance")
    if tolerance < 0:
        raise record.wrong("tolerance", tolerance)
    return EM(tolerance, record.count("max_iterations", least=1))


def _em(report: Facts) -> EmReport:
    """How EM went."""
    record = report.part("em")
    objective, log_likelihood, restarts = (_numbers(record, part) for part in ("objective", "log_likelihood", "restarts"))
    if not objective or len(objective) != len(log_likelihood):
        raise record.wrong("objective", objective)
    return EmReport(
        objective, log_likelihood, record.flag("converged"), record.number("filled"), restarts,
        record.count("best", most=max(len(restarts) - 1, 0)), record.count("clusters"), tuple(_names(record, "alike")),
    )  # fmt: skip


def _numbers(record: Facts, what: str) -> tuple[float, ...]:
    numbers = record.items(what)
    if not all(type(number) in (float, int) for number in numbers):
        raise record.wrong(what, numbers)
    return tuple(map(float, numbers))


def _texts_by_name(record: Facts, what: str) -> dict[str, str]:
    """Texts by name; files of earlier versions have none."""
    found = record.part(what).record if what in record else {}
    if not all(isinstance(text, str) for text in found.values()):
        raise record.wrong(what, found)
    return {**found}


def _names(record: Facts, what: str) -> list[Name]:
    names = record.items(what)
    if not all(type(name) in (str, int) for name in names):
        raise record.wrong(what, names)
    return names
