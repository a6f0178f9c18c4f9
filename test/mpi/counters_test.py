#!/usr/bin/env python3
"""Counters of computation: what a program planted is found in the stretch where it was.

    counters_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

Exit status 77: cannot be tried here (said in words)."""
import os
import re

from recording import check, finding, rank_section, result, run_case, skip, succeeded

FRESH, SLEEPS, ROUNDS = 3000, 5, 20  # as in counted.c


def recorded(test, mode, *options):
    command = test.launcher(2)
    if test.arguments.mpi == "openmpi":
        command += ["--bind-to", "none"]
    record = [test.arguments.slackline, "record", "--keep-raw", "-o", test.output, *options]
    if test.arguments.mpi == "mpich":
        record.append("--yield")
    done = test.run([*record, "--", *command, test.program("counted"), mode])
    succeeded(done)
    return test.text()


def names(text):
    return re.findall(r'^counter \d+ "?([\w]+)"?', text, re.M)


def gains_before_barriers(text, rank):
    """What each counter gained before each barrier, by name."""
    known = names(text)
    stretches, gained = [], {}
    for line in rank_section(text, rank).splitlines():
        words = line.split()
        if words[:1] == ["counted"]:
            gained = dict(zip(known, map(int, words[1:])))
        elif words[:1] and words[0].startswith("@"):
            if words[2] == "barrier":
                stretches.append(gained)
            gained = {}
    return stretches


def case_software(test):
    text = recorded(test, "system")
    stretches = gains_before_barriers(text, 0)
    check(len(stretches) == 4, f"four barriers: {stretches}")
    _, pages, sleeps, moved = stretches
    faults = pages.get("ru_minflt", 0)
    # A few of the recorder's and of MPI's own come on top.
    check(FRESH <= faults < 1.3 * FRESH, f"{FRESH} new pages: {faults}")
    switches = sleeps.get("ru_nvcsw", 0)
    check(switches == SLEEPS, f"{SLEEPS} sleeps: {switches}")
    if len(os.sched_getaffinity(0)) > 1:
        check(moved.get("cpu_migrations", 0) >= 1, f"moved to another processor: {moved}")
    for stretch in gains_before_barriers(text, 1):
        check(stretch.get("ru_minflt", 0) < FRESH / 2, f"the other rank touched none: {stretch}")
    check("PAPI_TOT_INS" not in names(text), "hardware counters were not asked for")
    check(finding(text, "no_hardware_counters") == 0, "nor are they missed")
    listed = {c["name"]: c["gained"] for c in result(test, "info")["counters"]}
    check(listed["ru_minflt"]["max_rank"] == 0, f"info names rank 0: {listed}")


def case_interrupted(test):
    """Two ranks on one processor: each stretch was interrupted, and the machine took about half."""
    command = ["taskset", "-c", str(min(os.sched_getaffinity(0)))] + test.launcher(2)
    if test.arguments.mpi == "openmpi":
        command += ["--bind-to", "none"]
    succeeded(test.record([*command, test.program("scenario"), "compute"]))
    if finding(test.text(), "cpu_time_sampled") > 0:
        skip("perf_event_open is not permitted here")
    machine = result(test, "efficiency")["runs"][0]["machine_share"]
    check(machine["interrupted_stretches"] >= 15, f"of 20 long stretches: {machine}")
    check(machine["involuntary_switches"] >= machine["interrupted_stretches"], f"{machine}")
    # Twenty stretches of 20 ms are the program's, the rest is the machine's.
    work = machine["computation_ns"] - machine["off_processor_ns"]
    check(400e6 * 0.98 < work < 480e6, f"the planted work: {machine}")
    check(machine["off_processor_share"] > 0.25, f"{machine}")
    check(machine == result(test, "report")["measured"]["efficiency"]["machine_share"], "report agrees")


def case_none(test):
    check(names(recorded(test, "system", "--counters", "none")) == [], "none asked for, none there")


def case_hardware(test):
    """The kernel's part is the program's, so that every value is known."""
    text = recorded(test, "hardware", "--counters", "hardware")
    for rank in (0, 1):
        stretches = gains_before_barriers(text, rank)
        check(len(stretches) == ROUNDS, f"{len(stretches)} barriers")
        for i, gained in enumerate(stretches, 1):
            check(gained.get("PAPI_TOT_INS") == 1000 * i, f"instructions before barrier {i}: {gained}")
            check(gained.get("PAPI_TOT_CYC") == 2000 * i, f"cycles before barrier {i}: {gained}")
    check("PAPI_L3_TCM" not in names(text), "this machine counts no cache misses")
    check(finding(text, "no_hardware_counters") == 2, "which is said of both ranks")
    run = result(test, "efficiency")["runs"][0]
    planted = 2 * sum(1000 * i for i in range(1, ROUNDS + 1))
    check(run["instructions"] == planted, f"{run['instructions']} of {planted} instructions")
    check(run["cycles"] == 2 * planted, f"{run['cycles']} of {2 * planted} cycles")


def case_missing(test):
    """Where the machine may have none, the recording is as without."""
    text = recorded(test, "system", "--counters", "hardware")
    if "PAPI_TOT_INS" in names(text):
        skip("this machine has hardware counters")
    check(finding(text, "no_hardware_counters") == 2, "it is said of both ranks")
    check("ru_nvcsw" in names(text), "the system's counters are there")


def case_polls(test):
    """Tests that find nothing stay one record, however much was counted between them."""
    text = recorded(test, "polls", "--counters", "hardware")
    tests = len(re.findall(r"^  \S+ \S+ test ", rank_section(text, 0), re.M))
    check(tests < 500, f"1000 tests in {tests} records")


if __name__ == "__main__":
    run_case(globals())
