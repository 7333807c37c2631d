"""Networks and structures in files: `read` and `write` choose the format by the file's suffix, one module per format."""

from __future__ import annotations

import os
from pathlib import Path

from dconvex.errors import FormatError
from dconvex.formats.file_format import Renaming, fitted
from dconvex.formats.rows import ANY_ROWS, FILE_ROWS
from dconvex.formats.text_files import read_text, write_text
from dconvex.graph.dag import DagLike, as_dag
from dconvex.network.network import BayesianNetwork


def read(path: str | os.PathLike[str], normalize: bool = False) -> BayesianNetwork:
    """Read a network from a file.

    Args:
        path: The file. Its suffix says the format: `.bif`; `.xmlbif`, `.xbif`, `.bifxml` or `.xml` (XMLBIF); `.net`
            (Hugin); `.uai`; `.xdsl` (GeNIe); or `.json`, our own, the only one that holds linear Gaussian networks. Each
            may be followed by `.gz`.
        normalize: Whether rows of tables that are far from one, or counts, are divided by their sums. Rows within 0.005 of one,
            as programs round them, always are. A warning names the largest correction.

    Returns:
        The network.

    Raises:
        FormatError: The suffix is unknown, or the file is not valid; the message has the file, the line and the column.
        OSError: The file cannot be opened.

    """
    from dconvex.formats.registry import format_of

    source = Path(path)
    return format_of(source).parse(read_text(source), str(source), ANY_ROWS if normalize else FILE_ROWS)


def write(network: BayesianNetwork | DagLike, path: str | os.PathLike[str], rename: bool = False) -> Renaming | None:
    """Write a network, or a graph without tables, to a file; reading the file gives an equal one.

    Args:
        network: The network; or a graph (`Dag`, a learned structure, …), which `.txt`, `.csv`, `.dot` and `.bif` hold and
            `read_structure` reads.
        path: The file, which is replaced as a whole; its suffix says the format, as in `read`.
        rename: Whether to change names and states that the format cannot hold. UAI has no names, so there variables and
            states become 0, 1, 2, ….

    Returns:
        With `rename=True` all changes, {variable: name, (variable, state): name}; otherwise None.

    Raises:
        FormatError: The suffix is unknown, or the format cannot hold the kind of network or, without `rename`, a name.
        OSError: The file cannot be written.

    """
    from dconvex.formats.registry import FORMATS, format_of
    from dconvex.formats.structures import structure_format, write_structure

    target = Path(path)
    if not isinstance(network, BayesianNetwork):
        return write_structure(as_dag(network), target, rename=rename)
    if (structure := structure_format(target)) is not None and structure.name != "BIF":
        raise FormatError(f"{structure.name} holds a graph without tables: write network.dag, or choose another suffix")
    form = format_of(target)
    if form.render is None:
        raise FormatError(f"{form.name} is only read, not written; choose another suffix", path=str(target))
    if network.kind not in form.kinds:
        holders = (
            f"{other.name} ({', '.join(other.suffixes)})" for other in FORMATS if other.render and network.kind in other.kinds
        )
        raise FormatError(f"{form.name} cannot hold a {network.kind} network; {' and '.join(holders)} can")
    fitting, changes = fitted(network, form, rename=rename)
    write_text(target, form.render(fitting))
    return changes if rename else None
