"""All file formats, found by suffix.

Imported when a file is read or written; a built-in network needs its own format only.
"""

from __future__ import annotations

from pathlib import Path

from dconvex.errors import FormatError
from dconvex.formats import bif, dsc, genie_dsl, hugin, netica, network_json, uai, xml_network
from dconvex.formats.file_format import Format
from dconvex.formats.text_files import is_zipped

FORMATS: tuple[Format, ...] = (
    bif.FORMAT,
    xml_network.XMLBIF,
    hugin.FORMAT,
    uai.FORMAT,
    xml_network.XDSL,
    dsc.FORMAT,
    netica.FORMAT,
    genie_dsl.FORMAT,
    network_json.FORMAT,
)


def format_of(path: Path) -> Format:
    """The format of the file's suffix, `.gz` aside."""
    plain = path.with_suffix("") if is_zipped(path) else path
    for form in FORMATS:
        if plain.suffix.lower() in form.suffixes:
            return form
    known = ", ".join(suffix for form in FORMATS for suffix in form.suffixes)
    raise FormatError(f"unknown suffix {plain.suffix!r}; known are {known}, each also with .gz", path=str(path))
