#!/usr/bin/env python3
"""Recordings of programs that are linked with a library of MPI 5's standard ABI.

    abi_test.py CASE --mpi abi --slackline BINARY --print RAW_PRINT --programs DIR

CASE is one of this file, or of those of the other MPIs' tests. SLACKLINE_ABI_MPI is where an MPI with that ABI is
installed: bin/mpiexec, lib/libmpi_abi.so and include/mpi.h, which has the ABI with MPI_ABI defined. Without it, a small
one that hands all calls over to MPICH is used (abi/layer.c; DIR/abi). Exit status 77: cannot be tried here (said in words)."""
import os
import re
import shutil
import subprocess
import sys

import calls_test
import jobs_test
import threads_test
import waits_test
from printed_trace import call_words
from recording import calls, check, rank_section, run_case, skip, succeeded

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))


def prefix(test):
    return os.environ.get("SLACKLINE_ABI_MPI") or os.path.join(test.arguments.programs, "abi")


def compiled(test, source, output, *more):
    path = os.path.join(test.folder, output)
    mpi = prefix(test)
    subprocess.run(["cc", "-std=gnu11", "-O2", "-g", "-DMPI_ABI", *more, source, "-o", path, f"-I{mpi}/include", f"-L{mpi}/lib",
                    f"-Wl,-rpath,{mpi}/lib", "-Wl,--as-needed", "-lmpi_abi", "-lm", "-ldl", "-pthread"], check=True)
    return path


def with_abi(case, test, *parameter):
    """Programs are built for that MPI, and started by it."""
    mpiexec = os.path.join(prefix(test), "bin", "mpiexec")
    if not os.path.exists(mpiexec):
        skip("no MPI with the standard ABI: SLACKLINE_ABI_MPI names none, and the one on top of MPICH was not built")
    version = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, check=True).stdout
    test.arguments.mpi = "mpich" if "HYDRA" in version else "openmpi"
    os.mkdir(os.path.join(test.folder, "abi"))
    test.launcher = lambda ranks: [mpiexec, "-n", str(ranks)]
    test.program = lambda name: compiled(test, f"{HERE}/{name}.c", f"abi/{name}", f"-I{HERE}", f"-I{ROOT}/runtime/record")
    case(test, *parameter)


def case_header(test):
    """The recorder's mpi.h has the constants, the statuses and the functions of that MPI's."""
    if not os.environ.get("SLACKLINE_ABI_MPI"):
        skip("SLACKLINE_ABI_MPI names no MPI to compare with")
    own = f"{ROOT}/runtime/abi"
    with open(f"{own}/mpi.h", encoding="utf-8") as header:
        text = re.sub(r"/\*.*?\*/", "", header.read(), flags=re.S)
    names = re.findall(r"#define (MPI_\w+) (?!5\n)", text)
    for values in re.findall(r"enum \{(.*?)\}", text, re.S):
        names += re.findall(r"MPI_\w+", values)
    check(len(names) >= 50, f"{len(names)} constants are found")
    prototypes = os.path.join(test.folder, "prototypes.inc")
    calls_folder = f"{ROOT}/runtime/calls"
    subprocess.run([sys.executable, "-B", f"{calls_folder}/generate.py", f"{calls_folder}/mpi_calls.txt", "prototypes",
                    prototypes], check=True)
    source = os.path.join(test.folder, "constants.c")
    flags = {"own": [f"-I{own}", f"-I{test.folder}"], "theirs": [f"-I{test.folder}"]}
    with open(source, "w", encoding="utf-8") as out:
        # What is const is no part of the ABI.
        out.write("#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#define const\n#include <mpi.h>\n"
                  '#define SLK_WEAK\n#include "prototypes.inc"\n')
        out.write("\n".join([*re.findall(r"^SLK_WEAK [^\\#]*?;$", text, re.M), "int main(void) {\n"]))
        for name in names:
            out.write(f'  printf("{name} %ld\\n", (long){name});\n')
        for kind in re.findall(r"typedef [^;{]*?\b(MPI_\w+);", text) + ["MPI_Status"]:
            if kind != "MPI_Fint":
                out.write(f'  printf("{kind} %zu\\n", sizeof({kind}));\n')
        for member in ("MPI_SOURCE", "MPI_TAG", "MPI_ERROR"):
            out.write(f'  printf("{member} %zu\\n", offsetof(MPI_Status, {member}));\n')
        out.write("}\n")
    own, theirs = (subprocess.run([compiled(test, source, name, *flags[name])], capture_output=True, text=True,
                                  check=True).stdout.splitlines() for name in flags)
    check(len(own) > 60 and own == theirs, f"{set(own) ^ set(theirs)}")


