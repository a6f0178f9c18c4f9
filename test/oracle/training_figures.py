#!/usr/bin/env python3
"""Figures of profiles of a training run, computed without Slackline: one bit per microsecond.

usage: training_figures.py FILE.json.gz...   (one per rank; times in whole microseconds)

The expected values of src/formats/kineto/megatron_test.cc come from here. By the definitions of
doc/decisions/0020-training-traces.md, for profiles of one ProfilerStep per rank.
"""
import collections
import gzip
import json
import sys

COPIES = {"gpu_memcpy", "gpu_memset"}


def load(path):
    with gzip.open(path) as file:
        profile = json.load(file)
    events = [e for e in profile["traceEvents"] if e.get("ph") == "X"]
    return profile["distributedInfo"]["rank"], events


def bits(events, begin, end):
    """Bit i is set if any of the events runs in microsecond begin + i."""
    on = 0
    for e in events:
        first, last = max(e["ts"], begin), min(e["ts"] + e["dur"], end)
        if first < last:
            on |= ((1 << (last - first)) - 1) << (first - begin)
    return on


def count(on):
    return bin(on).count("1")


def gaps(on):
    """Runs of ones, as (first, one after the last)."""
    at = 0
    while on:
        skip = (on & -on).bit_length() - 1
        on >>= skip
        length = ((on + 1) & -(on + 1)).bit_length() - 1
        yield at + skip, at + skip + length
        on >>= length
        at += skip + length


def step_of(events):
    step, = [e for e in events if e["name"].startswith("ProfilerStep#")]
    begin, end = step["ts"], step["ts"] + step["dur"]
    launch = {e["args"]["correlation"]: e for e in events if e["cat"] in ("cuda_runtime", "cuda_driver")}
    gpu = [e for e in events if e["cat"] == "kernel" or e["cat"] in COPIES]
    assert all(begin <= launch[e["args"]["correlation"]]["ts"] < end for e in gpu)
    end = max([end] + [e["ts"] + e["dur"] for e in gpu])
    nccl = bits([e for e in gpu if "nccl" in e["name"]], begin, end)
    compute = bits([e for e in gpu if e["cat"] == "kernel" and "nccl" not in e["name"]], begin, end)
    copies = bits([e for e in gpu if e["cat"] in COPIES], begin, end)
    idle = ((1 << (end - begin)) - 1) & ~(nccl | compute | copies)
    synchronising = bits([e for e in launch.values() if "Synchronize" in e["name"]], begin, end)
    loading = bits([e for e in events if "DataLoader" in e["name"]], begin, end) & ~synchronising
    parts = collections.Counter()
    begins = {e["ts"]: e for e in reversed(gpu)}
    for first, last in gaps(idle):
        following = begins.get(begin + last)
        if following and launch[following["args"]["correlation"]]["ts"] <= begin + first:
            parts["queued"] += last - first
            continue
        gap = ((1 << (last - first)) - 1) << first
        parts["synchronization"] += count(gap & synchronising)
        parts["data_loading"] += count(gap & loading)
        parts["launch_bound"] += count(gap & ~(synchronising | loading))
    return {"duration": end - begin, "computation": count(compute), "exposed": count(nccl & ~compute),
            "copies": count(copies & ~nccl & ~compute), "overlap": count(nccl & compute),
            "idle": count(idle), **parts}


def step_begin(events):
    return next(e["ts"] for e in events if e["name"].startswith("ProfilerStep#"))


def work_before(events, begin, end):
    """Microseconds by outermost operator between two NCCL kernels, one microsecond after the other: that of the kernel that
    runs, else the one in which the CPU is (all work of these profiles is launched by one thread)."""
    launch = {e["args"]["correlation"]: e["ts"] for e in events if e["cat"] in ("cuda_runtime", "cuda_driver")}
    operators = sorted((e for e in events if e["cat"] == "cpu_op"), key=lambda e: (e["ts"], -e["dur"]))
    gpu = [e for e in events if (e["cat"] == "kernel" and "nccl" not in e["name"]) or e["cat"] in COPIES]
    gpu = [e for e in gpu if e["ts"] < end and e["ts"] + e["dur"] > begin]
    operators = [e for e in operators if e["ts"] + e["dur"] > begin - 100000 and e["ts"] < end]

    def operator_at(time):
        around = [e for e in operators if e["ts"] <= time < e["ts"] + e["dur"]]
        return max(around, key=lambda e: e["dur"])["name"] if around else ""

    times = collections.Counter()
    at = begin
    for e in sorted(gpu, key=lambda e: e["ts"]) + [None]:
        until = max(at, min(e["ts"], end)) if e else end
        while at < until:  # idle
            change = [t for o in operators for t in (o["ts"], o["ts"] + o["dur"]) if at < t < until]
            after = min(change, default=until)
            times[operator_at(at)] += after - at
            at = after
        if e and min(e["ts"] + e["dur"], end) > at:
            times[operator_at(launch[e["args"]["correlation"]])] += min(e["ts"] + e["dur"], end) - at
            at = min(e["ts"] + e["dur"], end)
    return times


def main():
    ranks = dict(load(path) for path in sys.argv[1:])
    for rank in sorted(ranks):
        print(rank, step_of(ranks[rank]))
    kernels = {rank: sorted((e["ts"], e["dur"]) for e in events if e["cat"] == "kernel" and "nccl" in e["name"])
               for rank, events in ranks.items()}
    counts = {len(all_of_rank) for all_of_rank in kernels.values()}
    print("collectives by rank:", counts)
    caused = collections.Counter()
    excess = collections.defaultdict(collections.Counter)
    for k in range(min(counts)):
        begins = {rank: kernels[rank][k][0] for rank in sorted(kernels)}
        last = max(begins, key=lambda rank: (begins[rank], -rank))
        waiting = {rank: begins[last] - begins[rank] for rank in begins}
        assert all(kernels[rank][k][1] >= waiting[rank] for rank in waiting), "one clock"
        caused[last] += sum(waiting.values())
        first = min(begins, key=lambda rank: (begins[rank], rank))
        if begins[first] < begins[last]:
            before = {rank: kernels[rank][k - 1][0] + kernels[rank][k - 1][1] if k else step_begin(ranks[rank])
                      for rank in (first, last)}
            usual = work_before(ranks[first], before[first], begins[first])
            for operator, time in work_before(ranks[last], before[last], begins[last]).items():
                excess[last][operator] += max(0, time - usual[operator])
        if k in (0, 1, 40, 83):
            print("collective", k, "straggler", last, "transfer", kernels[last][k][1], "waiting", waiting,
                  "sum", sum(waiting.values()))
    for rank in caused:
        print("straggler", rank, excess[rank].most_common(3))
    total = sum(caused.values())
    print("waiting", total, "caused by", [(rank, us, round(us / total, 6)) for rank, us in caused.most_common()])


if __name__ == "__main__":
    main()
