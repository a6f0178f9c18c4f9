#!/usr/bin/env python3
"""The planted cause of generated training jobs is named first, no rank is named as the straggler of a job that has none, the figures
of each step are those of the plan, and the graph takes as long as the plan, as it is, with another latency, and without the
straggler."""
import argparse
import json
import pathlib
import subprocess
import tempfile

import planned_job
from generate_job import PATTERNS, generate

JOBS = 100
NAMED_FIRST = 95
BALANCED_JOBS = 10  # of each pattern and jitter
JITTERS = (0.01, 0.1)
MATERIAL = 0.05  # a straggler that lengthens the run by this part should be named
NAMED = 0.9  # of these
ROUNDING_NS = 100
MESSAGE_ROUNDING_NS = 1000  # a plan's bytes per nanosecond are whole in each of some hundred messages
BALANCED_SEED = 3
JITTER = 0.02  # kernels of a plan differ by this much from rank to rank
LATENCY_SEEDS = (0, 3, 4, 7, 8, 11)  # DDP and TP, where the profile shows every wait
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


def accusations(binary):
    """A job without a straggler has none."""
    for pattern in sorted(PATTERNS):
        for jitter in JITTERS:
            for seed in range(BALANCED_JOBS):
                with tempfile.TemporaryDirectory() as folder:
                    generate(folder, 2000 + seed, pattern, "none", jitter=jitter)
                    result = report(binary, folder)
                if result["straggler_rank"] is not None:
                    yield f"{pattern} {seed}, jitter {jitter}: rank {result['straggler_rank']} of a job without straggler is named"


def planted_part(seed, truth):
    """By which part of the run's length the planted straggler lengthens it."""
    with tempfile.TemporaryDirectory() as folder:
        even = generate(folder, seed, truth["pattern"], "none")
    return truth["makespan_ns"] / even["makespan_ns"] - 1


def differences(result, truth):
    """Times are exact, whatever the clocks: a plan has whole nanoseconds, and profiles have three decimals."""
    found = {(step["step"], of["rank"]): of for step in result["steps"] for of in step["ranks"]}
    for planned in truth["steps"]:
        measured = found[planned["step"], planned["rank"]]
        for figure in FIGURES:
            if measured[figure] != planned[figure]:
                yield f"{figure} of step {planned['step']}, rank {planned['rank']}: {measured[figure]}, planned {planned[figure]}"


def makespan(binary, folder, *options):
    done = subprocess.run([binary, "predict", folder, "--format", "json", *options], text=True, capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f"slackline predict: {done.stderr}")
    return json.loads(done.stdout)["result"]["makespan_ns"]


def graph_differences(binary, folder, truth):
    """Each message may be rounded to a nanosecond."""
    found = makespan(binary, folder)
    if abs(found - truth["makespan_ns"]) > ROUNDING_NS:
        yield f"T is {found} ns, planned {truth['makespan_ns']} ns"


def latency_differences(binary, seed):
    """A plan with ten times the latency takes as long as the graph of the usual one predicts."""
    with tempfile.TemporaryDirectory() as folder:
        usual = planned_job.LATENCY
        planned_job.LATENCY = 10 * usual
        slow = generate(folder, seed)
        planned_job.LATENCY = usual
        generate(folder, seed)
        found = makespan(binary, folder, "-L", "30us", "-G", "0.01ns/B", "-o", "0ns")
    if abs(found - slow["makespan_ns"]) > MESSAGE_ROUNDING_NS:
        yield f"job {seed}: T with another latency is {found} ns, planned {slow['makespan_ns']} ns"


def balance_differences(binary, pattern, cause):
    """Without the straggler, the run takes as long as the plan that has none. (FSDP's prefetching ranks wait for events of
    streams that decided nothing in the profile, which only the plan knows.)"""
    with tempfile.TemporaryDirectory() as folder:
        even = generate(folder, BALANCED_SEED, pattern, "none")
        generate(folder, BALANCED_SEED, pattern, cause)
        what_if = report(binary, folder)["what_if"]
    found = next(row["run_time_ns"] for row in what_if if row["change"].startswith("no straggler"))
    if abs(found / even["makespan_ns"] - 1) > JITTER:
        yield f"{pattern} without {cause}: {found} ns, planned {even['makespan_ns']} ns"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    binary = parser.parse_args().binary.resolve()
    failed, others, material, named = list(accusations(binary)), [], 0, 0
    for seed in LATENCY_SEEDS:
        failed += latency_differences(binary, seed)
    for pattern in ("ddp", "tp"):
        for cause in ("cpu", "kernel", "loader"):
            failed += balance_differences(binary, pattern, cause)
    for seed in range(JOBS):
        with tempfile.TemporaryDirectory() as folder:
            truth = generate(folder, seed)
            result = report(binary, folder)
            part = planted_part(seed, truth)
            longest = list(graph_differences(binary, folder, truth))
        job = f"job {seed} ({truth['pattern']}, {truth['kind']})"
        failed += [f"{job}: {difference}" for difference in [*differences(result, truth), *longest]]
        if result["straggler_rank"] not in (None, truth["cause"]["rank"]) and part >= MATERIAL:
            failed.append(f"{job}: rank {result['straggler_rank']} is named, planted {truth['cause']}")
        material += part >= MATERIAL
        named += part >= MATERIAL and result["straggler_rank"] == truth["cause"]["rank"]
        if not named_first(result, truth["cause"]):
            others.append(f"{job}: planted {truth['cause']}, named {result['stragglers'][:1]}")
    print(f"The planted cause is named first in {JOBS - len(others)} of {JOBS} jobs.")
    print("\n".join(others + failed))
    print(f"The straggler is named in {named} of {material} jobs that it lengthens by {MATERIAL:.0%} or more.")
    if failed or named < NAMED * material or JOBS - len(others) < NAMED_FIRST:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
