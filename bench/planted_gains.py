#!/usr/bin/env python3
"""The gain that the first screen promises, beside the one of the changed program.

Builds programs of test/prove/programs with their planted problem and, by -DFIXED, without it, records both in turn and
prints the gain that `slackline report` says of the first, with its error bar, beside the difference of the analysed
intervals, medians over the repetitions. On more ranks than processors the scheduler decides about the latter.

    bench/planted_gains.py [--slackline FILE] [--mpi openmpi|mpich] [--ranks N] [--repeat N] [NAME...]
"""
import argparse
import glob
import json
import os
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "..", "test", "prove", "programs")


def run(*args):
    return subprocess.run([str(a) for a in args], check=True, capture_output=True, text=True, timeout=300).stdout


def names_of_all():
    for source in sorted(glob.glob(os.path.join(PROGRAMS, "*.c"))):
        text = open(source).read()
        if "fixed" in text or "work_us(" in text:
            yield os.path.basename(source)[:-2]


def launch(options):
    command = [f"mpirun.{options.mpi}", "-n", options.ranks]
    if options.mpi == "openmpi":
        command += ["--oversubscribe"] + (["--allow-run-as-root"] if os.getuid() == 0 else [])
    return command


def recorded(options, exe, trace):
    run(options.slackline, "record", "-q", "-o", trace, "--", *launch(options), exe)
    return json.loads(run(options.slackline, "report", trace, "--format", "json"))["result"]


def compare(options, name, folder):
    exes = [os.path.join(folder, name + suffix) for suffix in ("", "-fixed")]
    for exe, more in zip(exes, ([], ["-DFIXED"])):
        run(f"mpicc.{options.mpi}", "-O2", "-g", *more, "-o", exe, os.path.join(PROGRAMS, name + ".c"), "-lm")
    said, lengths = [], [[], []]
    for _ in range(options.repeat):
        for which, exe in enumerate(exes):
            result = recorded(options, exe, f"{exe}.slk")
            os.remove(f"{exe}.slk")
            lengths[which].append(result["measured"]["time_shares"]["length_ns"])
            if which == 0:
                said.append(result["diagnosis"])
    measured = 1 - statistics.median(lengths[1]) / statistics.median(lengths[0])
    middle = sorted(said, key=lambda d: d["gain"] or 0)[len(said) // 2]
    return middle, measured


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--slackline", default=os.path.join(HERE, "..", "build", "slackline"))
    parser.add_argument("--mpi", default="openmpi", choices=["openmpi", "mpich"])
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    within = inside = count = 0
    print(f"{'program':28}{'limit':16}{'gain':>8}{'error bar':>18}{'measured':>10}  (% of the run)")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or names_of_all():
            d, measured = compare(options, name, folder)
            gain, low, high = (100 * (d[key] or 0) for key in ("gain", "gain_low", "gain_high"))
            measured *= 100
            count += 1
            within += abs(gain - measured) <= 5
            inside += low <= measured <= high
            print(f"{name:28}{d['limit']:16}{gain:8.1f}{f'{low:.1f} to {high:.1f}':>18}{measured:10.1f}", flush=True)
    print(f"{within} of {count} within 5 points, {inside} inside the error bar")


if __name__ == "__main__":
    main()
