"""Networks in files: `read` and `write` choose the format by the file's suffix, one module per format."""

from __future__ import annotations

import os
from pathlib import Path

from dconvex.errors import FormatError
from dconvex.formats.files import read_text, write_text
from dconvex.formats.format import Renaming, fitted
from dconvex.network.network import BayesianNetwork


def read(path: str | os.PathLike[str]) -> BayesianNetwork:
    """The network in a file; the suffix tells the format, each also with `.gz`.

    `.bif`; `.xmlbif`, `.xbif`, `.bifxml` or `.xml` (XMLBIF); `.net` (Hugin); `.uai`; `.xdsl` (GeNIe); and `.json`, our own,
    the only one that holds linear Gaussian networks. A file that cannot be understood raises `FormatError` with file,
    line and column.
    """
    from dconvex.formats.registry import format_of

    place = Path(path)
    return format_of(place).parse(read_text(place), str(place))


def write(network: BayesianNetwork, path: str | os.PathLike[str], rename: bool = False) -> Renaming | None:
    """Write a network in the format of the suffix (see `read`); reading the file gives an equal network.

    What the format cannot hold raises `FormatError`, unless `rename=True`: then fitting names are made up, and the
    mapping {variable: name, (variable, state): name} of all that was changed is returned. UAI has no names at all, so
    there variables and states become 0, 1, 2, …
    """
    from dconvex.formats.registry import FORMATS, format_of

    place = Path(path)
    form = format_of(place)
    if network.kind not in form.kinds:
        holders = (f"{other.name} ({', '.join(other.suffixes)})" for other in FORMATS if network.kind in other.kinds)
        raise FormatError(f"{form.name} cannot hold a {network.kind} network; {' and '.join(holders)} can")
    fitting, changes = fitted(network, form, rename=rename)
    write_text(place, form.render(fitting))
    return changes if rename else None
