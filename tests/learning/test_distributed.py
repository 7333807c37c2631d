"""A Dask DataFrame is counted and predicted where its partitions lie: the results of one frame, and no rows move."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.callbacks import Callback
from distributed import Client, LocalCluster

import dconvex as dc
from dconvex.learning.statistics.counts import Counts

ASIA = dc.load_network("asia")
ROWS = ASIA.sample(3000, seed=1)
WORDS = ROWS.astype(str)
NUMBERS = ROWS.apply(lambda column: (column == "yes").astype(int))
GAUSSIAN = dc.random_gaussian_network(dc.random_dag(12, 20, seed=3), seed=3)
MEASURED = GAUSSIAN.sample(3000, seed=2)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Two worker processes on this machine; a client that is active for as long as a test has it."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def on_cluster(client: Client) -> Iterator[Client]:
    with client.as_current():
        yield client


def with_holes(frame: pd.DataFrame) -> pd.DataFrame:
    """About one cell of ten is missing."""
    return frame.mask(np.random.default_rng(5).random(frame.shape) < 0.1)


def in_parts(frame: pd.DataFrame, *ends: int) -> dd.DataFrame:
    """A Dask frame whose partitions end at these rows; each is made where it is needed."""
    bounds = list(zip((0, *ends), (*ends, len(frame)), strict=True))
    return dd.from_map(lambda bound: frame.iloc[slice(*bound)], bounds, meta=frame.iloc[:0])


def message(call: Any) -> str:
    with pytest.raises(dc.DconvexError) as caught:
        call()
    return str(caught.value)


class TestCounting:
    @pytest.mark.parametrize("partitions", [1, 3, 20])
    @pytest.mark.parametrize("frame", [ROWS, WORDS, NUMBERS, with_holes(WORDS), with_holes(NUMBERS)])
    def test_discrete_statistics_are_those_of_one_frame(self, frame, partitions):
        found = dc.statistics(ASIA, dd.from_pandas(frame, npartitions=partitions))
        expected = dc.statistics(ASIA, frame)
        assert found == expected
        assert (found.rows, found.states) == (expected.rows, expected.states)
        np.testing.assert_array_equal(found.part.coverage.tables, expected.part.coverage.tables)

    @pytest.mark.parametrize("frame", [MEASURED, with_holes(MEASURED)])
    def test_gaussian_statistics_are_those_of_one_frame(self, frame):
        found, expected = (dc.statistics(GAUSSIAN, data).part for data in (dd.from_pandas(frame, npartitions=20), frame))
        np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-10, atol=1e-7)
        np.testing.assert_array_equal(found.coverage.used, expected.coverage.used)

    def test_sums_do_not_depend_on_who_comes_first(self):
        data = dd.from_pandas(MEASURED, npartitions=30)
        one, two = dc.statistics(GAUSSIAN, data), dc.statistics(GAUSSIAN, data)
        with dask.config.set(scheduler="synchronous"):
            assert one == two == dc.statistics(GAUSSIAN, data)

    def test_partitions_may_be_empty(self):
        assert dc.statistics(ASIA, in_parts(WORDS, 0, 10, 10, 10, 2000, 3000)) == dc.statistics(ASIA, WORDS)
        assert dc.statistics(GAUSSIAN, in_parts(MEASURED, 0, 0, 2000)).rows == 3000

    def test_no_rows_at_all(self):
        found = dc.statistics(ASIA, dd.from_pandas(ROWS, npartitions=3).loc[5000:], states=ASIA.states)
        assert found.rows == 0

    def test_categories_that_dask_does_not_know(self):
        data = dd.from_pandas(WORDS, npartitions=7).astype("category")
        assert not data["lung"].cat.known
        found, expected = dc.statistics(ASIA, data), dc.statistics(ASIA, WORDS)
        assert found.states == expected.states
        assert found.part.tallies == expected.part.tallies

    def test_partitions_that_saw_different_states(self):
        chain = dc.Dag([("a", "b")])
        frame = pd.DataFrame({"a": [*"zzyyxx"], "b": [3, 2, 2, 1, 1, 1]})
        found = dc.statistics(chain, in_parts(frame, 2, 4))
        assert found == dc.statistics(chain, frame)
        assert found.states == {"a": ("x", "y", "z"), "b": (1, 2, 3)}

    def test_declared_states_and_unknown_ones(self):
        states = {**ASIA.states, "lung": ("yes",)}
        data = dd.from_pandas(WORDS, npartitions=4)
        found = dc.statistics(ASIA, data, states=states, unknown="missing")
        assert found == dc.statistics(ASIA, WORDS, states=states, unknown="missing")
        assert "unknown state 'no' of 'lung'" in message(lambda: dc.statistics(ASIA, data, states=states))

    def test_variables_that_are_numbers(self):
        chain = dc.Dag([(0, 1), (1, 2)])
        frame = pd.DataFrame({0: [0, 1, 1], 1: [0, 0, 1], 2: [1, 0, 1]})
        for columns in (frame, frame.rename(columns=str)):
            assert dc.statistics(chain, dd.from_pandas(columns, npartitions=2)) == dc.statistics(chain, columns)

    def test_a_model_is_learned_and_updated(self):
        expected = dc.fit(ASIA, ROWS, prior=dc.BDeu(10)).updated(ROWS[:500])
        found = dc.fit(ASIA, dd.from_pandas(ROWS, npartitions=9), prior=dc.BDeu(10))
        found = found.updated(dd.from_pandas(ROWS[:500], npartitions=2))
        assert found.network() == expected.network()
        assert str(found.report()) == str(expected.report())

    def test_only_the_columns_of_the_network_are_read(self):
        asked: list[Any] = []

        def source(first: int, columns: list[str] | None = None) -> pd.DataFrame:
            asked.append(columns)
            frame = WORDS.iloc[first : first + 1000].assign(essay="…")
            return frame if columns is None else frame[columns]

        data = dd.from_map(source, [0, 1000, 2000], meta=WORDS.iloc[:0].assign(essay="…"))
        assert dc.statistics(ASIA, data) == dc.statistics(ASIA, WORDS)
        assert [sorted(columns) for columns in asked] == [sorted(WORDS)] * 3

    def test_a_similar_column_is_suggested_as_for_one_frame(self):
        frame = WORDS.rename(columns={"smoke": "smokes"})
        expected = message(lambda: dc.fit(ASIA, frame))
        assert "did you mean 'smokes'?" in expected
        assert message(lambda: dc.fit(ASIA, dd.from_pandas(frame, npartitions=2))) == expected


class TestKind:
    CHAIN = dc.Dag([("a", "b")])

    def kind_of(self, frame: pd.DataFrame, *ends: int) -> str:
        return dc.statistics(self.CHAIN, in_parts(frame, *ends)).kind

    def test_fractions_in_any_partition_make_it_gaussian(self):
        assert self.kind_of(pd.DataFrame({"a": [1.0, 2.0, 0.5], "b": [0.5, 2.0, 3.0]}), 1, 1, 2) == "gaussian"
        assert self.kind_of(pd.DataFrame({"a": [1.0, 2.0, 2.0], "b": [1.0, np.nan, 1.0]}), 1, 2) == "discrete"

    def test_mixed_columns_are_refused_as_in_one_frame(self):
        frame = pd.DataFrame({"a": [1.0, 2.0, 0.5], "b": [1, 2, 3]})
        expected = message(lambda: dc.statistics(self.CHAIN, frame))
        assert "mixed networks are not supported" in expected
        assert message(lambda: self.kind_of(frame, 1, 2)) == expected

    @pytest.mark.parametrize(
        ("frame", "kind", "reads"),
        [
            (pd.DataFrame({"a": [1, 2, 3], "b": [*"xyz"]}), None, [1, 1, 1]),
            (pd.DataFrame({"a": [0.5] * 3, "b": [1.5] * 3}), None, [2, 1, 1]),
            (pd.DataFrame({"a": [1.0] * 3, "b": [1.5] * 3}), "gaussian", [1, 1, 1]),
            (pd.DataFrame({"a": [1.0] * 3, "b": [2.0] * 3}), None, [2, 2, 2]),
        ],
    )
    def test_partitions_are_read_twice_only_if_nothing_else_tells(self, frame, kind, reads):
        times: Counter[int] = Counter()

        def source(row: int) -> pd.DataFrame:
            times[row] += 1
            return frame.iloc[row : row + 1]

        dc.statistics(self.CHAIN, dd.from_map(source, [0, 1, 2], meta=frame.iloc[:0]), kind=kind)
        assert [times[row] for row in range(3)] == reads


class TestErrors:
    def test_the_partition_is_named(self):
        frame = MEASURED.copy()
        frame.iloc[2007, 0] = np.inf
        alone = message(lambda: dc.statistics(GAUSSIAN, frame.iloc[2000:], kind="gaussian"))
        assert "in row 7" in alone
        with pytest.raises(dc.DataError) as caught:
            dc.statistics(GAUSSIAN, in_parts(frame, 1000, 2000), kind="gaussian")
        assert str(caught.value) == f"{alone} (in partition 2, within which rows are numbered)"

    def test_other_errors_keep_their_type_and_what_they_know(self):
        with pytest.raises(dc.TooLargeError, match=r"\(in partition \d") as caught:
            dc.statistics(ASIA, in_parts(WORDS, 1000, 2000), max_bytes=8)
        assert caught.value.limit == 8

    def test_an_identifier_is_refused_even_if_each_partition_has_few(self):
        chain = dc.Dag([("a", "b")])
        frame = pd.DataFrame({"a": np.arange(1200), "b": 0})
        assert "'a' has more than 1,000 values" in message(lambda: dc.statistics(chain, in_parts(frame, 400, 800)))
        assert dc.statistics(chain, in_parts(frame, 400, 800), states={"a": range(1200), "b": [0]}).rows == 1200

    def test_partitions_with_labels_of_different_types(self):
        parts = [pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": ["x", "y"]})]
        data = dd.from_map(lambda number: parts[number], [0, 1], meta=parts[0].iloc[:0])
        assert "column 'a' holds 1 in one part and 'x' in another" in message(
            lambda: dc.statistics(dc.Dag(nodes=["a"]), data, kind="discrete")
        )

    def test_duplicate_columns(self):
        frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
        expected = message(lambda: dc.statistics(dc.Dag(nodes=["a"]), frame))
        assert message(lambda: dc.statistics(dc.Dag(nodes=["a"]), dd.from_pandas(frame, npartitions=1))) == expected

    def test_other_collections_of_dask(self):
        data = dd.from_pandas(ROWS, npartitions=2)
        assert "not Dask's Series" in message(lambda: dc.fit(ASIA, data["lung"]))
        assert "not Dask's Series" in message(lambda: dc.localize(ASIA).predict(data["lung"], "smoke"))

    def test_probabilities_as_frames_have_the_index_of_the_data(self):
        frame = ROWS.head(6)[["smoke"]].set_index(pd.Index([3, 5, 7, 9, 11, 13]))
        model = dc.localize(ASIA)
        with dask.config.set(scheduler="synchronous"):
            found = model.predict_proba(dd.from_pandas(frame, npartitions=2), "lung", as_frame=True)["lung"].compute()
        pd.testing.assert_frame_equal(found, model.predict_proba(frame, "lung", as_frame=True)["lung"])


class TestWhatMoves:
    def test_tasks_give_statistics_and_no_frames(self):
        kinds: Counter[type] = Counter()
        with dask.config.set(scheduler="synchronous"), Callback(posttask=lambda key, value, *_: kinds.update([type(value)])):
            dc.statistics(ASIA, in_parts(WORDS, *range(100, 3000, 100)))
        assert kinds == {Counts: 30 + 4 + 1}

    def test_families_and_models_are_sent_once(self):
        tasks: list[bytes] = []

        def get(graph: Any, keys: Any, **options: Any) -> Any:
            tasks.extend(cloudpickle.dumps(task) for task in dict(graph.__dask_graph__()).values())
            return dask.get(graph, keys, **options)

        model = dc.fit(ASIA, WORDS)
        data = in_parts(WORDS, *range(100, 3000, 100))
        for sent, ask in (
            (b"Families", lambda: dc.statistics(ASIA, data)),
            (b"ClusterIndex", lambda: model.predict(data, "lung").compute()),
        ):
            tasks.clear()
            with dask.config.set(scheduler=get):
                ask()
            assert len(tasks) > 30
            assert sum(sent in task for task in tasks) == 1

    def test_no_frame_leaves_its_worker(self, on_cluster):
        def source(first: int) -> pd.DataFrame:
            class Rooted(pd.DataFrame):
                @property
                def _constructor(self) -> type:
                    return Rooted

                def __reduce_ex__(self, protocol: Any) -> Any:
                    raise AssertionError("somebody wants to send a frame")

            return Rooted(words.iloc[first : first + 100])

        words = WORDS
        data = dd.from_map(source, range(0, 3000, 100), meta=WORDS.iloc[:0])
        assert dc.statistics(ASIA, data) == dc.statistics(ASIA, WORDS)

    def test_nothing_of_dask_is_loaded_before_it_is_needed(self):
        code = "import sys, dconvex.learning.statistics.distributed, dconvex.inference.partitions; print('dask' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


class TestPredicting:
    MODEL = dc.fit(ASIA, ROWS)
    TARGETS = ("lung", "either", "xray")

    @pytest.mark.parametrize("frame", [ROWS, with_holes(WORDS), ROWS[["smoke"]], ROWS[["lung"]]])
    def test_the_same_as_for_one_frame(self, frame):
        frame = frame.set_index(frame.index + 7)
        data = dd.from_pandas(frame, npartitions=6)
        found = self.MODEL.predict(data, self.TARGETS)
        expected = self.MODEL.predict(frame, self.TARGETS)
        assert found.divisions == data.divisions
        pd.testing.assert_frame_equal(found.compute(), expected)
        pd.testing.assert_series_equal(found.dtypes, expected.dtypes)
        self.check_probabilities(self.MODEL, data, frame)

    def check_probabilities(self, model: dc.LocalModel, data: Any, frame: pd.DataFrame, **options: Any) -> None:
        found = model.predict_proba(data, self.TARGETS, **options)
        expected = model.predict_proba(frame, self.TARGETS, **options)
        assert list(found) == list(expected)
        assert {name: array.shape[1] for name, array in found.items()} == dict.fromkeys(expected, 2)
        for name, values in dask.compute(found)[0].items():
            np.testing.assert_array_equal(values, expected[name])

    def test_targets_share_the_work(self):
        times: Counter[int] = Counter()

        def source(first: int) -> pd.DataFrame:
            times[first] += 1
            return ROWS.iloc[first : first + 1000]

        data = dd.from_map(source, [0, 1000, 2000], meta=ROWS.iloc[:0])
        self.check_probabilities(self.MODEL, data, ROWS)
        assert times == {0: 1, 1000: 1, 2000: 1}

    def test_impossible_rows(self):
        model = dc.localize(ASIA)
        frame = WORDS[["tub", "either"]].copy()
        frame.iloc[2007] = ["yes", "no"]
        data = in_parts(frame, 0, 1000, 2000)
        found = model.predict(data, "smoke", impossible="nan")
        expected = model.predict(frame, "smoke", impossible="nan")
        pd.testing.assert_frame_equal(found.compute(), expected)
        assert {frame["smoke"].dtype for frame in dask.compute(*found.to_delayed())} == {np.dtype(object)}
        targets = ("smoke", "dysp")
        probabilities = dask.compute(model.predict_proba(data, targets, impossible="nan"))[0]
        for name, values in model.predict_proba(frame, targets, impossible="nan").items():
            np.testing.assert_array_equal(probabilities[name], values)
        with pytest.raises(dc.ImpossibleEvidenceError, match=r"in row 7: .* \(in partition 3, within") as caught:
            model.predict(data, "smoke").compute()
        assert caught.value.conflict == {"tub": "yes", "either": "no"}

    def test_empty_partitions_do_not_change_the_types(self):
        model = dc.fit(ASIA, NUMBERS)
        data = in_parts(NUMBERS, 0, 1000, 1000)
        pd.testing.assert_frame_equal(model.predict(data, self.TARGETS).compute(), model.predict(NUMBERS, self.TARGETS))
        self.check_probabilities(model, data, NUMBERS)

    def test_gaussian(self):
        model = dc.localize(GAUSSIAN)
        first, *others = GAUSSIAN.dag.nodes
        frame = with_holes(MEASURED)[others]
        found = model.predict(in_parts(frame, 0, 1000), first)
        pd.testing.assert_frame_equal(found.compute(), model.predict(frame, first), rtol=1e-12)
        with pytest.raises(ValueError, match="Gaussian model has no probabilities"):
            model.predict_proba(dd.from_pandas(frame, npartitions=2), first)

    def test_bad_arguments_are_refused_at_once(self):
        data = dd.from_pandas(ROWS, npartitions=2)
        with pytest.raises(dc.UnknownVariableError):
            self.MODEL.predict(data, "lungs")
        for ask in (self.MODEL.predict, self.MODEL.predict_proba):
            with pytest.raises(ValueError, match="impossible='Nan'"):
                ask(data, "lung", impossible="Nan")


class TestOnACluster:
    def test_the_same_as_for_one_frame(self, on_cluster):
        data = in_parts(WORDS, 500, 1000, 1000, 2500)
        assert dc.statistics(ASIA, data) == dc.statistics(ASIA, WORDS)
        assert dc.statistics(GAUSSIAN, in_parts(MEASURED, 500, 1000)) == sum(
            dc.statistics(GAUSSIAN, part) for part in (MEASURED[:500], MEASURED[500:1000], MEASURED[1000:])
        )

    def test_a_frame_that_lies_on_the_workers(self, on_cluster):
        data = in_parts(WORDS, 500, 1000, 2500).persist()
        assert dc.statistics(ASIA, data) == dc.statistics(ASIA, WORDS)

    def test_predictions(self, on_cluster):
        model = dc.fit(ASIA, WORDS)
        data, targets = in_parts(WORDS, 500, 1000, 2500), ("lung", "smoke")
        pd.testing.assert_frame_equal(model.predict(data, targets).compute(), model.predict(WORDS, targets))
        found, expected = dask.compute(model.predict_proba(data, targets))[0], model.predict_proba(WORDS, targets)
        for name, values in expected.items():
            np.testing.assert_array_equal(found[name], values)

    def test_errors_name_the_partition(self, on_cluster):
        frame = WORDS.copy()
        frame.iloc[2007, 0] = "maybe"
        with pytest.raises(dc.DataError, match=r"unknown state 'maybe' .* in row 7.*\(in partition 2, within"):
            dc.statistics(ASIA, in_parts(frame, 1000, 2000), states=ASIA.states)
        with pytest.raises(dc.UnknownStateError, match=r"unknown state 'maybe' .* in row 7.*\(in partition 2, within"):
            dc.localize(ASIA).predict(in_parts(frame, 1000, 2000), "dysp").compute()

    def test_a_worker_is_killed_in_the_middle(self, on_cluster, tmp_path):
        partitions, folder, words = 24, tmp_path, WORDS

        def source(number: int) -> pd.DataFrame:
            (folder / f"{number} {os.getpid()} {time.time_ns()}").touch()
            time.sleep(0.1)
            return words.iloc[number * 125 : (number + 1) * 125]

        killer = Killer(folder)
        killer.start()
        found = dc.statistics(ASIA, dd.from_map(source, range(partitions), meta=WORDS.iloc[:0]))
        killer.join()
        assert 0 < killer.begun_before < partitions
        assert found == dc.statistics(ASIA, WORDS)
        read = begun(folder)
        assert {number for number, _ in read} == set(range(partitions))
        lost = {number for number, worker in read if worker == killer.killed}
        assert lost <= {number for number, worker in read if worker != killer.killed}


class Killer(threading.Thread):
    """Kills the first worker that has counted a partition and is at its third."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.folder, self.killed, self.begun_before = folder, 0, 0

    def run(self) -> None:
        deadline = time.monotonic() + 60
        while not self.killed and time.monotonic() < deadline:
            time.sleep(0.01)
            by_worker = Counter(worker for _, worker in begun(self.folder))
            self.killed = next((worker for worker, count in by_worker.items() if count == 3), 0)
        if self.killed:
            self.begun_before = sum(by_worker.values())
            os.kill(self.killed, signal.SIGKILL)


def begun(folder: Path) -> list[tuple[int, int]]:
    """Number and process of the partitions whose reading has begun."""
    return [(int(number), int(worker)) for number, worker, _ in (file.name.split() for file in folder.iterdir())]
