#!/usr/bin/env python3
"""Random programs on random machines: the simulator against SimGrid's own, run for real.

Each seed makes a platform (machines.py), SimGrid options and a time-independent trace (programs.py),
replays it with smpirun and simulates it, and compares when every action of every rank ends (1e-9 s
+ 1e-6 relative). Where SimGrid's replay crashes, as it does with many collective algorithms, the
same program runs on-line (online.c). Without smpirun the test is skipped, which it says.

Not generated, because the two differ or SimGrid's versions do:
- overheads of messages without payload (SimGrid 3 charges them, SimGrid 4 does not);
- routes without any latency between hosts, which count as one second's where weights are latencies;
- algorithms on a number of ranks at which SimGrid's just return (programs.fits).

usage: run.py --binary SLACKLINE [--seeds N] [--first N] [--keep FOLDER]
"""
import argparse
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import causes
import machines
import programs

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
ABSOLUTE, RELATIVE = 1e-9, 1e-6
TIMEOUT = 60
PROCESSOR_SECONDS = 8


def make_case(seed, folder):
    rng = random.Random(seed)
    platform, hosts = machines.machine(rng)
    ranks = machines.ranks_on(rng, hosts)
    (folder / "platform.xml").write_text(platform)
    (folder / "hostfile").write_text("\n".join(ranks) + "\n")
    (folder / "options.txt").write_text("".join(line + "\n" for line in programs.options(rng, len(ranks))))
    (folder / "trace.ti").write_text(programs.program(rng, len(ranks)))


def write_cause(cause, folder):
    (folder / "platform.xml").write_text(cause["platform"])
    (folder / "hostfile").write_text("\n".join(cause["hosts"]) + "\n")
    (folder / "options.txt").write_text("".join(line + "\n" for line in cause["options"]))
    (folder / "trace.ti").write_text("".join(
        f"{rank} {line}\n" for rank, lines in enumerate(cause["lines"]) for line in lines))


def timeline(lines):
    ranks = {}
    for end, rank, action in lines:
        ranks.setdefault(int(rank), []).append((float(end), action))
    return ranks


def limit_processor_time():
    """Where SimGrid hangs, it polls; and what smpirun has started would outlive it."""
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))


def smpirun(folder, *program):
    """Its time line; None when SimGrid crashes, hangs or finds a deadlock."""
    options = [f"--cfg={line}" for line in (folder / "options.txt").read_text().split()]
    ranks = len((folder / "hostfile").read_text().split())
    try:
        run = subprocess.run(
            ["smpirun", "-np", str(ranks), "-platform", folder / "platform.xml", "-hostfile",
             folder / "hostfile", *options, "--log=root.thres:critical", "--log=no_loc", *program],
            capture_output=True, text=True, timeout=TIMEOUT, preexec_fn=limit_processor_time)
    except subprocess.TimeoutExpired:
        return None
    output = run.stdout + run.stderr
    found = re.findall(r"^([0-9.]+)\|(\d+) (\w+)", output, re.MULTILINE)
    (folder / "simgrid.txt").write_text(output)
    return timeline(found) if found and run.returncode == 0 and "Deadlock" not in output else None


def by_replay(folder):
    (folder / "list").write_text(f"{folder / 'trace.ti'}\n")
    return smpirun(folder, "-replay", folder / "list", "--log=smpi_replay.thres:verbose",
                   "--log=smpi_replay.fmt:%.12r|%m%n")


def by_simgrid(folder, online=None):
    """`online`: the program to run where replay fails."""
    found = by_replay(folder)
    if found is None and online is not None:
        found = smpirun(folder, "--cfg=smpi/simulate-computation:no", online, folder / "trace.ti")
    return found


def compile_online(folder):
    """The program that performs a trace by real calls; None without a compiler for it."""
    if shutil.which("smpicc") is None:
        return None
    program = folder / "online"
    run = subprocess.run(["smpicc", "-O1", "-w", "-o", program, HERE / "online.c"], capture_output=True, check=False)
    return program if run.returncode == 0 else None


def by_slackline(binary, folder):
    """What it says instead, when it fails."""
    run = subprocess.run([binary, "simulate", folder / "trace.ti", "--platform", folder / "platform.xml",
                          "--hostfile", folder / "hostfile", "--options", folder / "options.txt",
                          "--actions", folder / "actions.txt", "--links", "0", "-q", "--output",
                          folder / "result.json"], capture_output=True, text=True)
    if run.returncode != 0:
        return run.stderr.strip()
    return timeline(line.split() for line in (folder / "actions.txt").read_text().splitlines())


def difference(expected, found, absolute=ABSOLUTE):
    if isinstance(found, str):
        return found
    for rank, actions in sorted(expected.items()):
        own = found.get(rank, [])
        if len(own) != len(actions):
            return f"rank {rank} has {len(own)} actions, not {len(actions)}"
        for i, (want, have) in enumerate(zip(actions, own)):
            if want[1] != have[1] or abs(want[0] - have[0]) > absolute + RELATIVE * want[0]:
                return f"rank {rank}, action {i}: {have}, by SimGrid {want}"
    return None


def run_both(binary, folder, online=None):
    """None when SimGrid fails, else what differs, which is empty when nothing does."""
    expected = by_simgrid(folder, online)
    if expected is None:
        return None
    # Under Full, SimGrid ends a latency when less than a nanosecond is left, at every event anew.
    full = "network/optim:Full" in (folder / "options.txt").read_text()
    return difference(expected, by_slackline(binary, folder), 1e-8 if full else ABSOLUTE) or ""


def compare_causes(binary, folder, online):
    """How many differ."""
    failures = 0
    for i, (name, cause) in enumerate(causes.CAUSES.items()):
        case = folder / f"cause{i}"
        case.mkdir(parents=True, exist_ok=True)
        write_cause(cause, case)
        why = run_both(binary, case, online)
        if why != "":
            failures += 1
            print(f"{name}: {'SimGrid failed' if why is None else why}")
    return failures


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
    failures = compared = 0
    with tempfile.TemporaryDirectory() as temporary:
        online = compile_online(pathlib.Path(temporary))
        failures += compare_causes(options.binary, options.keep or pathlib.Path(temporary), online)
        for seed in range(options.first, options.first + options.seeds):
            folder = (options.keep or pathlib.Path(temporary)) / str(seed)
            folder.mkdir(parents=True, exist_ok=True)
            make_case(seed, folder)
            why = run_both(options.binary, folder, online)
            if why is None:
                print(f"seed {seed}: SimGrid failed, not compared")
                continue
            compared += 1
            if why:
                failures += 1
                print(f"seed {seed}: {why}")
    print(f"{compared} of {options.seeds} programs compared, {failures} differ")
    return 1 if failures or compared < options.seeds // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
