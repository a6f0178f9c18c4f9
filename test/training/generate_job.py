#!/usr/bin/env python3
"""Writes profiles of a planned training job, one JSON a rank as PyTorch's Kineto does, and the truth beside them.

usage: generate_job.py FOLDER [--seed N] [--pattern ddp|tp|fsdp|pp] [--cause kernel|cpu|loader|none] [--no-skew]

truth.json has the pattern, the planted cause (rank, operator, module), the offsets added to the clocks of the ranks, and for each step
and rank the figures of doc/decisions/0020-training-traces.md, counted from the plan.
"""
import argparse
import json
import pathlib
import random

from planned_job import COMPUTE_STREAM, Job

COMMUNICATION = 24
MICROBATCHES = 6
LAYERS = 4
STEPS = 3
JITTER = 0.01  # of the duration of kernels
HOST_RANKS = 2  # ranks of a host share its clock
LARGEST_SKEW = 5_000_000
LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
BASE = 1_706_850_122_000_000_000


class Workload:
    """How long kernels last, with the planted delay."""

    def __init__(self, chance, pattern, cause, ranks, jitter):
        self.chance = chance
        self.jitter = jitter
        self.layer = chance.randrange(200_000, 800_000)
        self.size = chance.randrange(1, 40) * 400_000 * ranks
        self.kind = cause
        self.rank = chance.randrange(ranks)
        self.slow_layer = chance.randrange(LAYERS)
        # In a pipeline the delay must exceed the pipeline's own bubble, which is waiting for ranks, too.
        self.factor = chance.uniform(0.4, 2.0) if pattern != "pp" else chance.uniform(5.0, 9.0)
        self.extra = int(self.layer * chance.uniform(0.8, 3.0))

    def kernel(self, rank, layer, share=1.0):
        time = self.layer * share * self.chance.uniform(1 - self.jitter, 1 + self.jitter)
        if self.kind == "kernel" and rank.rank == self.rank and layer == self.slow_layer:
            time *= 1 + self.factor
        return int(time)

    def load(self, rank):
        late = self.extra if rank.rank == self.rank else 0
        rank.operator(LOADER, 50_000 + (late if self.kind == "loader" else 0), "user_annotation")
        rank.operator("aten::stack", 40_000 + (late if self.kind == "cpu" else 0))

    def truth(self):
        if self.kind == "none":
            return None
        operator, module = {"kernel": ("aten::linear", f"Block_{self.slow_layer}"), "cpu": ("aten::stack", None),
                            "loader": (LOADER, None)}[self.kind]
        return {"rank": self.rank, "operator": operator, "module": module}


def layer_of(rank, work, layer, share=1.0, operator="aten::linear"):
    rank.enter(f"Block_{layer}")
    rank.kernel(operator, f"gemm_{layer}", work.kernel(rank, layer if operator == "aten::linear" else None, share))
    rank.leave()


def backward(rank, work, layer, share=1.0):
    layer_of(rank, work, layer, 2 * share, "autograd::engine::evaluate_function: LinearBackward0")


