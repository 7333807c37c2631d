"""Locks that survive a fork."""

from __future__ import annotations

import copy
import os
import pickle
import threading

import pytest

from dconvex.locks import Lock


def is_free(lock: Lock) -> bool:
    """Whether another thread can take it at once."""
    found = []

    def take() -> None:
        with lock:
            found.append(True)

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    thread.join(0.2)
    return bool(found)


def test_one_thread_at_a_time():
    lock = Lock()
    assert is_free(lock)
    with lock:
        assert not is_free(lock)
    assert is_free(lock)


def test_it_is_released_by_an_error():
    lock = Lock()
    with pytest.raises(ValueError, match="away"), lock:
        raise ValueError("away")
    assert is_free(lock)


@pytest.mark.parametrize("travel", [copy.deepcopy, copy.copy, lambda lock: pickle.loads(pickle.dumps(lock))])
def test_a_copy_is_new(travel):
    lock = Lock()
    with lock:
        assert is_free(travel(lock))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_can_take_a_lock_that_another_thread_held():
    lock, is_held, is_over = Lock(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            is_held.set()
            is_over.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    is_held.wait()
    child = os.fork()
    if child == 0:
        os._exit(0 if is_free(lock) else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert not is_free(lock)
    is_over.set()
    thread.join()
