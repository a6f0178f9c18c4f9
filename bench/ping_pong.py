#!/usr/bin/env python3
"""A ping-pong of this program's own beside what `slackline calibrate` says of the same machine, by turns.

    ping_pong.py [--cycles 5] [--seconds 10] [--mpi openmpi mpich] [--slackline build/release/slackline]

Per MPI and use of buffers: measured / model at each size, median of the cycles (least - largest)."""
import argparse
import collections
import os
import pathlib
import statistics
import subprocess
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent


def curve(machine, quantity):
    pieces = sorted((p["from_bytes"], p["offset_ns"]["value"], p["slope_ns_per_byte"]["value"])
                    for p in machine["piece"] if p["quantity"] == quantity)

    def at(size):
        _, offset, slope = ([p for p in pieces if p[0] <= size] or pieces[:1])[-1]
        return offset + slope * size
    return at


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cycles", type=int, default=5)
    parser.add_argument("--seconds", default="10")
    parser.add_argument("--mpi", nargs="+", default=["openmpi", "mpich"])
    parser.add_argument("--slackline", default=str(HERE.parent / "build/release/slackline"))
    arguments = parser.parse_args()
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    ratios = collections.defaultdict(list)
    spreads = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        def run(*words):
            return subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, check=True).stdout
        for mpi in arguments.mpi:
            run(f"mpicc.{mpi}", "-O2", str(HERE / "ping_pong.c"), "-o", f"ping_pong.{mpi}")
        for _ in range(arguments.cycles):
            for mpi in arguments.mpi:
                job = [f"mpirun.{mpi}", "-n", "2"]
                lines = run(*job, f"./ping_pong.{mpi}")
                run(str(pathlib.Path(arguments.slackline).resolve()), "calibrate", "--seconds", arguments.seconds, "--", *job)
                lines += run(*job, f"./ping_pong.{mpi}")
                machine = tomllib.loads((pathlib.Path(folder) / "machine.toml").read_text())
                spreads[mpi].append(machine["machine"]["spread"])
                for line in lines.splitlines():
                    size, use, ns = line.split()
                    model = curve(machine, "one_way" + ("" if use == "written" else "_" + use))
                    ratios[mpi, use, int(size)].append(float(ns) / model(int(size)))
    for mpi in arguments.mpi:
        print(f"{mpi}: starts of the calibration differ by", ", ".join(f"{100 * s:.0f} %" for s in spreads[mpi]))
    for (mpi, use, size), values in ratios.items():
        print(f"{mpi:8} {use:8} {size:8} B {statistics.median(values):6.3f} ({min(values):.3f} - {max(values):.3f})")


if __name__ == "__main__":
    main()
