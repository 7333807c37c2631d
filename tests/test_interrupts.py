"""Ctrl-C ends every long call, and everything is usable after it.

How soon it is heard is measured by `python -m benchmarks interrupts`; here a call is ended that would take much longer.
"""

from __future__ import annotations

import sys

import pytest

from benchmarks.interrupts import CALLS, interrupted

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are interrupted by signals")


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_the_call(name):
    heard = interrupted(name)
    assert heard.is_interrupted, heard.output
    assert heard.is_usable, heard.output
