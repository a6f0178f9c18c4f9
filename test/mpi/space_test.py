#!/usr/bin/env python3
"""Recording until a file or the disk is full: the job goes on, and what is lost is counted.

    space_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

Exit status 77: cannot be tried here (said in words)."""
import contextlib
import os
import subprocess

from recording import calls, check, finding, run_case, skip

MANY = 8000  # messages of 96 bytes of record each


def many(test, expected_lost, mode="many"):
    done = test.record(test.launcher(2) + [test.program("scenario"), mode, str(MANY)])
    check(done.returncode == 0, "the job goes on")
    check("sum 1" in done.stdout, "and computes what it should")
    text = test.text()
    recorded = sum(calls(text, rank, "sendrecv_replace") for rank in (0, 1))
    lost = finding(text, "lost_calls")
    check((lost > 0) == expected_lost, f"{lost} calls were lost")
    check(recorded + lost >= 2 * MANY, f"{recorded} recorded and {lost} lost are all")


def case_many(test):
    many(test, False)


def case_file_limit(test):
    # The program lets no file of its own grow beyond 512 KiB: growing one raises SIGXFSZ.
    many(test, True, "limit")


@contextlib.contextmanager
def small_disk(test, size):
    """A folder on a disk of its own of that size."""
    mounted = os.path.join(test.folder, "small")
    os.mkdir(mounted)
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", mounted],
                       check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        skip("mounting a small tmpfs is not permitted here")
    try:
        yield mounted
    finally:
        subprocess.run(["umount", mounted], check=False)


def case_full_disk(test):
    with small_disk(test, "1m") as disk:
        test.output = os.path.join(disk, "trace")
        many(test, True)


def case_no_space(test):
    """The disk is full before the first rank has its file: said, and the job runs."""
    with small_disk(test, "32k") as disk:
        done = test.slackline("record", "--yield", "-o", os.path.join(disk, "trace"), "--",
                              *test.launcher(2), test.program("scenario"), "many", "10")
    check(done.returncode == 0 and "sum" in done.stdout, "the job goes on")
    check("could not write the recording" in done.stderr and "No space left" in done.stderr, "why is said")
    check("MPI_Init" not in done.stderr, "and no other cause is")


if __name__ == "__main__":
    run_case(globals())
