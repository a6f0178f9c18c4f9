#!/usr/bin/env python3
"""Random programs on random machines: the simulator against SimGrid's own replay, run for real.

Each seed makes a platform, SimGrid options and a time-independent trace, replays it with smpirun
and simulates it, and compares when every action of every rank ends (1e-9 s + 1e-6 relative).
Without smpirun the test is skipped, which it says.

One thing that SimGrid 3.32 has of its own is avoided: overheads of empty messages (SimGrid 4
charges none). Every other program runs under SimGrid's lazy update of rates, its default, which
overlooks links when several flows begin at one date: which ones, depends on the order of what
happens at one date (doc/decisions/0005). Where that order hangs on how SimGrid rounds, the two
differ: that is counted, may happen to one program in ten at most, and those have to agree under
network/optim:Full.

usage: run.py --binary SLACKLINE [--seeds N] [--first N] [--keep FOLDER]
"""
import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
ABSOLUTE, RELATIVE = 1e-9, 1e-6
HYBRID = """smpi/os:0:8.9e-06:7.8e-10;1420:1.39e-05:2.98e-10;32768:1.54e-05:2.44e-10
smpi/ois:0:8.6e-06:7.4e-10;1420:1.4e-05:3.4e-10;32768:1.55e-05:2.6e-10
smpi/or:0:8.14e-06:8.39e-10;1420:1.27e-05:9.09e-10;32768:3.09e-05:6.95e-10
smpi/async-small-thresh:4096
smpi/send-is-detached-thresh:40000
"""
MODELS = ["", HYBRID, "network/model:LV08\n", "network/model:CM02\n", "network/weight-S:0\n",
          "network/crosstraffic:0\n", "network/TCP-gamma:60000\n"]
SIZES = [1, 100, 257, 1000, 3000, 6000, 20000, 39999, 40000, 70000, 300000]


def topology(rng):
    """(number of hosts, attributes of the cluster)."""
    shape = rng.choice(["flat", "backbone", "fatpipe", "limiter", "shared", "tree", "torus", "dragonfly"])
    if shape == "tree":
        down, up = rng.choice([(2, 1), (3, 2), (4, 2)])
        return down * 3, (f'topology="FAT_TREE" topo_parameters="2;{down},3;1,{up};1,1"')
    if shape == "torus":
        a, b = rng.choice([(2, 3), (3, 3), (4, 2)])
        return a * b, f'topology="TORUS" topo_parameters="{a},{b}" loopback_bw="1GBps" loopback_lat="1us"'
    if shape == "dragonfly":
        return 12, 'topology="DRAGONFLY" topo_parameters="2,2;1,1;3,1;2"'
    hosts = rng.randint(2, 10)
    return hosts, {"flat": "", "backbone": 'bb_bw="200MBps" bb_lat="10us"',
                   "fatpipe": 'bb_bw="90MBps" bb_lat="10us" bb_sharing_policy="FATPIPE"',
                   "limiter": 'limiter_link="150MBps"',
                   "shared": 'sharing_policy="SHARED"'}[shape]


def program(rng, ranks, barriers):
    """Lines of every rank; every receive has its send, posted before anybody waits."""
    lines = [[f"{r} init"] for r in range(ranks)]
    for step in range(rng.randint(2, 8)):
        kind = rng.choice(["compute", "shift", "permutation", "sendrecv", "pairs", "collective"])
        if kind == "compute":
            for r in range(ranks):
                lines[r].append(f"{r} compute {rng.randint(0, 3000000)}")
        elif kind in ("shift", "permutation"):
            to = list(range(ranks))
            rng.shuffle(to)
            if kind == "shift":
                to = [(r + 1) % ranks for r in range(ranks)]
            sizes = [rng.choice(SIZES) for _ in range(ranks)]
            for r in range(ranks):
                if to[r] == r:
                    continue
                source = to.index(r)
                post = [f"{r} isend {to[r]} {step} {sizes[r]}", f"{r} irecv {source} {step} {sizes[source]}"]
                rng.shuffle(post)
                lines[r] += post
                if rng.random() < 0.5:
                    lines[r].append(f"{r} compute {rng.randint(0, 1000000)}")
                waits = [f"{r} wait {source} {r} {step}", f"{r} wait {r} {to[r]} {step}"]
                lines[r] += [f"{r} waitall"] if rng.random() < 0.6 else waits
        elif kind == "sendrecv":
            size = rng.choice(SIZES)
            for r in range(ranks):
                lines[r].append(f"{r} sendRecv {size} {(r + 1) % ranks} {size} {(r - 1) % ranks} 6 6")
        elif kind == "pairs":
            size = rng.choice(SIZES)
            for r in range(ranks - ranks % 2):
                verb = "send" if r % 2 == 0 else "recv"
                lines[r].append(f"{r} {verb} {r ^ 1} {step} {size}")
        else:
            size = rng.choice(SIZES)
            root = rng.randrange(ranks)
            text = rng.choice([f"bcast {size} {root} 6", f"reduce {size} 1000 {root} 6",
                               "barrier" if barriers else f"scatter {size} {size} {root} 6 6",
                               f"allreduce {size} 500 6", f"alltoall {size} {size} 6 6",
                               f"allgather {size} {size} 6 6", f"gather {size} {size} {root} 6 6"])
            for r in range(ranks):
                lines[r].append(f"{r} {text}")
    for r in range(ranks):
        lines[r].append(f"{r} finalize")
    return "".join(line + "\n" for rank in lines for line in rank)


