"""Notebooks as pages of the documentation, and run again: `python tools/notebook_pages.py docs/notebooks/*.ipynb`.

Running them again replaces their outputs, which are committed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def executed(path: Path, folder: Path) -> Any:
    """The notebook with the outputs that it has when it is run in this folder."""
    notebook = nbformat.read(path, as_version=4)
    about = dict(notebook.metadata)
    NotebookClient(notebook, timeout=120, record_timing=False, resources={"metadata": {"path": str(folder)}}).execute()
    notebook.metadata = about  # without the version of Python
    for output in _outputs(notebook):
        if "text/html" in output.get("data", {}):
            output.data.pop("image/svg+xml", None)  # the same picture once more
    return notebook


def as_page(path: Path) -> str:
    """A notebook in Markdown, with the outputs that it has."""
    notebook = nbformat.read(path, as_version=4)
    note = f"*This page is a notebook: [download it]({path.name}) to run it yourself.*"
    parts = [part for cell in notebook.cells for part in _cell(cell)]
    return "\n\n".join([parts[0], note, *parts[1:]]) + "\n"


def outputs_as_text(notebook: Any) -> list[str]:
    """What each output says in plain text, without figures of matplotlib; printed text counts as one however it was cut."""
    outputs = [output for output in _outputs(notebook) if "image/png" not in output.get("data", {})]
    texts: list[str] = []
    for before, output in zip([None, *outputs], outputs, strict=False):
        if output.output_type != "stream":
            texts.append(output.data["text/plain"])
        elif before is not None and before.output_type == "stream":
            texts[-1] += output.text
        else:
            texts.append(output.text)
    return texts


def _outputs(notebook: Any) -> Iterator[Any]:
    return (output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs)


def _cell(cell: Any) -> Iterator[str]:
    if cell.cell_type == "markdown":
        yield cell.source
    elif cell.cell_type == "code":
        yield f"```python\n{cell.source}\n```"
        for output in cell.outputs:
            yield _output(output)


def _output(output: Any) -> str:
    if output.output_type == "stream":
        return _shown(output.text)
    data = output.data
    if "text/html" in data:
        return f'<div class="output">\n{data["text/html"].strip()}\n</div>'
    if "image/png" in data:
        return f'<div class="output"><img alt="" src="data:image/png;base64,{data["image/png"].strip()}"></div>'
    return _shown(data["text/plain"])


def _shown(text: str) -> str:
    return f"```text\n{COLOURS.sub('', text).rstrip()}\n```"


def main() -> None:
    for name in sys.argv[1:]:
        path = Path(name)
        nbformat.write(executed(path, path.parent), path)


if __name__ == "__main__":
    main()
