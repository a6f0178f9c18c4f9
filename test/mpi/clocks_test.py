#!/usr/bin/env python3
"""Clocks of ranks that differ, and ranks that share a processor: what they computed is known.

    clocks_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

Exit status 77: cannot be tried here (said in words)."""
import os
import re
import shutil
import subprocess
import sys
import time

from recording import calls, check, finding, rank_section, result, run_case, skip, succeeded

MANY = 8000  # messages around the ring


def case_oversubscribed(test):
    """Two ranks on one processor: it is said, and what each computed is known all the same."""
    command = ["taskset", "-c", "0"] + test.launcher(2) + [test.program("scenario"), "compute"]
    if test.arguments.mpi == "openmpi":
        command[4:4] = ["--bind-to", "none"]
    done = test.record(command)
    succeeded(done)
    text = test.text()
    check(finding(text, "oversubscribed") == 2, "the ranks that had to share are counted")
    names = re.findall(r"^finding (\w+)", text, re.M)
    check(names[0] == "oversubscribed", "and that is said first")
    check("2 ranks on 1 processor" in text, "in numbers")
    if "without a processor for" not in text:
        skip("perf_event_open is not permitted here")
    for rank in (0, 1):
        lines = re.findall(r"^  @(-?\d+) \+(\d+) (\w+)", rank_section(text, rank), re.M)
        computed, end, pause = [], None, 0
        for begin, length, what in [(int(b), int(d), w) for b, d, w in lines]:
            if what == "pause":
                pause += length
                continue
            if what == "barrier":
                computed.append((begin - end - pause) / 1e6)
            end, pause = begin + length, 0
        check(len(computed) == 10, "ten stretches")
        # What the kernel charges for switching and what the recorder takes come on top.
        check(all(19.9 < ms < 23 for ms in computed), f"of 20 ms each: {computed}")


# What each rank of `scenario compute` computes. What the kernel charges for switching comes on top,
# and of eight ranks the slowest one counts: up to 20 % where twenty others compute beside.
PLANTED_NS = 10 * 20e6


def makespan(test, computation):
    return result(test, "predict", "--computation", computation)["makespan_ns"]


def recorded_on(test, ranks, processors, *wrapper):
    """`ranks` ranks that compute 0.2 s each, on this many processors."""
    shutil.rmtree(test.output, ignore_errors=True)
    chosen = sorted(os.sched_getaffinity(0))[:processors]
    command = ["taskset", "-c", ",".join(map(str, chosen))] + test.launcher(ranks)
    if test.arguments.mpi == "openmpi":
        command += ["--bind-to", "none"]
    done = test.record([*wrapper, *command, test.program("scenario"), "compute"])
    succeeded(done)
    return test.text()


def case_cpu_time(test):
    """Eight ranks on two processors, predicted with CPU time: what two ranks on two take."""
    text = recorded_on(test, 8, 2)
    if finding(text, "cpu_time_sampled") > 0:
        skip("perf_event_open is not permitted here")
    shared = makespan(test, "cpu")
    wall = makespan(test, "wall")
    recorded_on(test, 2, 2)
    reference = makespan(test, "cpu")
    print(f"cpu {shared / 1e6:.1f} ms, wall {wall / 1e6:.1f} ms, "
          f"two ranks {reference / 1e6:.1f} ms, planted {PLANTED_NS / 1e6:.1f} ms")
    for predicted in (shared, reference):
        check(0.99 * PLANTED_NS < predicted < 1.3 * PLANTED_NS, "the planted computation")
    check(wall > 2 * PLANTED_NS, "which wall time does not give")


def case_cpu_time_sampled(test):
    """The same where perf_event_open is not permitted."""
    forbid = test.program("forbid_perf")
    if test.run([forbid, "true"]).returncode != 0:
        skip("system calls cannot be filtered here")
    text = recorded_on(test, 8, 2, forbid)
    check(finding(text, "cpu_time_sampled") == 8, "it is said")
    shared = makespan(test, "cpu")
    wall = makespan(test, "wall")
    print(f"cpu {shared / 1e6:.1f} ms, wall {wall / 1e6:.1f} ms, planted {PLANTED_NS / 1e6:.1f} ms")
    check(0.99 * PLANTED_NS < shared < 1.3 * PLANTED_NS, "the planted computation")
    check(wall > 2 * PLANTED_NS, "which wall time does not give")


def time_namespace(seconds):
    prefix = ["unshare", "-T", "--monotonic", str(seconds)]
    if subprocess.run(prefix + ["true"], capture_output=True, check=False).returncode != 0:
        skip("making a time namespace is not permitted here")
    return prefix


