"""Re-encode the repository networks of pgmpy's wheel with our own writer: `python tools/build_repository.py`.

Writes one file per network into src/dconvex/repository/networks and `index.json` next to them.
"""

from __future__ import annotations

import importlib.util
import json
import tomllib
from pathlib import Path

import dconvex as dc

HERE = Path(__file__).parent
TARGET = HERE.parent / "src" / "dconvex" / "repository"
SOURCE = "bnlearn's Bayesian Network Repository, as carried by the pgmpy wheel"


def main() -> None:
    references = tomllib.loads((HERE / "references.toml").read_text(encoding="utf-8"))
    index = {}
    for name, path in sorted(pgmpy_files().items()):
        network = dc.read(path)
        dc.write(network, TARGET / "networks" / f"{name}.json.gz")
        reference = references[name] if name in references else references[name.rstrip("1234")]
        index[name] = {**sizes(network), "source": SOURCE, "reference": reference, "licence": "unknown"}
    text = json.dumps(index, indent=1, ensure_ascii=False)
    (TARGET / "index.json").write_text(text + "\n", encoding="utf-8")


def pgmpy_files() -> dict[str, Path]:
    spec = importlib.util.find_spec("pgmpy")
    if spec is None or spec.origin is None:
        raise SystemExit("pgmpy is not installed; its wheel carries the networks")
    folder = Path(spec.origin).parent / "utils" / "example_models"
    files = [*folder.glob("*.bif.gz"), *folder.glob("*.json")]
    return {path.name.split(".")[0]: path for path in files}


def sizes(network: dc.BayesianNetwork) -> dict[str, object]:
    return {
        "kind": network.kind,
        "variables": len(network),
        "edges": len(network.dag.edges),
        "parameters": free_parameters(network),
    }


def free_parameters(network: dc.BayesianNetwork) -> int:
    """Numbers that could be chosen freely: one less than the states in each row; intercept, coefficients, variance."""
    if network.kind == "gaussian":
        return 2 * len(network) + len(network.dag.edges)
    tables = (network.family(node) for node in network.dag.nodes)
    sizes = ((t.values.size, t.values.shape[-1]) for t in tables if isinstance(t, dc.Table))
    return sum(cells - cells // states for cells, states in sizes)


if __name__ == "__main__":
    main()
