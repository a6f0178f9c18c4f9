#!/usr/bin/env python3
"""End-to-end test of `slackline validate` under one MPI.

    validate_test.py CASE --mpi openmpi|mpich --slackline BINARY --programs DIR

What is checked does not depend on how busy the machine is: what is predicted of a program whose messages are known,
lower bounds of what is measured, which runs are repeated, and what is refused."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
CALLS = 4  # of MPI_Allreduce in each repetition of the program's pattern
LATENCY_NS = 2_000_000
FABRIC = ["--mca", "pml", "cm", "--mca", "mtl", "ofi", "--mca", "mtl_ofi_provider_include", "tcp;ofi_rxm"]


def check(condition, what):
    if not condition:
        raise AssertionError(what)


class Test:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slackline-validate-"))
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1")
        self.fabric = FABRIC if arguments.case == "libfabric" else []
        self.program = str(pathlib.Path(arguments.programs) / arguments.mpi / "inject")

    def validate(self, *options, program=("allreduce", "5")):
        command = [f"mpirun.{self.arguments.mpi}", *self.fabric, "-n", "2", self.program, *program]
        # MPICH's ranks wait busily, and on a loaded machine each of them for its turn: a job of seconds took minutes.
        done = subprocess.run(["timeout", "1200", self.arguments.slackline, "validate", "--format", "json",
                               "--seconds", "1", *options, "--", *command], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, check=False)
        sys.stderr.write(done.stderr[-2000:])
        return done


def case_libfabric(test):
    """Runs through libfabric pay the latency as predicted."""
    components = subprocess.run(["ompi_info"], capture_output=True, text=True, check=False).stdout
    if test.arguments.mpi != "openmpi" or "MCA mtl: ofi" not in components:
        print("SKIPPED: no Open MPI with the component mtl ofi, whose libfabric could be used")
        sys.exit(SKIPPED)
    check_growth(test)


def check_growth(test):
    """A run without latency and one with, and what is predicted of them."""
    done = test.validate("--latencies", "2ms", "--repeat", "2")
    check(done.returncode == 0, "validate failed")
    result = json.loads(done.stdout)["result"]
    check([p["latency_ns"] for p in result["points"]] == [0, LATENCY_NS], "both latencies")
    # Of a latency with an undisturbed run, those that other processes disturbed are left out.
    evaluated = [len(p["measured_ns"]) for p in result["points"]]
    check(min(evaluated) >= 1 and sum(evaluated) + result["left_out_runs"] == 4, "two runs each, or said to be left out")
    growth = result["points"][1]["predicted_ns"] - result["points"][0]["predicted_ns"]
    check(growth >= 5 * CALLS * LATENCY_NS * 0.9, f"every MPI_Allreduce pays the latency, not {growth} ns in all")
    check(min(result["points"][1]["measured_ns"]) >= 5 * CALLS * LATENCY_NS, "no run is faster than its messages")
    return result


def case_resume(test):
    """Each run is measured once; what is missing is measured again; the keys for scripts are there."""
    result = check_growth(test)
    check(result["rrmse"] >= 0 and {"degradation", "predicted_ns", "measured_ns"} <= set(result["tolerance"][0]),
          "keys for scripts")
    runs = test.folder / "slackline-validation" / "runs"
    before = {p.name: p.stat().st_mtime_ns for p in runs.glob("*-?.slk")}
    check(len(before) == 4, "a recording of each run")
    (runs / "2000000ns-2.slk").unlink()
    again = test.validate("--latencies", "2ms", "--repeat", "2")
    check(again.returncode == 0, "resumed")
    after = {p.name: p.stat().st_mtime_ns for p in runs.glob("*-?.slk")}
    check([name for name in before if before[name] != after[name]] == ["2000000ns-2.slk"], "one run is repeated")
    other = test.validate("--latencies", "2ms", program=("allreduce", "6"))
    check(other.returncode == 1 and "another command" in other.stderr, "measurements of another command")


def case_failing(test):
    """A job that fails ends the validation, with its status."""
    done = test.validate("--latencies", "1ms", "--repeat", "1", "--machine", "none.toml", "-o", "f",
                         program=("allreduce", "1", "5"))
    check(done.returncode == 1 and "status 5" in done.stderr, "the job's status")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case")
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--slackline", required=True)
    parser.add_argument("--programs", required=True)
    arguments = parser.parse_args()
    if len(os.sched_getaffinity(0)) < 2:
        print("SKIPPED: there is one processor only")
        return SKIPPED
    test = Test(arguments)
    globals()[f"case_{arguments.case}"](test)
    shutil.rmtree(test.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
