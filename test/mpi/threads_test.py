#!/usr/bin/env python3
"""Threads that use MPI at the same time: nothing is lost or mistaken.

    threads_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

Exit status 77: cannot be tried here (said in words)."""
import re
import shutil

from recording import answer, calls, check, finding, rank_section, run_case, skip, succeeded


def case_threads(test):
    done = test.record(test.launcher(2) + [test.program("scenario"), "threads"])
    succeeded(done, "MPI_THREAD_MULTIPLE")
    text = test.text()
    for rank in (0, 1):
        section = rank_section(text, rank)
        for operation in ("isend", "irecv", "waitall"):
            check(calls(text, rank, operation) == 100, f"two threads' {operation}")
        check(len(re.findall(r" thread=1", section)) == 150, "the second thread's calls")
        pairs = re.findall(r"waitall thread=1 reqs=(\S+)|waitall reqs=(\S+)", section)
        check(len(pairs) == 100, "every waitall names its requests")
        serials = sorted(int(s) for a, b in pairs for s in (a or b).replace("..", ",").split(","))
        check(serials == list(range(1, 201)), "every request is completed once")
    check(finding(text, "unknown_requests") == 0, "all requests are known")


def serials(text):
    """The numbers of a list like "3,5..9,20..40/2"."""
    for part in text.split(","):
        first, last, step = re.fullmatch(r"(\d+)(?:\.\.(\d+))?(?:/(\d+))?", part).groups()
        yield from range(int(first), int(last or first) + 1, int(step or 1))


def threaded(test, mode):
    """Threads of a rank use MPI correctly, all at once: nothing is lost or mistaken."""
    shutil.rmtree(test.output, ignore_errors=True)
    done = test.record(test.launcher(2) + [test.program("threads"), mode])
    succeeded(done, "MPI_THREAD_MULTIPLE")
    check("errors 0" in done.stdout, f"{mode}: the program found errors")
    text = test.text()
    known = {"overlapping_threads", "oversubscribed", "other_processes", "cpu_time_not_recorded"}
    if mode == "same_tag":
        known.add("threads_share_channel")
    names = set(re.findall(r"^finding (\w+)", text, re.M)) - known
    check(not names, f"{mode}: findings {names}")
    for rank in (0, 1):
        section = rank_section(text, rank)
        started = {int(serial) for serial in re.findall(r"i\w+ .*?req=(\d+)", section)}
        completed = [serial
                     for text in re.findall(r"(?:wait|test)\w* .*?reqs?=(\S+)", section)
                     for serial in serials(text)]
        check(len(set(completed)) == len(completed), f"{mode}: a request is completed twice")
        check(set(completed) <= started or mode == "persistent", f"{mode}: of unknown start")


def case_threads_requests(test):
    for mode in ("churn", "windows", "persistent", "same_tag", "handover", "probes", "cancel",
                 "collectives"):
        threaded(test, mode)


def case_threads_create_group(test):
    """Threads make communicators at once, in another order on each rank: they are told apart."""
    if test.arguments.mpi == "openmpi":
        skip("Open MPI 4.1 itself hangs now and then when several threads call MPI_Comm_create_group at once")
    threaded(test, "create_group")
    for command in ("predict", "wait-states", "critical-path"):
        found = {f["name"] for f in answer(test, command)["findings"] if f["severity"] != "info"}
        check(found <= {"overlapping_threads", "oversubscribed", "other_processes"}, f"{command}: {found}")


if __name__ == "__main__":
    run_case(globals())
