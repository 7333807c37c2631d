import gc
import io
import json

import numpy as np
import pytest
from rich.console import Console

from benchmarks import harness
from benchmarks.harness import Case, Effort, Timing


class Track:
    """A clock that only the contenders move, and a record of who ran when."""

    def __init__(self):
        self.now = 0.0
        self.calls = []

    def clock(self):
        return self.now

    def contender(self, name, *seconds):
        """One whose calls take these times in turn, the last of them again and again; an exception is raised."""
        left = list(seconds)

        def work():
            self.calls.append(name)
            took = left.pop(0) if len(left) > 1 else left[0]
            if isinstance(took, Exception):
                raise took
            self.now += took

        return work

    def race(self, effort, most=None, **contenders):
        works = {name: self.contender(name, *seconds) for name, seconds in contenders.items()}
        return harness.race(Case("case", works, most or {}), effort, self.clock)


def printed_rows(results):
    """The cells of the printed table, by contender."""
    console = Console(width=120, file=io.StringIO())
    console.print(harness.as_table("title", results))
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in console.file.getvalue().splitlines()]
    return {row[1]: row[2:] for row in rows if len(row) == 6}


def test_contenders_take_turns():
    track = Track()
    track.race(Effort(seconds=3, least=3, most=3), ours=[1], peer=[2], third=[3])
    assert track.calls == ["ours", "peer", "third"] * 4


def test_the_first_call_counts_apart():
    track = Track()
    ours, peer = track.race(Effort(most=3), ours=[9, 1, 2, 6], peer=[5, 4])
    assert (ours.first, ours.seconds, ours.median) == (9, [1, 2, 6], 2)
    assert (peer.first, peer.seconds, peer.median) == (5, [4, 4, 4], 4)


def test_the_ratio_tells_how_many_times_faster_ours_is():
    track = Track()
    ours, peer = track.race(Effort(most=3), ours=[1, 2], peer=[1, 5])
    assert peer.ratio(ours) == 2.5
    assert ours.ratio(ours) == 1


def test_turns_end_when_the_time_is_full():
    track = Track()
    ours, peer = track.race(Effort(seconds=10, least=2, most=100), ours=[0.5], peer=[4])
    assert (len(ours.seconds), len(peer.seconds)) == (20, 3)


def test_a_slow_contender_still_gets_its_least_turns():
    (ours,) = Track().race(Effort(seconds=1, least=3, most=50), ours=[20])
    assert len(ours.seconds) == 3


def test_a_fast_contender_gets_no_more_than_the_most_turns():
    (ours,) = Track().race(Effort(seconds=1, least=3, most=50), ours=[1e-6])
    assert len(ours.seconds) == 50


def test_a_case_may_give_a_contender_fewer_turns_but_never_more():
    ours, peer = Track().race(Effort(least=3, most=5), most={"ours": 9, "peer": 1}, ours=[1e-3], peer=[1e-3])
    assert (len(ours.seconds), len(peer.seconds)) == (5, 1)


def test_a_contender_that_fails_is_out_and_the_others_go_on():
    track = Track()
    ours, peer = track.race(Effort(least=3, most=3), ours=[1], peer=[ValueError("no such file\nmore")])
    assert peer == Timing("peer", None, [], "failed: no such file")
    assert (peer.median, peer.ratio(ours)) == (None, None)
    assert len(ours.seconds) == 3
    assert track.calls.count("peer") == 1


def test_a_contender_that_fails_later_has_no_median():
    ours, peer = Track().race(Effort(most=3), ours=[1], peer=[1, 1, MemoryError()])
    assert (peer.note, peer.seconds, peer.median) == ("failed: MemoryError", [1], None)
    assert len(ours.seconds) == 3


def test_when_ours_fails_there_is_no_ratio():
    ours, peer = Track().race(Effort(most=3), ours=[ValueError("x")], peer=[1])
    assert (ours.ratio(ours), peer.ratio(ours), peer.median) == (None, None, 1)


def test_a_contender_that_is_too_slow_gets_no_turn():
    track = Track()
    _, peer = track.race(Effort(most=3, limit=10), ours=[10], peer=[10.5])
    assert (peer.first, peer.seconds, peer.note) == (10.5, [], "> 10 s")
    assert track.calls.count("peer") == 1
    assert track.calls.count("ours") == 4


def test_garbage_is_collected_between_calls_never_within():
    seen = []
    harness.race(Case("case", {"ours": lambda: seen.append(gc.isenabled())}), Effort(most=2))
    assert seen == [False] * 3
    assert gc.isenabled()


def test_garbage_collection_is_back_after_a_failure():
    Track().race(Effort(most=2), ours=[ValueError("x")])
    assert gc.isenabled()


def test_an_interrupt_is_not_a_failure():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        harness.race(Case("case", {"ours": interrupted}), Effort())
    assert gc.isenabled()


def test_the_table_shows_medians_ratios_and_notes():
    failed = "failed: [pyAgrum] not [/found]"
    timings = [
        Timing("dconvex", 0.5, [0.002] * 4),
        Timing("slow", 1.25, [0.5]),
        Timing("broken", note=failed),
        Timing("endless", 99.0, note="> 60 s"),
    ]
    shown = printed_rows({"alarm": timings})
    assert shown["dconvex"] == ["500 ms", "2 ms", "4", ""]
    assert shown["slow"] == ["1.25 s", "500 ms", "1", "250 ×"]
    assert shown["broken"] == ["", failed, "0", ""]
    assert shown["endless"] == ["99 s", "> 60 s", "0", ""]


def test_run_writes_a_record(tmp_path, capsys):
    cases = [Case("small", {"ours": lambda: None, "peer": lambda: 1 / 0}), Case("large", {"ours": lambda: None})]
    harness.run("demo", iter(cases), quick=True, folder=tmp_path / "results")
    record = json.loads((tmp_path / "results" / "demo.json").read_text())
    assert record.keys() == {"benchmark", "quick", "machine", "cases"}
    assert (record["benchmark"], record["quick"]) == ("demo", True)
    packages = {"numpy", "pandas", "pgmpy", "pyagrum", "scikit-learn"}
    assert record["machine"].keys() == {"python", "dconvex", *packages, "cpu", "cores"}
    assert record["machine"]["numpy"] == np.__version__
    assert [case["case"] for case in record["cases"]] == ["small", "large"]
    ours, peer = record["cases"][0]["timings"]
    assert ours.keys() == {"contender", "first", "seconds", "note", "median", "ratio"}
    assert (ours["contender"], ours["ratio"], len(ours["seconds"])) == ("ours", 1, harness.QUICK.most)
    assert (peer["note"], peer["median"], peer["ratio"]) == ("failed: division by zero", None, None)
    assert "demo" in capsys.readouterr().out


def test_a_package_that_is_not_installed_has_no_version():
    assert harness._version("no-such-package-anywhere") is None
