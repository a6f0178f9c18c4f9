#!/usr/bin/env python3
"""`./dev bench simgrid`: the simulator and SimGrid's replay on the same programs, in one run.

Each row: a program on a machine, its actions, the processor seconds of either (user and system, the
reading of the trace included), their ratio, and whether the makespans agree. SimGrid runs under both of its ways of
updating rates, Lazy and Full, and the faster one counts. Both on one core.

The last table lets ranks and load grow, for slackline alone: how cost grows with messages.

usage: run.py --binary SLACKLINE [--quick] [CASE...]
"""
import argparse
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

TIMEOUT = 900


def cluster(hosts, attributes=""):
    return f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="world" routing="Full">
<cluster id="c" prefix="node-" radical="0-{hosts - 1}" suffix="" speed="1Gf" bw="1.25GBps" lat="5us" {attributes}/>
</zone></platform>
"""


def noise(rank, step, most):
    return (rank * 7919 + step * 104729) % most


def ring(ranks, steps):
    for r in range(ranks):
        yield f"{r} init"
        for i in range(steps):
            yield f"{r} compute {10000 + noise(r, i, 5000)}"
            yield f"{r} irecv {(r - 1) % ranks} 0 1000"
            yield f"{r} isend {(r + 1) % ranks} 0 1000"
            yield f"{r} waitall"
        yield f"{r} finalize"


def wavefront(columns, rows, steps):
    for r in range(columns * rows):
        x, y = r % columns, r // columns
        yield f"{r} init"
        for i in range(steps):
            for there, other in ((x > 0, r - 1), (y > 0, r - columns)):
                if there:
                    yield f"{r} recv {other} 0 2000"
            yield f"{r} compute {20000 + noise(r, i, 5000)}"
            for there, other in ((x + 1 < columns, r + 1), (y + 1 < rows, r + columns)):
                if there:
                    yield f"{r} send {other} 0 2000"
        yield f"{r} finalize"


def halo(columns, rows, steps, size):
    for r in range(columns * rows):
        x, y = r % columns, r // columns
        near = [(x + 1) % columns + y * columns, (x - 1) % columns + y * columns,
                x + (y + 1) % rows * columns, x + (y - 1) % rows * columns]
        yield f"{r} init"
        for i in range(steps):
            yield f"{r} compute {100000 + noise(r, i, 50000)}"
            for k, other in enumerate(near):
                yield f"{r} irecv {other} {k} {size}"
            for k, other in enumerate(near):
                yield f"{r} isend {other} {k ^ 1} {size}"
            yield f"{r} waitall"
        yield f"{r} finalize"


def alltoall(ranks, size):
    for r in range(ranks):
        yield f"{r} init"
        yield f"{r} alltoall {size} {size} 6 6"
        yield f"{r} finalize"


TREE256 = 'topology="FAT_TREE" topo_parameters="2;16,16;1,4;1,4"'
TREE128 = 'topology="FAT_TREE" topo_parameters="2;16,8;1,4;1,4"'
FLY256 = 'topology="DRAGONFLY" topo_parameters="4,4;4,4;4,1;4"'
BACKBONE = 'bb_bw="10GBps" bb_lat="1us"'
# name: (ranks, attributes of the cluster, program, options)
CASES = {
    "ring, 64 ranks": (64, "", lambda: ring(64, 400), []),
    "ring, 256 ranks": (256, "", lambda: ring(256, 200), []),
    "wavefront, 256 ranks": (256, "", lambda: wavefront(16, 16, 50), []),
    "ring, 1,024 ranks": (1024, "", lambda: ring(1024, 50), []),
    "halo on a fat tree, 256": (256, TREE256, lambda: halo(16, 16, 20, 100000), []),
    "halo on a dragonfly, 256": (256, FLY256, lambda: halo(16, 16, 20, 100000), []),
    "halo on a backbone, 256": (256, BACKBONE, lambda: halo(16, 16, 5, 100000), []),
    "halo on a crossbar, 1,024": (1024, "", lambda: halo(32, 32, 5, 100000), []),
    "all-to-all on a fat tree, 128": (128, TREE128, lambda: alltoall(128, 50000),
                                      ["smpi/alltoall:basic_linear"]),
}


def measured(command):
    """(processor seconds, output) of a command on one core; (None, output) when it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        run = subprocess.run(["taskset", "-c", "0", *command], capture_output=True, text=True,
                             timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return None, "timeout"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return (seconds if run.returncode == 0 else None), run.stdout + run.stderr


def write_case(folder, ranks, attributes, program, options):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "platform.xml").write_text(cluster(ranks, attributes))
    (folder / "hostfile").write_text("".join(f"node-{i}\n" for i in range(ranks)))
    (folder / "options.txt").write_text("".join(line + "\n" for line in options))
    actions = 0
    with open(folder / "trace.ti", "w", encoding="ascii") as file:
        for line in program():
            file.write(line + "\n")
            actions += 1
    (folder / "list").write_text(f"{folder / 'trace.ti'}\n")
    return actions


