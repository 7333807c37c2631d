"""Evidence in files: UAI's `.evid`, and JSON objects from variables to labels, lists of labels or numbers."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from dconvex.errors import FormatError
from dconvex.formats.scanner import format_error
from dconvex.formats.text_files import read_text
from dconvex.formats.uai import parse_evidence
from dconvex.names import Label, Name

EvidenceValue: TypeAlias = Label | float | frozenset[Label]


def read_evidence(path: str | os.PathLike[str]) -> dict[Name, EvidenceValue]:
    """Read evidence from a file.

    Args:
        path: A file that ends in `.evid`, as the UAI competitions have them (variables and states are numbers), or in
            `.json`: an object with a label for each observed variable, a list of labels where one of several was seen, or a
            number in a Gaussian network; null is not observed. Each may be followed by `.gz`.

    Returns:
        The evidence, as `query` takes it.

    Raises:
        FormatError: The file is not valid; the message has the file and the line.
        OSError: The file cannot be opened.

    """
    source = Path(path)
    suffix = (source.with_suffix("") if source.suffix.lower() == ".gz" else source).suffix.lower()
    if suffix == ".evid":
        return dict(parse_evidence(read_text(source), str(source)))
    if suffix == ".json":
        return _from_json(read_text(source), str(source))
    raise FormatError(f"unknown suffix {suffix!r}; evidence is read from .evid and .json", path=str(source))


def _from_json(text: str, path: str) -> dict[Name, EvidenceValue]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise format_error(f"not JSON: {error.msg}", text, path, error.pos) from None
    except (RecursionError, ValueError) as error:
        raise format_error(f"not JSON: {error or 'it is nested too deeply'}", text, path, 0) from None
    if not isinstance(found, Mapping):
        raise format_error("expected a JSON object of variables and their labels", text, path, 0)
    return {str(name): _value(str(name), value, text, path) for name, value in found.items() if value is not None}


def _value(name: str, value: object, text: str, path: str) -> EvidenceValue:
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list) and value and all(isinstance(label, str | bool | int) for label in value):
        return frozenset(value)
    problem = f"expected a label, a number or a list of labels for {name!r}, found {json.dumps(value)[:60]}"
    raise format_error(problem, text, path, 0)
