import io
import json
import math
import os
from functools import partial

import numpy as np
import pytest
from rich.console import Console

import dconvex as dc
from benchmarks import asking
from benchmarks.asking import Contest, Entry, Patience, Question, Row, Worker
from benchmarks.contenders import OptEinsum, Ours, OursInTurns, Pgmpy, PyAgrum, peers
from benchmarks.queries import Copy, drawn

ASIA = partial(dc.load_network, "asia")
PAIR = Question(("lung", "bronc"), {"smoke": "yes"})


class Scripted:
    """A worker whose answers are known beforehand: seconds and numbers, or a note."""

    def __init__(self, entry):
        self.entry, self.opened = entry, 0.5
        self.stopped = False

    def ask(self, questions, limit):
        answers = [self.entry.make(question) for question in questions]
        return answers * (1 + self.entry.twice)

    def stop(self):
        self.stopped = True


def says(*numbers, seconds=1.0):
    return lambda question: (seconds, np.array(numbers), "")


def fails(note):
    return lambda question: (math.inf, None, note)


def contest(questions=4, batch=1, patience=None, **makers):
    entries = {name: Entry(make, twice=name == "ours") for name, make in makers.items()}
    return asking.contest(Contest("case", entries, [Question()] * questions, batch), patience or Patience())


@pytest.fixture
def scripted(monkeypatch):
    monkeypatch.setattr(asking, "Worker", Scripted)


@pytest.mark.usefixtures("scripted")
def test_ours_is_asked_twice_and_its_peers_once():
    first, again, peer = contest(ours=says(0.5), peer=says(0.5, seconds=3.0))
    assert (first.contender, again.contender, peer.contender) == ("ours", "ours, asked again", "peer")
    assert [len(row.seconds) for row in (first, again, peer)] == [4, 4, 4]
    assert (peer.ratio(first, max), peer.notes) == (3.0, [])
    assert (first.opened, peer.opened) == (0.5, None)


@pytest.mark.usefixtures("scripted")
def test_an_answer_that_disagrees_has_no_time():
    *_, wrong, undefined, longer = contest(
        ours=says(0.5), wrong=says(0.5 + 2e-9), undefined=says(math.nan), longer=says(0.5, 0.5)
    )
    for row, note in ((wrong, "disagrees by 2e-09"), (undefined, "disagrees by inf"), (longer, "disagrees by inf")):
        assert (set(row.seconds), row.notes) == ({math.inf}, [note])


@pytest.mark.usefixtures("scripted")
def test_one_that_fails_twice_is_out_and_the_others_go_on():
    first, _, peer = contest(ours=says(0.5), peer=fails("> 9 s"))
    assert (len(first.seconds), peer.seconds, peer.notes) == (4, [math.inf] * 2, ["> 9 s"])


@pytest.mark.usefixtures("scripted")
def test_one_that_has_used_its_budget_is_asked_no_more():
    first, _, peer = contest(ours=says(0.5), peer=says(0.5, seconds=3.0), patience=Patience(budget=5.0))
    assert (len(first.seconds), len(peer.seconds)) == (4, 2)


@pytest.mark.usefixtures("scripted")
def test_peers_are_compared_with_each_other_where_ours_has_no_answer():
    *_, one, other = contest(questions=1, ours=fails("failed"), one=says(0.25), other=says(0.5))
    assert (one.notes, other.notes) == ([], ["disagrees by 0.2"])


def test_the_ratio_is_that_of_the_questions_both_were_asked():
    ours, peer = Row("ours", [1.0, 2.0, 50.0]), Row("peer", [4.0, 6.0])
    assert peer.ratio(ours, max) == 3.0
    assert Row("none").ratio(ours, max) is None
    assert peer.ratio(Row("failed", [math.inf]), max) is None


def test_a_worker_answers_from_its_own_process():
    worker = Worker(Entry(partial(PyAgrum, ASIA, "VariableElimination"), twice=True))
    answers = worker.ask([PAIR, Question((), {"smoke": "yes"})], 60.0)
    worker.stop()
    (seconds, joint, note), (_, marginals, _), *again = answers
    assert seconds > 0
    assert note == ""
    assert len(again) == 2
    np.testing.assert_allclose(joint, np.outer([0.1, 0.9], [0.6, 0.4]).ravel(), rtol=0, atol=1e-12)
    assert marginals.shape == (2 * 7,)


def test_a_worker_that_is_too_slow_is_stopped():
    worker = Worker(Entry(partial(PyAgrum, ASIA, "VariableElimination")))
    assert worker.ask([PAIR], 0.0) == [(math.inf, None, "> 0 s")]
    assert worker.process is None