def finish(rank, work):
    rank.kernel("Optimizer.step#AdamW.step", "adam", work.layer // 4)
    rank.synchronise()


def ddp_step(rank, work, ranks):
    group = ("0", tuple(range(ranks)))
    for layer in range(LAYERS):
        layer_of(rank, work, layer)
    for layer in reversed(range(LAYERS)):
        backward(rank, work, layer)
        rank.collective(group, "AllReduce", work.size, COMMUNICATION)
    rank.wait_event(COMPUTE_STREAM, COMMUNICATION)


def tp_step(rank, work, ranks):
    group = ("1", tuple(range(ranks)))
    for layer, run in [(layer, layer_of) for layer in range(LAYERS)] + [(i, backward) for i in reversed(range(LAYERS))]:
        run(rank, work, layer)
        rank.collective(group, "AllReduce", work.size, COMMUNICATION)
        rank.wait_event(COMPUTE_STREAM, COMMUNICATION)


def fsdp_step(rank, work, ranks):
    group = ("2", tuple(range(ranks)))
    for order, run in [(list(range(LAYERS)), layer_of), (list(reversed(range(LAYERS))), backward)]:
        rank.collective(group, "AllGather", work.size, COMMUNICATION)
        for at, layer in enumerate(order):
            rank.wait_event(COMPUTE_STREAM, COMMUNICATION)
            if at + 1 < LAYERS:
                rank.collective(group, "AllGather", work.size, COMMUNICATION)
            run(rank, work, layer)
            if run is backward:
                rank.collective(group, "ReduceScatter", work.size, COMMUNICATION + 4)
    rank.wait_event(COMPUTE_STREAM, COMMUNICATION + 4)


def transfer(rank, ranks, other, direction, work):
    """To or from the neighbour; each direction of a pair has a stream."""
    if not 0 <= other < ranks:
        return
    pair = (min(rank.rank, other), max(rank.rank, other))
    forward = (direction == "send") == (other > rank.rank)
    stream = 30 + 2 * pair[0] + (0 if forward else 1)
    rank.collective((f"pp{pair[0]}", pair), "SendRecv", work.size // 8, stream, (direction, other))
    if direction == "recv":
        rank.wait_event(COMPUTE_STREAM, stream)


def pp_step(rank, work, ranks):
    share = 1.0 / MICROBATCHES
    for _ in range(MICROBATCHES):
        transfer(rank, ranks, rank.rank - 1, "recv", work)
        for layer in range(LAYERS):
            layer_of(rank, work, layer, share)
        transfer(rank, ranks, rank.rank + 1, "send", work)
    for _ in range(MICROBATCHES):
        transfer(rank, ranks, rank.rank + 1, "recv", work)
        for layer in reversed(range(LAYERS)):
            backward(rank, work, layer, share)
        transfer(rank, ranks, rank.rank - 1, "send", work)


PATTERNS = {"ddp": ddp_step, "tp": tp_step, "fsdp": fsdp_step, "pp": pp_step}


def planned(pattern, work, ranks):
    job = Job(ranks)
    for rank in job.ranks:
        for number in range(STEPS):
            begin = rank.cpu
            work.load(rank)
            PATTERNS[pattern](rank, work, ranks)
            finish(rank, work)
            rank.step(number + 5, begin)
    return job


def marks(spans, begin, end, weight, deltas):
    for first, last in spans:
        first, last = max(first, begin), min(last, end)
        if first < last:
            deltas.append((first, weight, 1))
            deltas.append((last, weight, -1))


def shares(computation, communication, begin, end):
    """Time by what runs, in one sweep over all begins and ends."""
    deltas = []
    marks(computation, begin, end, 0, deltas)
    marks(communication, begin, end, 1, deltas)
    running, at = [0, 0], begin
    sums = {"computation_ns": 0, "exposed_communication_ns": 0, "overlap_ns": 0, "idle_ns": 0}
    for time, kind, change in sorted(deltas) + [(end, 0, 0)]:
        if running[0]:
            sums["computation_ns"] += time - at
            sums["overlap_ns"] += time - at if running[1] else 0
        else:
            sums["exposed_communication_ns" if running[1] else "idle_ns"] += time - at
        running[kind] += change
        at = time
    return sums


def step_truth(rank, times):
    """All activities end before the step does, as each ends with a synchronising call."""
    spans = {"computation": [], "nccl": []}
    for category, name, begin, end, _, _ in rank.events:
        if category == "kernel":
            spans["nccl" if name.startswith("nccl") else "computation"].append((times[begin], times[end]))
    steps = []
    for category, name, begin, end, _, _ in rank.events:
        if name.startswith("ProfilerStep#"):
            first, last = times[begin], times[end]
            steps.append({"step": int(name.split("#")[1]), "rank": rank.rank, "duration_ns": last - first,
                          **shares(spans["computation"], spans["nccl"], first, last)})
    return steps


def profile(rank, times, ranks, offset):
    """As Kineto writes it: microseconds with three decimals, relative to a base."""
    events = []
    for category, name, begin, end, arguments, stream in rank.events:
        first, last = times[begin] + offset, times[end] + offset
        on_gpu = category in ("kernel", "cuda_sync")
        event = {"ph": "X", "cat": category, "name": name, "pid": 0 if on_gpu else 1000 + rank.rank,
                 "tid": stream if on_gpu else 1000 + rank.rank, "ts": first / 1000, "dur": (last - first) / 1000,
                 "args": dict(arguments)}
        if on_gpu:
            event["args"].update({"stream": stream, "device": rank.rank})
        events.append(event)
    return {"schemaVersion": 1, "deviceProperties": [],
            "distributedInfo": {"backend": "nccl", "rank": rank.rank, "world_size": ranks},
            "baseTimeNanoseconds": BASE, "displayTimeUnit": "ms", "traceEvents": events}


def generate(folder, seed, pattern=None, cause=None, skew=True, jitter=JITTER):
    """Writes the files of a job to `folder`; the truth is returned, too. Kernels vary by the part `jitter`."""
    chance = random.Random(seed)
    pattern = pattern or sorted(PATTERNS)[seed % len(PATTERNS)]
    drawn = chance.choice(["kernel", "cpu", "loader"] if pattern != "pp" else ["kernel"])
    cause = cause or drawn  # drawn in any case, so that a job with another cause is the same otherwise
    ranks = chance.choice([2, 4, 8] if pattern != "pp" else [3, 4, 6])
    work = Workload(chance, pattern, cause, ranks, jitter)
    job = planned(pattern, work, ranks)
    times = job.times()
    # Not below the offset that keeps all times positive.
    hosts = [chance.randrange(0, LARGEST_SKEW) if skew else 0 for _ in range((ranks + HOST_RANKS - 1) // HOST_RANKS)]
    offsets = [hosts[rank // HOST_RANKS] for rank in range(ranks)]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    steps = []
    for rank in job.ranks:
        text = json.dumps(profile(rank, times, ranks, offsets[rank.rank]))
        (folder / f"rank{rank.rank}.json").write_text(text, encoding="utf-8")
        steps += step_truth(rank, times)
    truth = {"pattern": pattern, "kind": cause, "ranks": ranks, "cause": work.truth(), "clock_offsets_ns": offsets,
             "makespan_ns": max(times), "steps": steps}
    (folder / "truth.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
    return truth


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pattern", choices=sorted(PATTERNS))
    parser.add_argument("--cause", choices=["kernel", "cpu", "loader", "none"])
    parser.add_argument("--no-skew", action="store_true")
    options = parser.parse_args()
    generate(options.folder, options.seed, options.pattern, options.cause, not options.no_skew)


if __name__ == "__main__":
    main()