def case_library(test):
    """The trace says which MPI library it was, as it does where that has its own ABI."""
    check(test.record(test.launcher(2) + [test.program("scenario"), "many", "20"]).returncode == 0, "the recording failed")
    text = test.text()
    mpi = {"openmpi": "Open MPI", "mpich": "MPICH"}[test.arguments.mpi]
    check(re.search(rf"^info .*mpi=\"?{mpi}\"? mpi_version=\"?{mpi}", text, re.M) is not None, "the library's name")
    for rank in (0, 1):
        check(calls(text, rank, "sendrecv_replace") == 20, "every call is there")
        check(calls(text, rank, "finalize") == 1, "to the end")


def case_opened(test):
    """The library is opened with dlopen, and its functions are looked up with dlsym."""
    done = test.record(test.launcher(2) + [test.program("late"), f"{prefix(test)}/lib/libmpi_abi.so"])
    check(done.returncode == 0 and done.stdout.count("done") == 2, "the program runs as ever")
    for rank in (0, 1):
        check(calls(test.text(), rank, "barrier") == 10, "every call is recorded")


def case_mpi4(test):
    if test.run(test.launcher(4) + [test.program("mpi4")]).returncode != 0:
        skip("this MPI does not run the program by itself (MPICH's device ch3 has no partitioned communication)")
    calls_test.case_mpi4(test)


def case_level(test):
    """The ABI has numbers of its own for levels of threads."""
    succeeded(test.record(test.launcher(2) + [test.program("threads"), "churn"]), "MPI_THREAD_MULTIPLE")
    check(len(re.findall(r" init_thread level=3\b", test.text())) == 2, "MPI_THREAD_MULTIPLE")


def arguments_of(text):
    """All calls of a recording with their arguments, by rank, but for completions and probes, which vary."""
    return [sorted(" ".join(word for word in words if not word.startswith("frame=")) for words in map(call_words, rank_section(text, rank).splitlines())
                   if words and not re.search("wait|test|probe", words[0])) for rank in range(4)]


def case_same_as_mpich(test):
    """A program's calls have the same arguments, sizes and partners as under MPICH with its own ABI."""
    of_mpich = os.path.join(test.arguments.programs, "mpich", "calls")
    if not os.path.exists(of_mpich):
        skip("the program was not built for MPICH")
    succeeded(test.record(["mpirun.mpich", "-n", "4", of_mpich]))
    expected = arguments_of(test.text())
    shutil.rmtree(test.output)
    succeeded(test.record(test.launcher(4) + [test.program("calls")]))
    found = arguments_of(test.text())
    for rank in range(4):
        check(len(expected[rank]) > 200 and found[rank] == expected[rank], f"rank {rank}: {set(found[rank]) ^ set(expected[rank])}")


def case_no_other_recorder(test):
    """A Slackline that was built without any MPI records programs of this ABI; others run, with a message."""
    libraries = os.path.join(os.path.dirname(test.arguments.slackline), "lib", "slackline")
    own = os.path.join(test.folder, "lib")
    os.mkdir(own)
    for name in ("preload", "entry", "yield", "record_abi"):
        shutil.copy(f"{libraries}/libslackline_{name}.so", own)
    check(test.record(test.launcher(2) + [test.program("scenario"), "many", "20"], SLACKLINE_LIB=own).returncode == 0,
          "the recording failed")
    check(calls(test.text(), 1, "sendrecv_replace") == 20, "every call is there")
    shutil.rmtree(test.output)
    other = os.path.join(test.arguments.programs, "mpich", "scenario")
    if os.path.exists(other):
        done = test.record(["mpirun.mpich", "-n", "2", other, "many", "20"], SLACKLINE_LIB=own)
        check(done.returncode == 1 and "built without the program's MPI library" in done.stderr and "sum" in done.stdout,
              "the job runs, and it is said why it was not recorded")


def case_not_online(test):
    """On-line simulation has no functions of that ABI, and says so."""
    done = test.slackline("simulate", "--platform", f"{ROOT}/examples/platforms/graphene.xml", "-n", "2", "--",
                          test.program("scenario"), "many", "1")
    check(done.returncode != 0 and "standard ABI of MPI 5" in done.stderr, "it is refused by name")


if __name__ == "__main__":
    known = {}
    for module in (calls_test, jobs_test, threads_test, waits_test):
        known.update(vars(module))
    run_case({**known, **globals()}, with_abi)
