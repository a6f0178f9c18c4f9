#!/usr/bin/env python3
"""Samples of computation name the functions that a program is known to compute in.

    sampling_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

CASE is one of the cases below. All shares are of CPU time, so that a busy machine changes nothing."""
import ctypes
import os
import platform
import re
import shutil
import struct
import subprocess
import sys

from recording import SKIPPED, check, finding, result, run_case

HERE = os.path.dirname(os.path.abspath(__file__))


def record(test, ranks, arguments, rate="200Hz", program="hot_O2", yields=True):
    shutil.rmtree(test.output, ignore_errors=True)
    command = [test.arguments.slackline, "record", f"--sample={rate}", "-o", test.output]
    if test.arguments.mpi == "mpich" and yields:
        command.append("--yield")
    done = test.run([*command, "--", *test.launcher(ranks), test.program(program), *arguments])
    check(done.returncode == 0, f"the program ended with {done.returncode}")


def computation(test):
    """Computation by function, as a share of that of all three planted functions."""
    spots = result(test, "hotspots")["hotspots"]
    times = {s["function"]: s["computation_ns"] for s in spots}
    planted = {name: times.get(name, 0) for name in ("half", "three_tenths", "a_fifth")}
    whole = sum(planted.values())
    check(whole > 0, f"nothing was found: {times}")
    return {name: ns / whole for name, ns in planted.items()}


def line_of(mark):
    with open(os.path.join(HERE, "hot.c"), encoding="utf-8") as source:
        return 1 + [mark in line for line in source].index(True)


def text(test):
    return subprocess.run([test.arguments.slackline, "print", test.output], capture_output=True,
                          text=True, check=True).stdout


def samples(test):
    return len(re.findall(r"^ +@\d+ sample ", text(test), re.M))


def check_shares(test, within):
    shares = computation(test)
    for name, planted in {"half": 0.5, "three_tenths": 0.3, "a_fifth": 0.2}.items():
        check(abs(shares[name] - planted) < within, f"{name}: {shares}")


def case_shares(test):
    for program in ("hot_O0", "hot_O2"):
        record(test, 2, ["shares"], program=program)
        check_shares(test, 0.02)
        spots = result(test, "hotspots")["hotspots"]
        half = [s for s in spots if s["function"] == "half"]
        check(half[0]["file"].endswith("hot.c"), f"{half}")
        check(half[0]["line"] == line_of("half's line"), f"{half}")
        path = result(test, "critical-path", "--on", "measured")["by_function"]
        on_path = {f["function"]: f["share"] for f in path}
        check(on_path.get("half", 0) > on_path.get("a_fifth", 0) > 0, f"{on_path}")
        check(result(test, "hotspots")["sampled"], "by samples")


def case_late(test):
    """What keeps ranks 1 to 3 waiting is force_pairs on rank 0, and not assemble, which takes as
    long on every rank."""
    record(test, 4, ["late"])
    waits = [w for w in result(test, "wait-states")["waits"] if w["operation"] == "MPI_Recv"]
    check({w["rank"] for w in waits} == {1, 2, 3}, f"who waits: {waits}")
    causes = {w["rank"]: w["cause"] for w in waits}
    cause = causes[3]  # a distant one
    check(cause["rank"] == 0 and cause["function"] == "force_pairs", f"cause {cause}")
    check(cause["file"].endswith("hot.c") and cause["line"] == line_of("the late line"),
          f"cause {cause}")
    report = subprocess.run([test.arguments.slackline, "report", test.output], capture_output=True,
                          text=True, check=True).stdout
    check(f"force_pairs (hot.c:{line_of('the late line')})" in report, "on the first screen")


def observes_kernel_time():
    """Whether perf_event_open permits an event of the task clock, time in the kernel included."""
    event = struct.pack("IIQQ96x", 1, 128, 1, 5_000_000)
    return ctypes.CDLL(None).syscall(298, event, 0, -1, -1, 8) >= 0


def skip_without_task_clock():
    if platform.machine() != "x86_64" or not observes_kernel_time():
        print("skipped: perf_event_open is not permitted")
        sys.exit(SKIPPED)


def case_closes(test):
    """A program that closes the timer's file descriptor keeps its own file of that number; the missing samples are said."""
    skip_without_task_clock()
    record(test, 2, ["closes"])
    check(samples(test) > 20, "samples of the first half")
    check(finding(text(test), "not_sampled") == 2, "which is said")


def case_turns(test):
    """Ranks that share a processor compute just after each tick of the kernel."""
    skip_without_task_clock()
    record(test, 4, ["turns"], yields=False)
    found = samples(test)
    check(found > 100, f"{found} samples of 200")
    spots = result(test, "hotspots")["hotspots"]
    times = {s["function"]: s["computation_inclusive_ns"] for s in spots}
    check(times["a_fifth"] > 0.8 * times["main"], f"{times}")


def case_timers(test):
    """SIGPROF, SIGALRM and the interval timers stay the program's."""
    record(test, 2, ["timers"])
    check_shares(test, 0.08)
    check(finding(text(test), "not_sampled") == 0, "it is sampled, too")


def case_all_signals(test):
    """A program that takes every signal has them to itself; that is said."""
    record(test, 2, ["all_signals"])
    check(finding(text(test), "not_sampled") == 2, "which is said")


def runs_with_samples(test, mode, *more):
    record(test, 2, [mode, *more], rate="1000Hz")
    check(samples(test) > 5, "there are samples")
    check(finding(text(test), "damaged_record") == 0, "undamaged")


def case_jumps(test):
    runs_with_samples(test, "jumps")


def case_children(test):
    runs_with_samples(test, "children")


def case_alternate_stack(test):
    runs_with_samples(test, "alternate_stack")


def case_blocking(test):
    runs_with_samples(test, "blocking")


def case_libraries(test):
    folder = os.path.join(test.arguments.programs, test.arguments.mpi)
    runs_with_samples(test, "libraries", os.path.join(folder, "first_hot.so"),
                      os.path.join(folder, "second_hot.so"))
    names = {s["function"] for s in result(test, "hotspots")["hotspots"]}
    check({"first_library", "second_library"} <= names, f"functions {names}")


def case_options(test):
    done = test.run([test.arguments.slackline, "record", "--sample=often", "--", "true"])
    check(done.returncode == 2 and "--sample=200Hz" in done.stderr, "a rate that is none")
    script = subprocess.run([test.arguments.slackline, "preload", "--sample"], capture_output=True,
                            text=True, check=True).stdout
    check("SLACKLINE_SAMPLE" in script and "200" in script, f"preload: {script}")


if __name__ == "__main__":
    run_case(globals())
