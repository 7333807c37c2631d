"""Networks in files: `read` and `write` choose the format by the file's suffix, one module per format."""

from __future__ import annotations

import os
from pathlib import Path

from dconvex.errors import FormatError
from dconvex.formats import bif, hugin, network_json, uai, xml_network
from dconvex.formats.file_format import Format, Renaming, fitted
from dconvex.formats.text_files import is_zipped, read_text, write_text
from dconvex.network.network import BayesianNetwork

FORMATS: tuple[Format, ...] = (
    bif.FORMAT,
    xml_network.XMLBIF,
    hugin.FORMAT,
    uai.FORMAT,
    xml_network.XDSL,
    network_json.FORMAT,
)


def read(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Read a network from a file.

    Args:
        path: The file. Its suffix says the format: `.bif`; `.xmlbif`, `.xbif`, `.bifxml` or `.xml` (XMLBIF); `.net`
            (Hugin); `.uai`; `.xdsl` (GeNIe); or `.json`, our own, the only one that holds linear Gaussian networks. Each
            may be followed by `.gz`.

    Returns:
        The network.

    Raises:
        FormatError: The suffix is unknown, or the file is not valid; the message has the file, the line and the column.
        OSError: The file cannot be opened.

    """
    source = Path(path)
    return _format_of(source).parse(read_text(source), str(source))


def write(network: BayesianNetwork, path: str | os.PathLike[str], rename: bool = False) -> Renaming | None:
    """Write a network to a file; reading the file gives an equal network.

    Args:
        network: The network.
        path: The file, which is replaced as a whole; its suffix says the format, as in `read`.
        rename: Whether to change names and states that the format cannot hold. UAI has no names, so there variables and
            states become 0, 1, 2, ….

    Returns:
        With `rename=True` all changes, {variable: name, (variable, state): name}; otherwise None.

    Raises:
        FormatError: The suffix is unknown, or the format cannot hold the kind of network or, without `rename`, a name.
        OSError: The file cannot be written.

    """
    target = Path(path)
    form = _format_of(target)
    if network.kind not in form.kinds:
        holders = (f"{other.name} ({', '.join(other.suffixes)})" for other in FORMATS if network.kind in other.kinds)
        raise FormatError(f"{form.name} cannot hold a {network.kind} network; {' and '.join(holders)} can")
    fitting, changes = fitted(network, form, rename=rename)
    write_text(target, form.render(fitting))
    return changes if rename else None


def _format_of(path: Path) -> Format:
    plain = path.with_suffix("") if is_zipped(path) else path
    for form in FORMATS:
        if plain.suffix.lower() in form.suffixes:
            return form
    known = ", ".join(suffix for form in FORMATS for suffix in form.suffixes)
    raise FormatError(f"unknown suffix {plain.suffix!r}; known are {known}, each also with .gz", path=str(path))
