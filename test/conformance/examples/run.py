#!/usr/bin/env python3
"""What the shipped examples of contention show, held against what no network can beat: the bytes
that must pass a cable, over its bandwidth.

usage: run.py --binary SLACKLINE --examples FOLDER
"""
import argparse
import json
import pathlib
import subprocess
import sys

MS = 1e6  # ns
failures = []


def check(holds, sentence):
    if not holds:
        failures.append(sentence)
        print("does not hold:", sentence)


class Slackline:
    def __init__(self, binary, examples):
        self.binary, self.examples = binary, examples

    def result(self, *arguments):
        run = subprocess.run([self.binary, *arguments, "--format", "json"], check=True,
                             capture_output=True, text=True, cwd=self.examples)
        return json.loads(run.stdout)["result"]

    def simulated_ms(self, program, machine, *options):
        result = self.result("simulate", f"simulation/{program}.ti", "--platform",
                             f"simulation/{machine}.xml", *options)
        return result["makespan_ns"] / MS


def all_to_all(slackline):
    """Each of 16 hosts sends 15 MB over its cable of 1.25 GB/s: 12 ms at least. Each of the fat
    tree's four switches sends 4 * 12 MB up two cables: 19.2 ms at least."""
    linear = ["--option", "smpi/alltoall:basic_linear"]
    predict = ("predict", "simulation/alltoall.ti", "-L", "20us", "-o", "0s", "-G", "1.25GB/s", "-S",
               "unlimited", "--collectives", "alltoall=linear")
    links = slackline.result(*predict)["makespan_ns"] / MS
    none = slackline.result(*predict, "--occupancy", "none")["makespan_ns"] / MS
    crossbar = slackline.simulated_ms("alltoall", "crossbar", *linear)
    tree = slackline.simulated_ms("alltoall", "fat-tree", *linear)
    check(none < 1, f"LogGPS underestimates an all-to-all ({none} ms)")
    check(12 <= links <= crossbar, f"links of ranks hold it back ({links} ms)")
    check(12 <= crossbar < 1.2 * 12, f"hosts' cables hold it back ({crossbar} ms)")
    check(19.2 <= tree < 1.2 * 19.2, f"the fat tree's upper cables do so more ({tree} ms)")


def limiter(slackline):
    """10 MB out and 10 MB in: 8 ms on cables of their own, 10.67 ms through a limiter of
    1.875 GB/s for both."""
    free = slackline.simulated_ms("ring", "crossbar")
    limited = slackline.simulated_ms("ring", "limiter")
    check(free >= 8, f"a ring on its cables ({free} ms)")
    check(limited >= 20 / 1.875, f"a ring behind limiters ({limited} ms)")
    check(1.2 * free < limited < 4 / 3 * free, "only what is bandwidth grows by a third")


def plateau(slackline):
    """Pairs that send 10 MB over one link of 2.5 GB/s: the first two fill it, from there on the
    time grows with the pairs."""
    times = {n: slackline.simulated_ms(f"pairs-{n}", "two-cabinets") for n in (1, 2, 4, 8)}
    check(abs(times[2] - times[1]) < 1e-6 * times[1], f"two pairs cost what one does ({times})")
    for n in (4, 8):
        least = n * 10 / 2.5
        check(least <= times[n] < 1.1 * least, f"{n} pairs fill the link ({times[n]} ms)")


def recorded_run(slackline):
    """LAMMPS on three topologies: never shorter than what its busiest rank computes, and the links
    that hold it back are named."""
    trace = "traces/lammps-melt.slk"
    computing = slackline.result("efficiency", trace)["runs"][0]["useful_max_ns"]
    for machine in ("fat-tree", "dragonfly", "torus"):
        result = slackline.result("simulate", trace, "--platform", f"platforms/{machine}.toml")
        check(result["makespan_ns"] >= computing, f"LAMMPS on {machine}")
        check(result["links"] and all(link["name"] for link in result["links"]),
              f"links of {machine}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--examples", required=True, type=pathlib.Path)
    options = parser.parse_args()
    slackline = Slackline(options.binary, options.examples)
    for example in (all_to_all, limiter, plateau, recorded_run):
        example(slackline)
    print(f"{len(failures)} of the examples' claims do not hold")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
