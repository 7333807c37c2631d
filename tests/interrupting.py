"""A process that works until it is interrupted, again and again, and says when it heard and whether it is well."""

import signal
import subprocess
import sys
import time
from contextlib import contextmanager

TRIES = 3
MOST_TRIES = 15
AT_ONCE = 0.2
"""Seconds in which the fastest answer must come. On a busy machine most have to wait for a processor, so more are tried."""
NEVER = 20.0

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
        heard = time.monotonic()
    say(heard, {is_well}, threading.active_count())
"""


@contextmanager
def worker(prepare, is_well):
    """A process that has run the statements `prepare`, and is well while the expression `is_well` is true."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    program = PROGRAM.format(prepare=prepare, is_well=is_well)
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
    assert max(waited) < NEVER, waited


def _interrupted(process, work, number):
    """Seconds from an interrupt to the answer."""
    process.stdin.write(f"{work}\n")
    process.stdin.flush()
    assert process.stdout.readline() == "begin\n", process.stderr.read()
    time.sleep(0.05 + 0.037 * number)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    heard, is_well, threads = process.stdout.readline().split()
    assert (is_well, threads) == ("True", "1")
    return float(heard) - sent
