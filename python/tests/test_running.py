"""The GIL, Ctrl-C, and what happens to computations meanwhile."""

import subprocess
import sys
import threading
import time

import pytest

import slackline

#: Random programs take the engine long enough to be interrupted.
SLOW = """
import os, signal, sys, threading, time
import slackline
trace = sys.argv[1]
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.monotonic()
try:
    slackline.run("place", trace, ranks_per_node=2, topology="fat-tree:k=8,tiers=2", restarts=100000,
                  evaluations=100000000)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - begin < 2)
"""


def test_interrupt_comes_through(traces):
    run = subprocess.run([sys.executable, "-c", SLOW, traces / "allreduce64.slk"], capture_output=True, text=True,
                         timeout=60)
    assert run.stdout == "interrupted True\n", run.stderr


def test_other_threads_run_meanwhile(traces):
    ticks = 0
    done = threading.Event()

    def count():
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    slackline.run("place", traces / "allreduce32.slk", ranks_per_node=4, topology="fat-tree:k=8,tiers=2",
                  evaluations=2000)
    done.set()
    thread.join()
    assert ticks > 3


def test_several_threads_share_a_trace(traces):
    trace = slackline.open(traces / "lammps-melt.slk")
    expected = trace.messages().rows
    fresh = slackline.open(traces / "lammps-melt.slk")
    rows = []
    threads = [threading.Thread(target=lambda: rows.append(fresh.messages().rows)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rows == [expected] * 4


def test_long_computations_say_what_they_do(traces, capsys):
    told = []
    slackline.on_progress(lambda stage, seconds: told.append((stage, seconds)))
    try:
        slackline.run("place", traces / "allreduce64.slk", ranks_per_node=2, topology="fat-tree:k=8,tiers=2",
                      evaluations=20000)
    finally:
        slackline.on_progress(None)
    assert len(told) > 1 and told[0][0] and told[-1][0] == ""
    assert [seconds for _, seconds in told] == sorted(seconds for _, seconds in told)
    slackline.show_progress()
    slackline.show_progress(False)


def test_an_exception_of_the_callback_abandons(traces):
    def stop(stage, seconds):
        raise ValueError("enough")

    slackline.on_progress(stop)
    try:
        with pytest.raises(ValueError, match="enough"):
            slackline.run("place", traces / "allreduce64.slk", ranks_per_node=2, topology="fat-tree:k=8,tiers=2",
                          evaluations=20000)
    finally:
        slackline.on_progress(None)