def test_a_worker_has_a_limit_of_memory():
    ((seconds, sketch, note),) = Worker(Entry(partial(Copy, asking.MEMORY // 8))).ask([PAIR], 60.0)
    assert (seconds, sketch) == (math.inf, None)
    assert note.startswith("failed: Unable to allocate")


def test_a_worker_goes_on_after_a_question_that_fails():
    worker = Worker(Entry(partial(PyAgrum, ASIA, "LazyPropagation")))
    (_, _, refused), (_, _, answered) = worker.ask([Question(("nobody",)), PAIR], 60.0)
    worker.stop()
    assert refused.startswith("failed: ")
    assert answered == ""


@pytest.mark.parametrize("variables", [("dysp", "asia", "xray"), ()])
@pytest.mark.filterwarnings("ignore::FutureWarning:pgmpy")
def test_the_peers_agree(variables):
    question = Question(variables, {"smoke": "no"})
    contenders = (Pgmpy(ASIA), PyAgrum(ASIA, "LazyPropagation"), PyAgrum(ASIA, "VariableElimination"))
    answers = [contender.values(question, contender.ask(question)) for contender in contenders]
    found = [np.concatenate([part.ravel() for part in answer]) for answer in answers]
    assert [len(one) for one in found] == [8 if variables else 14] * 3
    np.testing.assert_allclose(found[1:], [found[0]] * 2, rtol=0, atol=1e-12)


def test_peers_are_named_after_their_engines():
    names = list(peers(ASIA, ["VariableElimination"], "LazyPropagation"))
    assert names == ["pyAgrum VariableElimination", f"pyAgrum LazyPropagation, {os.cpu_count()} threads", "pgmpy"]


def test_every_question_is_another_set_of_variables():
    questions = drawn(dc.load_network("pathfinder"), 2, 200, seed=1)
    assert len({frozenset(question.variables) for question in questions}) == 200


def test_what_is_observed_is_not_asked_for():
    for question in drawn(ASIA(), 3, 20, seed=1, observed=2):
        assert (len(question.variables), len(question.evidence)) == (3, 2)
        assert not set(question.variables) & set(question.evidence)


@pytest.mark.parametrize("contender", [OptEinsum(ASIA), PyAgrum(ASIA, "LazyPropagation", rebuilt=True)])
@pytest.mark.parametrize("question", [PAIR, Question(("dysp", "asia", "tub"), {"xray": "no", "bronc": "yes"})])
def test_others_answer_as_we_do(contender, question):
    ours = Ours(ASIA)
    expected, found = (list(one.values(question, one.ask(question))) for one in (ours, contender))
    np.testing.assert_allclose(found[0], expected[0], atol=1e-12)


def test_in_turns_another_engine_works_before_each_question(monkeypatch):
    asked = []

    class Recording(OursInTurns):
        def forget(self):
            super().forget()
            asked.append("other")

        def ask(self, question):
            asked.append("ours")
            return super().ask(question)

    class Pipe:
        batches, sent = [[PAIR, PAIR]], []

        def recv(self):
            if not self.batches:
                raise EOFError
            return self.batches.pop()

        def send(self, what):
            self.sent.append(what)

    monkeypatch.setattr(asking.resource, "setrlimit", lambda *_: None)
    entry = Entry(partial(Recording, ASIA, "LazyPropagation", [PAIR]), twice=True, in_turns=True)
    with pytest.raises(EOFError):
        asking.serve(Pipe(), entry)
    assert len(Pipe.sent[-1]) == 4
    assert asked == ["other", "ours"] * 4


@pytest.mark.usefixtures("scripted")
def test_run_writes_a_record_and_prints_a_table(tmp_path, capsys):
    entries = {
        "ours": Entry(says(0.5), twice=True),
        "peer": Entry(says(0.5, seconds=4.0)),
        "[none]": Entry(fails("failed: [no]")),
    }
    asking.run("demo", iter([Contest("large", entries, [Question()] * 3, size=4 * 10**9)]), quick=True, folder=tmp_path)
    record = json.loads((tmp_path / "demo.json").read_text())
    assert (record["benchmark"], record["quick"]) == ("demo", True)
    ours, again, peer, none = record["cases"][0]["rows"]
    assert (ours["median"], again["ratios"], peer["ratios"]) == (1.0, [], [4.0, 4.0, 4.0])
    assert (peer["gigabytes_per_second"], none["gigabytes_per_second"]) == (1.0, None)
    assert (none["median"], none["seconds"], none["notes"]) == (None, [None, None], ["failed: [no]"])
    console = Console(width=150, file=io.StringIO())
    console.print(asking.as_table("demo", record["cases"]))
    assert console.file.getvalue().strip() in capsys.readouterr().out.strip()
