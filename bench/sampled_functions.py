#!/usr/bin/env python3
"""Ten programs simulated on line with and without `--sample-function auto`, by turns.

    sampled_functions.py [--cycles 3] [--mpi openmpi mpich] [--slackline build/release/slackline]

Per program and MPI: run time without sampling, its difference with it, the uncertainty that was given, and the processor time with
sampling over that without, each the median of the cycles. At the end, how many pairs were within the uncertainty and within 1 %."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = "matrix_product jacobi particles unequal two_sites pipeline transpose master_and_workers solver mixed".split()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cycles", type=int, default=3)
    parser.add_argument("--mpi", nargs="+", default=["openmpi", "mpich"])
    parser.add_argument("--slackline", default=str(HERE.parent / "build/release/slackline"))
    arguments = parser.parse_args()
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    within, close, pairs = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        def simulated(mpi, program, *options):
            begin = os.times()
            subprocess.run([str(pathlib.Path(arguments.slackline).resolve()), "simulate", "--platform",
                            str(HERE.parent / "examples/platforms/graphene.xml"), "-n", "4", "-q", *options, "-o", "run.json", "--",
                            f"./programs.{mpi}", program], cwd=folder, env=environment, check=True)
            end = os.times()
            result = json.loads((pathlib.Path(folder) / "run.json").read_text())["result"]
            return (result["makespan_ns"], result.get("sampling_error_ns", 0),
                    end.children_user + end.children_system - begin.children_user - begin.children_system)
        for mpi in arguments.mpi:
            subprocess.run([f"mpicc.{mpi}", "-O1", "-g", "-o", f"{folder}/programs.{mpi}", str(HERE / "sampled_functions.c"), "-lm"], check=True)
            for program in PROGRAMS:
                rows = []
                for _ in range(arguments.cycles):
                    whole, _, whole_cpu = simulated(mpi, program)
                    sampled, error, cpu = simulated(mpi, program, "--sample-function", "auto")
                    rows.append((whole / 1e6, sampled / whole - 1, error / whole, cpu / whole_cpu))
                    pairs += 1
                    within += abs(sampled - whole) <= error
                    close += abs(sampled - whole) <= 0.01 * whole
                ms, difference, error, cpu = (statistics.median(column) for column in zip(*rows))
                print(f"{mpi:8} {program:20} {ms:8.1f} ms {100 * difference:+6.2f} % (given {100 * error:.1f} %), processor time x {cpu:.2f}", flush=True)
    print(f"{within} of {pairs} pairs within the uncertainty that was given, {close} within 1 %")


if __name__ == "__main__":
    main()
