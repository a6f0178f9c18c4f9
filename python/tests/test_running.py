"""The GIL, Ctrl-C, and what happens to computations meanwhile."""

import subprocess
import sys
import threading

import pytest

import slackline

#: Never ends by itself. The handler is set because a job without a terminal may inherit that SIGINT is ignored.
ENDLESS = """
import os, signal, sys, threading
import slackline
signal.signal(signal.SIGINT, signal.default_int_handler)
trace = sys.argv[1]
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    slackline.run("place", trace, ranks_per_node=2, topology="fat-tree:k=8,tiers=2", restarts=100000,
                  evaluations=100000000)
except KeyboardInterrupt:
    print("interrupted")
"""

#: Cuts a trace as soon as it is mapped, which may be when all of it has been read.
CUT = """
import os, sys, threading
import slackline
path = os.path.realpath(sys.argv[1])
def cut():
    while True:
        with open("/proc/self/maps") as maps:
            if path in maps.read():
                return os.truncate(path, 5000)
threading.Thread(target=cut, daemon=True).start()
try:
    slackline.open(path)
    print("whole")
except slackline.Error as error:
    print(error)
"""


def test_a_trace_cut_while_it_is_read_is_an_exception(tmp_path):
    rank = "".join(f"  @{10 * i} +5 barrier\n" for i in range(1_000_000))
    path = tmp_path / "cut.txt"
    path.write_text("slackline-trace 1 timed ranks=1\nrank 0 host=n0\n" + rank)
    run = subprocess.run([sys.executable, "-c", CUT, path], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    lost = f"cannot read '{path}': it became shorter while it was read, or its disk failed. Start again when it is complete."
    assert run.stdout.strip() in ("whole", lost)


@pytest.mark.parametrize("ending, status", [("", 0), ("sys.exit(3)", 3), ("raise ValueError", 1)])
def test_the_exit_status_is_the_scripts_own(traces, ending, status):
    run = subprocess.run([sys.executable, "-c", ENDLESS + ending, traces / "allreduce64.slk"], capture_output=True,
                         text=True, timeout=120)
    assert (run.returncode, run.stdout) == (status, "interrupted\n"), run.stderr


def placed(traces, evaluations):
    """A computation whose time grows with `evaluations`."""
    slackline.run("place", traces / "allreduce64.slk", ranks_per_node=2, topology="fat-tree:k=8,tiers=2",
                  restarts=100000, evaluations=evaluations)


def longer_and_longer():
    """Numbers of evaluations, of which the last ones take long on any machine."""
    return (1000 * 2**k for k in range(20))


def test_interrupt_comes_through(traces):
    run = subprocess.run([sys.executable, "-c", ENDLESS, traces / "allreduce64.slk"], capture_output=True, text=True,
                         timeout=120)
    assert run.stdout == "interrupted\n", run.stderr


def test_other_threads_run_meanwhile(traces):
    ticks = 0
    done = threading.Event()

    def count():
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        for evaluations in longer_and_longer():
            before = ticks
            placed(traces, evaluations)
            if ticks > before + 3:
                return
    finally:
        done.set()
        thread.join()
    pytest.fail("the other thread waited for each computation")


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


def test_long_computations_say_what_they_do(traces):
    told = []
    slackline.on_progress(lambda stage, seconds: told.append((stage, seconds)))
    try:
        for evaluations in longer_and_longer():
            told.clear()
            placed(traces, evaluations)
            if len(told) > 1:
                break
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
            for evaluations in longer_and_longer():
                placed(traces, evaluations)
    finally:
        slackline.on_progress(None)
