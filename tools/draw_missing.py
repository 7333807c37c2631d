"""Draw the picture of the guide "Missing data" into docs/pictures: `python tools/draw_missing.py [FOLDER]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import dconvex as dc
from dconvex.display.charts import ChartBar, bar_chart
from dconvex.display.colours import LINES
from dconvex.display.drawing import BETWEEN, Drawing
from dconvex.display.svg import svg_file
from dconvex.display.typeface import text_width

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
WAYS = {"complete": "rows with gaps dropped", "available": "available cases", "em": "EM"}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "missing-bias.svg").write_text(svg_file(bias()), encoding="utf-8")


def bias() -> Drawing:
    """What each way makes of a table in which those without dyspnoea are seldom tested; the code is that of the guide."""
    asia = dc.load_network("asia")
    table = asia.sample(20_000, seed=1)
    untested = (table["dysp"] == "no") & (np.random.default_rng(3).random(len(table)) < 0.9)
    table.loc[untested, ["lung", "tub", "either", "bronc"]] = None
    models = {"the truth": dc.localize(asia)}
    for missing, words in WAYS.items():
        models[words] = dc.fit(asia, table, coherent=True, missing=missing, prior=dc.BDeu(1))  # type: ignore[arg-type]
    questions: dict[str, tuple[str, dict[str | int, str]]] = {
        "P(bronc = yes)": ("bronc", {}),
        "P(dysp = yes)": ("dysp", {}),
        "P(lung = yes | smoke = yes)": ("lung", {"smoke": "yes"}),
    }
    bars = []
    for words, (variable, evidence) in questions.items():
        for number, (way, model) in enumerate(models.items()):
            answer = model.query(variable, evidence)
            assert isinstance(answer, dc.Distribution)
            share = answer["yes"]
            colour = BETWEEN if way == "the truth" else LINES[0] if way == "EM" else LINES[1]
            bars.append(ChartBar((words if number == 0 else "", way), float(share), f"{share:.3f}", colour=colour))
    return bar_chart("Nine of ten patients without dyspnoea are not tested", (), bars, text_width)


if __name__ == "__main__":
    main()