def by_slackline(binary, folder):
    seconds, output = measured([binary, "simulate", folder / "trace.ti", "--platform",
                                folder / "platform.xml", "--hostfile", folder / "hostfile",
                                "--options", folder / "options.txt", "--links", "0", "--slowed", "0",
                                "--format", "json"])
    return seconds, (json.loads(output)["result"]["makespan_ns"] / 1e9 if seconds else output)


def by_simgrid(folder, ranks, way):
    options = [f"--cfg={line}" for line in (folder / "options.txt").read_text().split()]
    seconds, output = measured(["smpirun", "-np", str(ranks), "-platform", folder / "platform.xml",
                                "-hostfile", folder / "hostfile", "-replay", folder / "list",
                                f"--cfg=network/optim:{way}", *options])
    found = re.search(r"Simulation time ([0-9.]+)", output)
    return (seconds, float(found.group(1))) if seconds and found else (None, None)


def compare(binary, root, names):
    ways = ["Lazy", "Full"] if shutil.which("smpirun") else []
    if not ways:
        print("There is no smpirun here (Debian's package simgrid): slackline alone.")
    print(f"{'program':32} {'actions':>9} {'slackline':>10} {'actions/s':>11} {'SimGrid':>10} "
          f"{'ratio':>7}  makespans")
    for name in names:
        ranks, attributes, program, options = CASES[name]
        folder = root / re.sub(r"\W+", "-", name)
        actions = write_case(folder, ranks, attributes, program, options)
        own, makespan = by_slackline(binary, folder)
        theirs = [by_simgrid(folder, ranks, way) for way in ways]
        theirs = [t for t in theirs if t[0] is not None]
        row = f"{name:32} {actions:9,} {own:9.2f}s {actions / own:11,.0f}"
        if theirs:
            best = min(theirs)
            agree = any(abs(t[1] - makespan) <= 1e-6 + 1e-6 * makespan for t in theirs)
            row += f" {best[0]:9.2f}s {best[0] / own:7.1f}  {'agree' if agree else f'{makespan} {best[1]}'}"
        print(row, flush=True)


def growth(binary, root, quick):
    print("\nHow cost grows, slackline alone (halo on a crossbar, 100 kB; ring, 1 kB)")
    print(f"{'program':32} {'actions':>9} {'seconds':>9} {'us/action':>10}")
    sizes = [64, 256, 1024] if quick else [64, 256, 1024, 4096, 16384]
    for ranks in sizes:
        side = int(ranks ** 0.5)
        for name, program in ((f"halo, {ranks} ranks", lambda s=side: halo(s, s, 3, 100000)),
                              (f"ring, {ranks} ranks", lambda n=ranks: ring(n, 10))):
            folder = root / re.sub(r"\W+", "-", name)
            actions = write_case(folder, ranks, "", program, [])
            own, _ = by_slackline(binary, folder)
            print(f"{name:32} {actions:9,} {own:9.2f} {1e6 * own / actions:10.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--quick", action="store_true", help="small programs only")
    parser.add_argument("cases", nargs="*", help="parts of the names of those to run; default: all")
    options = parser.parse_args()
    chosen = [n for n in CASES if not options.cases or any(c in n for c in options.cases)]
    if options.quick:
        chosen = [n for n in chosen if "1,024" not in n]
    with tempfile.TemporaryDirectory() as folder:
        compare(options.binary, pathlib.Path(folder), chosen)
        if not options.cases:
            growth(options.binary, pathlib.Path(folder), options.quick)
    return 0


if __name__ == "__main__":
    sys.exit(main())
