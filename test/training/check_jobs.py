#!/usr/bin/env python3
"""The planted cause of generated training jobs is named first, and the figures of each step are those of the plan."""
import argparse
import json
import pathlib
import subprocess
import tempfile

from generate_job import generate

JOBS = 100
NAMED_FIRST = 95
FIGURES = ("duration_ns", "computation_ns", "exposed_communication_ns", "overlap_ns", "idle_ns")


def report(binary, folder):
    done = subprocess.run([binary, "report", folder, "--format", "json"], text=True, capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f"slackline report: {done.stderr}")
    return json.loads(done.stdout)["result"]


def named_first(result, cause):
    if not result["stragglers"]:
        return False
    first = result["stragglers"][0]
    module = cause["module"] is None or (first["module"] or "").endswith(cause["module"])
    return first["rank"] == cause["rank"] and first["operator"] == cause["operator"] and module


def differences(result, truth):
    """Times are exact, whatever the clocks: a plan has whole nanoseconds, and profiles have three decimals."""
    found = {(step["step"], of["rank"]): of for step in result["steps"] for of in step["ranks"]}
    for planned in truth["steps"]:
        measured = found[planned["step"], planned["rank"]]
        for figure in FIGURES:
            if measured[figure] != planned[figure]:
                yield f"{figure} of step {planned['step']}, rank {planned['rank']}: {measured[figure]}, planned {planned[figure]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    binary = parser.parse_args().binary.resolve()
    failed, others = [], []
    for seed in range(JOBS):
        with tempfile.TemporaryDirectory() as folder:
            truth = generate(folder, seed)
            result = report(binary, folder)
        job = f"job {seed} ({truth['pattern']}, {truth['kind']})"
        failed += [f"{job}: {difference}" for difference in differences(result, truth)]
        if not named_first(result, truth["cause"]):
            others.append(f"{job}: planted {truth['cause']}, named {result['stragglers'][:1]}")
    print(f"The planted cause is named first in {JOBS - len(others)} of {JOBS} jobs.")
    print("\n".join(others + failed))
    if failed or JOBS - len(others) < NAMED_FIRST:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
