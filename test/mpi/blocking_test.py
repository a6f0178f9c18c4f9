#!/usr/bin/env python3
"""I/O and other waiting outside of MPI: what a program reads, writes and waits for, in which function, to the byte.

    blocking_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

Exit status 77: cannot be tried here (said in words)."""
import json
import os

from recording import check, result, run_case

MIB = 1 << 20
# By kind, call, file and function: calls and bytes of a rank, as blocking.c makes them.
MADE = {
    ("io", "write", "restart", "write_restart"): (1008, 32 * MIB + 10000),
    ("io", "fsync", "restart", "write_restart"): (1, 0),
    ("io", "open", "restart", "write_restart"): (1, 0),
    ("io", "close", "restart", "write_restart"): (1, 0),
    ("io", "pwrite", "parts", "write_parts"): (6, 24 * MIB),
    ("io", "write", "others", "write_parts"): (10, 70),
    ("io", "creat", "others", "write_parts"): (2, 0),
    ("io", "fwrite", "table", "write_table"): (2000, 8000000),
    ("io", "fopen", "table", "write_table"): (1, 0),
    ("io", "fflush", "table", "write_table"): (1, 0),
    ("io", "fclose", "table", "write_table"): (1, 0),
    ("io", "readv", "restart", "read_restart"): (18, 32 * MIB + 10000),
    ("io", "write", "shared", "start_child"): (1, 100),
    ("sleep", "nanosleep", "", "sleep_a_while"): (2, 0),
    ("lock", "pthread_cond_wait", "", "wait_for_helper"): (1, 0),
    ("device", "cudaStreamSynchronize", "", "wait_for_device"): (2, 0),
    ("process", "waitpid", "", "start_child"): (1, 0),
}
# In ms, by call: the least that it takes a rank, and whether all of that is off the processor.
WAITED = {"nanosleep": (200, True), "pthread_cond_wait": (200, True), "waitpid": (100, True),
          "cudaStreamSynchronize": (240, False)}


def run(test, *words):
    files = os.path.join(test.folder, "files")
    os.makedirs(files, exist_ok=True)
    return test.record(test.launcher(2) + [test.program("blocking"), files, *words])


def query(test, sql):
    done = test.slackline("query", test.output, sql, "--format", "json")
    check(done.returncode == 0, "query")
    return json.loads(done.stdout)["result"]["rows"]


def found_of(test, rank):
    sums = {}
    for row in query(test, "SELECT kind, call, path, function, calls, bytes, time_ns, blocked_ns"
                           f" FROM blocking_calls WHERE rank = {rank}"):
        kind, call, path, function, *numbers = row.values() if isinstance(row, dict) else row
        name = os.path.basename(path)
        check(name in ("", "pipe", "socket", "null") or name.endswith(f".{rank}") or name[0] != "r", f"rank {rank}: {path}")
        key = (kind, call, name.rsplit(".", 1)[0], function)
        sums[key] = [old + new for old, new in zip(sums.get(key, [0] * 4), numbers)]
    return sums


def check_rank(found, rank):
    for key, made in MADE.items():
        check(tuple(found.get(key, [0, 0])[:2]) == made, f"rank {rank}: {key}: {found.get(key)} instead of {made}")
    others = [key for key in found if key[2] == "child" or key[3] == "main"]
    check(not others, f"rank {rank}: {others} are of a child, or before MPI_Init or after MPI_Finalize")
    for (kind, call, _, _), (_, _, time_ns, blocked_ns) in found.items():
        check(0 <= blocked_ns <= time_ns, f"rank {rank}: {call} is blocked longer than it lasts")
        if call not in WAITED:
            continue
        ms, blocked = WAITED[call]
        check(time_ns >= ms * 1e6, f"rank {rank}: {call} lasts {time_ns} ns, {ms} ms were planted")
        # What else the machine does may make it longer, but not by much.
        check(time_ns < (ms + 2000) * 1e6, f"rank {rank}: {call} lasts {time_ns} ns, {ms} ms were planted")
        check(not blocked or blocked_ns >= 0.95 * ms * 1e6, f"rank {rank}: {call} is blocked {blocked_ns} ns")
    within = [key for key in found if key[0] == "sleep" and key[3] != "sleep_a_while"]
    check(not within, f"rank {rank}: {within} are parts of waiting for the device")


def case_calls(test):
    """To the byte, by file and function; the output and the files are the program's own."""
    done = run(test)
    check(done.returncode == 0 and done.stdout.count(": 100 in the handler") == 2, "the program runs as without the recorder")
    files = os.path.join(test.folder, "files")
    for rank in range(2):
        for name, size in (("restart", 32 * MIB + 10000), ("parts", 12 * MIB), ("others", 35), ("table", 8000000),
                           ("child", 100 * (4 * MIB // 100)), ("shared", 10100)):
            check(os.path.getsize(os.path.join(files, f"{name}.{rank}")) == size, f"size of {name}.{rank}")
        check_rank(found_of(test, rank), rank)
    rows = [row for row in result(test, "info")["blocking_calls"] if row["function"] == "pwrite"]
    check(sorted((os.path.basename(row["path"]), row["bytes"], row["ranks"]) for row in rows)
          == [("parts.0", 24 * MIB, 1), ("parts.1", 24 * MIB, 1)], f"info: {rows}")
    check("write_parts (blocking.c:" in rows[0]["where"], f"info: {rows}")
    report = " ".join(test.slackline("report", test.output).stdout.split())
    check("outside MPI" in report and "I/O" in report and "waiting for a device" in report, "the report's first screen")
    # All forms of the trace have it.
    for suffix in ("txt", "slk"):
        copy = os.path.join(test.folder, f"copy.{suffix}")
        check(test.slackline("convert", test.output, copy).returncode == 0, f"to {suffix}")
        before, test.output = test.output, copy
        for rank in range(2):
            check_rank(found_of(test, rank), rank)
        test.output = before


def case_kill(test):
    """What a rank did that was killed is there, but for an eighth of its time and a millisecond of each kind."""
    done = run(test, "kill")
    check(done.returncode != 0, "the job failed")
    for rank in range(2):
        found = found_of(test, rank)
        for call, file, function in (("write", "restart", "write_restart"), ("pwrite", "parts", "write_parts")):
            calls, moved, _, _ = found[("io", call, file, function)]
            # At most an eighth of their time is missing: the first ones take longest.
            check(calls >= 1 and moved >= 4 * MIB, f"rank {rank}: {call}: {calls} calls, {moved} bytes")
        for call, (ms, _) in WAITED.items():
            waited = sum(numbers[2] for key, numbers in found.items() if key[1] == call)
            check(waited >= 0.875 * ms * 1e6, f"rank {rank}: {call} lasts {waited} ns")


run_case(globals())