def make_case(seed, folder):
    rng = random.Random(seed)
    hosts, attributes = topology(rng)
    per_host = rng.choice([1, 1, 1, 2])
    cores = rng.choice([1, 2])
    (folder / "platform.xml").write_text(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="world" routing="Full">
<cluster id="c" prefix="node-" radical="0-{hosts - 1}" suffix="" speed="{rng.choice([1, 2])}Gf"
 core="{cores}" bw="{rng.choice([100, 125, 1000])}MBps" lat="{rng.choice([1, 20, 50])}us" {attributes}/>
</zone></platform>
""")
    names = [f"node-{i}" for i in range(hosts) for _ in range(per_host)]
    rng.shuffle(names)
    (folder / "hostfile").write_text("\n".join(names) + "\n")
    model = rng.choice(MODELS)
    optim = "network/optim:Full\n" if seed % 2 == 0 else ""
    options = model + optim + "smpi/alltoall:basic_linear\n"
    (folder / "options.txt").write_text(options)
    (folder / "trace.ti").write_text(program(rng, len(names), model != HYBRID))


def timeline(lines):
    ranks = {}
    for end, rank, action in lines:
        ranks.setdefault(int(rank), []).append((float(end), action))
    return ranks


def by_simgrid(folder):
    options = [f"--cfg={line}" for line in (folder / "options.txt").read_text().split()]
    ranks = len((folder / "hostfile").read_text().split())
    (folder / "list").write_text(f"{folder / 'trace.ti'}\n")
    run = subprocess.run(
        ["smpirun", "-np", str(ranks), "-platform", folder / "platform.xml", "-hostfile",
         folder / "hostfile", "-replay", folder / "list", *options,
         "--log=smpi_replay.thres:verbose", "--log=smpi_replay.fmt:%.12r|%m%n",
         "--log=root.thres:critical", "--log=no_loc"], capture_output=True, text=True)
    found = re.findall(r"^([0-9.]+)\|(\d+) (\w+)", run.stdout + run.stderr, re.MULTILINE)
    return timeline(found) if found else None


def by_slackline(binary, folder):
    subprocess.run([binary, "simulate", folder / "trace.ti", "--platform", folder / "platform.xml",
                    "--hostfile", folder / "hostfile", "--options", folder / "options.txt",
                    "--actions", folder / "actions.txt", "--links", "0", "-q", "--output",
                    folder / "result.json"], check=True, capture_output=True, text=True)
    return timeline(line.split() for line in (folder / "actions.txt").read_text().splitlines())


def difference(expected, found):
    for rank, actions in sorted(expected.items()):
        own = found.get(rank, [])
        if len(own) != len(actions):
            return f"rank {rank} has {len(own)} actions, not {len(actions)}"
        for i, (want, have) in enumerate(zip(actions, own)):
            if want[1] != have[1] or abs(want[0] - have[0]) > ABSOLUTE + RELATIVE * want[0]:
                return f"rank {rank}, action {i}: {have}, by SimGrid {want}"
    return None


def run_both(binary, folder):
    """None when SimGrid fails, else what differs, which is empty when nothing does."""
    expected = by_simgrid(folder)
    if expected is None:
        return None
    return difference(expected, by_slackline(binary, folder)) or ""


def agrees_in_full(binary, folder):
    with open(folder / "options.txt", "a", encoding="ascii") as file:
        file.write("network/optim:Full\n")
    return run_both(binary, folder) == ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="leave the cases in this folder")
    options = parser.parse_args()
    if shutil.which("smpirun") is None:
        print("SKIPPED: there is no smpirun here (Debian's package simgrid), so nothing was compared")
        return SKIPPED
    failures = compared = ordered_otherwise = 0
    with tempfile.TemporaryDirectory() as temporary:
        for seed in range(options.first, options.first + options.seeds):
            folder = (options.keep or pathlib.Path(temporary)) / str(seed)
            folder.mkdir(parents=True, exist_ok=True)
            make_case(seed, folder)
            why = run_both(options.binary, folder)
            if why is None:
                print(f"seed {seed}: SimGrid failed, not compared")
                continue
            compared += 1
            if why and seed % 2 and agrees_in_full(options.binary, folder):
                ordered_otherwise += 1
                print(f"seed {seed}, only under lazy updates: {why}")
            elif why:
                failures += 1
                print(f"seed {seed}: {why}")
    print(f"{compared} of {options.seeds} programs compared, {failures} differ, "
          f"{ordered_otherwise} only under lazy updates")
    too_many = failures or ordered_otherwise > options.seeds // 10
    return 1 if too_many or compared < options.seeds // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
