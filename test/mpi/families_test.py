#!/usr/bin/env python3
"""MPI libraries with the ABI of another one under a name of their own.

    families_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

The library is MPICH's own under the other name, which takes the same place in the program's and the
library's tables of strings. Exit status 77: cannot be tried here (said in words)."""
import os
import re
import subprocess

from recording import calls, check, run_case, skip

REAL = b"libmpich.so.12\0"


def renamed(source, target, name, lacking=()):
    """A copy whose references to MPICH's library, or whose own name, are `name`."""
    with open(source, "rb") as file:
        content = file.read()
    check(REAL in content, f"{source} names the library")
    content = content.replace(REAL, name.encode().ljust(len(REAL), b"\0"))
    for symbol in lacking:
        # The last letter of a name in the table of strings: that function is not found any more.
        content = content.replace(b"\0" + symbol + b"\0", b"\0" + symbol[:-1] + b"#\0")
    with open(target, "wb") as file:
        file.write(content)
    os.chmod(target, 0o755)


def run(test, name, lacking=()):
    """`scenario many` with the library of that name: plainly, then recorded."""
    if test.arguments.mpi != "mpich":
        skip("MPICH's library is needed for this")
    program = test.program("scenario")
    linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    library = re.search(r"libmpich\.so\.12 => (\S+)", linked)[1]
    renamed(library, os.path.join(test.folder, name), name, lacking)
    copy = os.path.join(test.folder, "program")
    renamed(program, copy, name)
    command = [*test.launcher(2), "-genv", "LD_LIBRARY_PATH", test.folder, copy, "many", "20"]
    plain = test.run(command)
    if plain.returncode != 0:
        skip("the library does not work under another name")
    recorded = test.record(command)
    check(recorded.stdout == plain.stdout, "the program's output is the same")
    return recorded


def case_mpich_abi(test):
    """Intel MPI's and MVAPICH's name."""
    check(run(test, "libmpi.so.12").returncode == 0, "the recording failed")
    text = test.text()
    for rank in (0, 1):
        check(calls(text, rank, "sendrecv_replace") == 20, "every call is there")
        check(calls(text, rank, "finalize") == 1, "to the end")


def case_old_mpich_abi(test):
    """A library of MPI 3 has no calls with large counts and no partitioned ones."""
    lacking = [b"PMPI_Send_c", b"PMPI_Recv_c", b"PMPI_Psend_init", b"PMPI_Isendrecv",
               b"PMPI_Session_init", b"PMPI_Group_from_session_pset"]
    check(run(test, "libmpi.so.12", lacking).returncode == 0, "the recording failed")
    check(calls(test.text(), 1, "sendrecv_replace") == 20, "every call is there")


def case_unknown_abi(test):
    """A libmpi_abi from before MPI 5 does not say of which version it is, and is left alone."""
    recorded = run(test, "libmpi_abi.so")
    check("not of version 1 of MPI's standard ABI" in recorded.stderr, "it is said why nothing was recorded")
    check(recorded.returncode == 1, "a recording of nothing is a failure")


if __name__ == "__main__":
    run_case(globals())