def clock(text, rank):
    line = re.search(rf"^rank {rank} .*$", text, re.M)[0]
    values = {key: float(value) for key, value in re.findall(r"clock_(\w+)=(\S+)", line)}
    return values.get("offset", 0.0), values.get("drift", 0.0), values.get("error", 0.0)


def case_clock_offset(test):
    shift = time_namespace(1000)
    program = [test.program("scenario"), "many", "2000"]
    command = test.launcher(1) + program + [":", "-n", "1"] + shift + program
    done = test.record(command)
    succeeded(done)
    offset, _, error = clock(test.text(), 1)
    # Rank 1's clock is ahead by exactly 1000 s; what is added is the opposite.
    check(abs(offset + 1000e9) <= error, f"offset {offset} is within {error} of -1000 s")
    check(0 < error < 1e9, f"the stated error of {error} ns")


def case_clock_drift(test):
    # 3 ms behind, 100 us a second too fast. The ring takes long enough to see the drift.
    done = test.record(test.launcher(2) + [test.program("scenario"), "many", str(MANY)],
                       SLACKLINE_TEST_CLOCK="1:-3000000:0.01:20")
    succeeded(done)
    text = test.text()
    offset, drift, error = clock(text, 1)
    check(abs(offset - 3e6) <= error + 0.01 * 1e9, f"offset {offset}")
    # The falsified clock runs 1.01 times as fast, so 0.01/1.01 of its time is taken off. On a busy
    # machine messages can take too long to tell; then the error that is stated covers it: the end
    # is off by the drift less what the begin was measured wrong by, which the error covers, too.
    times = [int(at) for at in re.findall(r"^  @(-?\d+) ", rank_section(text, 1), re.M)]
    covered = drift == 0 and 2 * error > 0.0099 * (max(times) - min(times))
    check(abs(drift + 0.01 / 1.01) < 0.004 or covered, f"drift {drift}, error {error} ns")


DAY = 86400
YEAR = 365 * DAY


def shown_by(library, name, value):
    """By how many seconds the library makes a process's clock differ, within one or so."""
    read = [sys.executable, "-c", "import time; print(time.clock_gettime(time.CLOCK_MONOTONIC))"]
    shown = subprocess.run(["env", f"LD_PRELOAD={library}", f"{name}={value}", *read], text=True, capture_output=True,
                           check=True)
    return float(shown.stdout) - time.clock_gettime(time.CLOCK_MONOTONIC)


def case_clock_anywhere(test):
    """The zero of a rank's clock is years away, before or after the others'."""
    program = [test.program("scenario"), "many", "300"]
    clock_library = test.program("any_clock.so")
    fake_time = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"
    shifts = [("ANY_CLOCK_S", str(seconds), (seconds,), clock_library)
              for seconds in (-100 * YEAR, -50 * YEAR, -10, 50 * YEAR, 100 * YEAR)]
    if os.path.exists(fake_time):
        # Some versions of it show the date on every clock.
        date = time.time() - time.clock_gettime(time.CLOCK_MONOTONIC)
        shifts += [("FAKETIME", f"{years:+}y", (years * YEAR, years * YEAR + date), fake_time) for years in (-80, -50, 50)]
    else:
        print("without libfaketime (Debian's package faketime): only with a library of this test")
    for rank in (0, 1):
        for name, value, expected, library in shifts:
            seconds = shown_by(library, name, value)
            check(any(abs(seconds - asked) < 2 * DAY for asked in expected), f"{name}={value} shifts the clock by {seconds} s")
            shutil.rmtree(test.output, ignore_errors=True)
            shifted = ["env", f"LD_PRELOAD={library}", f"{name}={value}", *program]
            parts = [shifted, program] if rank == 0 else [program, shifted]
            done = test.record([*test.launcher(1), *parts[0], ":", "-n", "1", *parts[1]])
            succeeded(done)
            text = test.text()
            for lost in ("damaged_file", "missing_ranks", "clock_unknown", "damaged_record"):
                check(finding(text, lost) == 0, f"{value} s of rank {rank}: {lost}")
            offset, _, error = clock(text, 1)
            wanted = 1e9 * (seconds if rank == 0 else -seconds)
            check(abs(offset - wanted) < 5e9, f"offset {offset} is about {wanted}")
            check(0 < error < 1e9, f"the stated error of {error} ns")
            check(calls(text, 1, "sendrecv_replace") == 300, "all calls")
            times = [int(at) for at in re.findall(r"^  @(-?\d+) ", text, re.M)]
            check(max(times) - min(times) < 100e9, "one run, on one time line")


if __name__ == "__main__":
    run_case(globals())
