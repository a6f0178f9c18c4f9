#!/usr/bin/env python3
"""Recording until a file or the disk is full: the job goes on, and what is lost is counted.

    space_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

Exit status 77: cannot be tried here (said in words)."""
import contextlib
import os
import re
import subprocess

from recording import calls, check, finding, run_case, skip

MANY = 8000  # messages of 96 bytes of record each


def many(test, expected_lost, mode="many", status=0):
    done = test.record(test.launcher(2) + [test.program("scenario"), mode, str(MANY)])
    check("sum 1" in done.stdout, "the job goes on and computes what it should")
    check(done.returncode == status, "the status says whether there is a whole trace")
    text = test.text()
    recorded = sum(calls(text, rank, "sendrecv_replace") for rank in (0, 1))
    lost = finding(text, "lost_calls")
    check((lost > 0) == expected_lost, f"{lost} calls were lost")
    check(recorded + lost >= 2 * MANY, f"{recorded} recorded and {lost} lost are all")
    return done


def case_many(test):
    many(test, False)


def case_file_limit(test):
    # The program lets no file of its own grow beyond 512 KiB: growing one raises SIGXFSZ.
    done = many(test, True, "limit", status=1)
    check(re.search(r"the recording is incomplete: [\d,]+ calls were not recorded", done.stderr), "what is lost is said")


def case_size_limit(test):
    """No file of a rank is larger than was asked for, and what does not fit is counted."""
    test.record = lambda command: test.slackline("record", "--yield", "--keep-raw", "--size-limit", "512KiB", "-o",
                                                 test.output, "--", *command)
    done = many(test, True, status=1)
    check("--size-limit" in done.stderr, "what is lost is said")
    raw = os.path.join(test.output, "raw")
    sizes = [os.path.getsize(os.path.join(raw, name)) for name in os.listdir(raw) if name.startswith("rank")]
    check(len(sizes) >= 2 and 300_000 < max(sizes) <= 512 * 1024, f"{sizes}")


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
        many(test, True, status=1)  # the trace does not fit beside the raw files


def case_no_space(test):
    """The disk is full before the first rank has its file: said, and the job runs."""
    with small_disk(test, "32k") as disk:
        done = test.slackline("record", "--yield", "-o", os.path.join(disk, "trace"), "--",
                              *test.launcher(2), test.program("scenario"), "many", "10")
    check("sum" in done.stdout, "the job goes on")
    check(done.returncode == 1, "but a script learns that there is no trace")
    check("could not write the recording" in done.stderr and "No space left" in done.stderr, "why is said")
    check("MPI_Init" not in done.stderr, "and no other cause is")


def case_finish(test):
    """Raw files of another place: kept where the trace does not fit, removed when it is written."""
    raw = os.path.join(test.folder, "raw files")
    done = test.run(test.launcher(2) + [test.arguments.slackline, "preload", "-o", raw, "--",
                                        test.program("scenario"), "many", str(MANY)])
    check(done.returncode == 0, "the job is recorded")
    files = os.listdir(os.path.join(raw, "raw"))
    modes = {os.stat(os.path.join(raw, "raw", name)).st_mode & 0o777 for name in files}
    check(len(files) >= 2 and modes == {0o600}, "raw files are their owner's only")
    with small_disk(test, "4k") as disk:
        done = test.slackline("record", "--finish", raw, "-o", os.path.join(disk, "out.slk"))
        check(os.listdir(disk) == [], "nothing half-written stays")
    check(done.returncode == 1 and "No space left" in done.stderr, "a full disk is a failure")
    check(sorted(os.listdir(os.path.join(raw, "raw"))) == sorted(files), "the raw files are kept")
    there = os.path.join(test.folder, "elsewhere", "out.slk")
    done = test.slackline("record", "--finish", raw, "-o", there)
    check(done.returncode == 0 and not os.path.exists(raw), "then they are removed")
    check(os.stat(there).st_mode & 0o777 == 0o600, "the trace is its owner's only")


if __name__ == "__main__":
    run_case(globals())
