#!/usr/bin/env python3
"""Every rank's time is one of few things: programs of which it is known where the time goes.

    partition_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

Exit status 77: cannot be tried here (said in words)."""
import os

from recording import check, result, run_case, skip, succeeded

ROUNDS, ROUND_NS, SLEEP_NS, MANY = 20, 1e6, 4e6, 5000  # as in partition.c


def shares(test, mode, name=None):
    if len(os.sched_getaffinity(0)) < 2:
        skip("two ranks need two processors")
    test.output = os.path.join(test.folder, name or mode)
    succeeded(test.record([*test.launcher(2), test.program("partition"), mode]))
    measured = result(test, "report")["measured"]["time_shares"]
    for rank in measured["ranks"]:
        parts = sum(rank[f"{part}_ns"] for part in (
            "compute", "waiting", "inside_mpi", "no_processor", "blocked", "recording", "outside"))
        check(abs(parts - measured["length_ns"]) <= 1, f"the parts add up: {rank}")
    return measured["ranks"]


def least_disturbed(test, mode, runs, disturbance, enough=lambda ranks: False):
    """Of several runs, each rank's one with the least disturbance; runs are repeated until these will do."""
    least = None
    for i in range(runs):
        ranks = shares(test, mode, f"{mode}-{i}")
        least = [min(pair, key=lambda rank, r=r: disturbance(r, rank)) for r, pair in enumerate(zip(least or ranks, ranks))]
        if enough(least):
            break
    return least


def case_recording(test):
    """The same computation with many tiny calls and with few."""
    few = least_disturbed(test, "few", 4, lambda _, rank: abs(rank["compute_ns"] - ROUNDS * ROUND_NS))

    # On a busy machine computation takes longer, and so does recording where its cost is measured.
    def added(number, rank):
        return rank["compute_ns"] - few[number]["compute_ns"]

    # The calls themselves take the program some time, the sender more than the receiver: probably because stores to
    # memory that both processors use are still pending when MPI_Send returns.
    def is_recording(many):
        more = [added(r, rank) for r, rank in enumerate(many)]
        return min(more) > -0.1 * ROUNDS * ROUND_NS and sum(more) < sum(rank["recording_ns"] for rank in many)

    many = least_disturbed(test, "many", 16, lambda r, rank: abs(added(r, rank)), is_recording)
    check(is_recording(many), f"most of what many calls add is recording: {few}, {many}")
    for rank in (0, 1):
        check(few[rank]["compute_ns"] > 0.95 * ROUNDS * ROUND_NS, f"all is computed: {few[rank]}")
        each = many[rank]["recording_ns"] / (ROUNDS * MANY)
        check(each > 10, f"a call costs more than 10 ns: {many[rank]}")


def case_sleeps(test):
    """A rank that sleeps lacks no processor and does not compute."""
    ranks = shares(test, "sleeps")
    asleep = ROUNDS * SLEEP_NS
    check(ranks[1]["blocked_ns"] > 0.95 * asleep, f"asleep {asleep}: {ranks[1]}")
    check(ranks[1]["compute_ns"] < 0.5 * asleep, f"asleep {asleep}: {ranks[1]}")
    check(ranks[0]["blocked_ns"] < 0.1 * asleep, f"does not sleep: {ranks[0]}")


def case_writes(test):
    ranks = shares(test, "writes")
    check(ranks[0]["blocked_ns"] > 2 * ranks[1]["blocked_ns"], f"rank 0 writes: {ranks}")


if __name__ == "__main__":
    run_case(globals())
