#!/usr/bin/env python3
"""Every collective under every selector of SimGrid, in sizes and numbers of ranks at which their rules differ: when
each rank leaves a call, by SimGrid's own on-line simulation and by ours (30 ns). Which of messages that meet at the same
time goes first depends on what was before: calls that differ by less than a thousandth are repeated alone.

The same C program is compiled by smpicc and by mpicc. Where SimGrid crashes or deadlocks, calls are run one by one, and
those in which it does not are run together again; the others are not compared. Without smpirun or mpicc the test is skipped, which it says.

usage: collectives.py --binary SLACKLINE --platform FILE [--ranks 2,5,8] [--selectors ompi,mpich] [--mpicc MPICC]"""
import argparse
import functools
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
TOLERANCE = 30e-9
IN_SEQUENCE = 1e-3
SELECTORS = "default,ompi,mpich,mvapich2,impi"
RANKS = "2,5,8,12,16"
OPERATIONS = """bcast reduce allreduce scan exscan gather gatherv scatter scatterv allgather allgatherv alltoall
                alltoallv reduce_scatter reduce_scatter_block""".split()
SIZES = [8, 200, 1000, 4000, 20000, 70000, 300000]
CALLS = ["barrier:0"] + [f"{operation}:{size}" for operation in OPERATIONS for size in SIZES]
PROCESSOR_SECONDS = 60


def limit_processor_time():
    """Where SimGrid hangs, it polls."""
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))


def lacks_tools(mpicc):
    missing = [tool for tool in ("smpirun", "smpicc", mpicc) if shutil.which(tool) is None]
    for tool in missing:
        print(f"SKIPPED: there is no {tool} here, so nothing was compared")
    return bool(missing)


def compiled(compiler, folder, name, source="collectives.c"):
    program = folder / name
    done = subprocess.run([compiler, "-O1", "-w", "-o", program, HERE / source], capture_output=True, check=False)
    return program if done.returncode == 0 else None


def durations(output):
    """By call: of each rank."""
    found = {}
    for call, rank, begin, end in re.findall(r"^(\w+:\d+) (\d+) ([0-9.]+) ([0-9.]+)$", output, re.MULTILINE):
        found.setdefault(call, {})[int(rank)] = float(end) - float(begin)
    return found


def run(words):
    try:
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300, check=False,
                              preexec_fn=limit_processor_time)
    except subprocess.TimeoutExpired:
        return None
    return durations(done.stdout) if done.returncode == 0 else None


def by_simgrid(program, platform, hosts, selector, ranks, calls, rates="Lazy"):
    return run(["smpirun", "-np", ranks, "-platform", platform, "-hostfile", hosts, "--cfg=smpi/simulate-computation:no",
                "--cfg=smpi/wtime:0", f"--cfg=smpi/coll-selector:{selector}", f"--cfg=network/optim:{rates}",
                "--log=root.thres:critical", program, *calls])


def by_slackline(binary, program, folder, platform, hosts, selector, ranks, calls):
    return run([binary, "simulate", "--platform", platform, "--hostfile", hosts, "-n", ranks, "--compute", "none", "--option", "smpi/wtime:0",
                "--collectives", selector, "-q", "-o", folder / "result.json", "--", program, *calls])


def by_simgrid_if_it_can(run_calls):
    found = run_calls(CALLS)
    return found or run_calls([call for call in CALLS if run_calls([call])]) or {}


def differences(ranks, expected, found, tolerance):
    """What differs: by call, the rank that is furthest off, and both times."""
    different = {}
    for call, of_ranks in expected.items():
        own = found.get(call, {})
        off = {rank: abs(s - own.get(rank, float("inf"))) for rank, s in of_ranks.items()}
        worst = max(off, key=off.get)
        if off[worst] > tolerance(of_ranks[worst]) or len(of_ranks) != ranks:
            different[call] = f"rank {worst}: {own.get(worst, 0):.9f} s, by SimGrid {of_ranks[worst]:.9f} s"
    return different


def compare(name, ranks, simgrid, slackline):
    """How many calls were compared, how many of them alone, and how many differ."""
    expected = by_simgrid_if_it_can(simgrid)
    for call in set(CALLS) - set(expected):
        print(f"{name}, {call}: SimGrid failed, not compared")
    found = slackline(list(expected)) or {}
    wrong = differences(ranks, expected, found, lambda s: max(TOLERANCE, IN_SEQUENCE * s))
    repeated = differences(ranks, expected, found, lambda s: TOLERANCE).keys() - wrong.keys()
    for call in repeated:
        alone = simgrid([call])
        wrong.update(differences(ranks, alone, slackline([call]) or {}, lambda s: TOLERANCE) if alone else {})
    for call, what in wrong.items():
        print(f"{name}, {call}, {what}")
    return len(expected), len(repeated), len(wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    parser.add_argument("--platform", required=True, type=pathlib.Path)
    parser.add_argument("--ranks", default=RANKS)
    parser.add_argument("--selectors", default=SELECTORS)
    parser.add_argument("--mpicc", default="mpicc.openmpi")
    options = parser.parse_args()
    if lacks_tools(options.mpicc):
        return SKIPPED
    compared = repeated = different = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        hosts = folder / "hosts"
        hosts.write_text("".join(f"node-{i}\n" for i in range(16)))
        of_simgrid, own = compiled("smpicc", folder, "smpi"), compiled(options.mpicc, folder, "own")
        for selector in options.selectors.split(","):
            for ranks in map(int, options.ranks.split(",")):
                one = (options.platform, hosts, selector, ranks)
                counts = compare(f"{selector}, {ranks} ranks", ranks, functools.partial(by_simgrid, of_simgrid, *one),
                                 functools.partial(by_slackline, options.binary, own, folder, *one))
                compared, repeated, different = map(sum, zip(counts, (compared, repeated, different)))
    print(f"{compared} calls compared, {repeated} of them alone, {different} differ")
    return 1 if different or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
