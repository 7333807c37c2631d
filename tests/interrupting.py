"""A process that works until it is interrupted, again and again, and says when it heard and whether it is well.

How long that took is counted in processor time of that process, not by the clock on the wall: the process stands still while
the interrupt is sent, and what other processes do makes no difference.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

TRIES = 3
MOST_TRIES = 15
AT_ONCE = 0.2
"""Seconds of processor time that the quickest answer may take; the work itself takes longer, or goes on without end."""

PROGRAM = """
import sys, threading, time
import dconvex as dc

def say(*words):
    print(*words, flush=True)

{prepare}
say("ready")
for line in sys.stdin:
    work = eval("lambda: " + line)
    work()
    try:
        say("begin")  # within it: a busy machine may let the interrupt come before the next line
        while True:
            work()
    except KeyboardInterrupt:
        heard = {clock}
    say(heard, {is_well}, threading.active_count())
"""


IS_LINUX = sys.platform == "linux"
"""Elsewhere no process can read the processor time of another one, so that seconds on the wall are counted."""


@contextmanager
def worker(prepare, is_well):
    """A process that has run the statements `prepare`, and is well while the expression `is_well` is true."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    clock = "time.process_time()" if IS_LINUX else "time.monotonic()"
    program = PROGRAM.format(prepare=prepare, is_well=is_well, clock=clock)
    with subprocess.Popen([sys.executable, "-c", program], text=True, **pipes) as process:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
        yield process
        _, complaints = process.communicate()
    assert (process.returncode, complaints) == (0, "")


def interrupt(process, work):
    """Interrupt the work at different times; at least one answer comes at once."""
    waited = [_interrupted(process, work, number) for number in range(TRIES)]
    while min(waited) >= AT_ONCE and len(waited) < MOST_TRIES:
        waited.append(_interrupted(process, work, len(waited)))
    assert min(waited) < AT_ONCE, waited


def _interrupted(process, work, number):
    """What the process takes from an interrupt to the answer, in seconds."""
    process.stdin.write(f"{work}\n")
    process.stdin.flush()
    assert process.stdout.readline() == "begin\n", process.stderr.read()
    time.sleep(0.05 + 0.037 * number)
    sent = _send(process)
    heard, is_well, threads = process.stdout.readline().split()
    assert (is_well, threads) == ("True", "1")
    return float(heard) - sent


def _send(process):
    """Interrupt the process; its processor time then, for which it is stopped until the interrupt is on its way."""
    if not IS_LINUX:
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        return sent
    process.send_signal(signal.SIGSTOP)
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), status
    sent = time.clock_gettime((~process.pid << 3) | 2)  # what clock_getcpuclockid gives
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGCONT)
    return sent
