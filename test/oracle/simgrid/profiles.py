#!/usr/bin/env python3
"""Platforms whose hosts and links change over time, by SimGrid and by us: the same profiles of each kind, once and
repeating, under a program with computation and messages (a time-independent trace, replayed) and under ping-pongs and
rings of MPI_Sendrecv on line. All times within 10 ns. Rates on line are not lazy, so SimGrid's are not there either
(network/optim:Full).

Where a link or host fails under a program, SimGrid aborts; ours has to end with an error that names it and the time.
Without smpirun or mpicc the test is skipped, which it says.

Profiles are files for SimGrid, and for us partly inside of the platform: connected to links, SimGrid 3.32 refuses them.
Messages are large and latencies short: a message that waits for its latency when a link changes never arrives in SimGrid
3.32, which then sees a deadlock. It also gives up where duplex links improve.

usage: profiles.py --binary SLACKLINE [--seeds N] [--first N] [--mpicc MPICC] [--keep FOLDER]"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import collectives
import run

TOLERANCE = 10e-9
RUN_SECONDS = 0.4
CALLS = ["pingpong:2000000", "ring:3000000", "pingpong:100000", "ring:1500000", "ring:5000000", "pingpong:4000000"]
ATTRIBUTES = {"SPEED": "speed_file", "BANDWIDTH": "bandwidth_file", "LATENCY": "latency_file",
              "HOST_AVAIL": "state_file", "LINK_AVAIL": "state_file"}


class Machine:
    """Hosts h0, h1, ... with a link l0, l1, ... each; all messages cross the links of both ends."""

    def __init__(self, hosts, policy="SHARED", latency="2us"):
        self.hosts, self.policy, self.latency = hosts, policy, latency
        self.profiles, self.inside = {}, set()

    def profile(self, kind, element, text, inside=False):
        self.profiles[(kind, element)] = text
        if inside:
            self.inside.add((kind, element))
        return self

    def xml(self, folder, inside=()):
        """With those profiles inside, and the others as files in the folder."""
        words, connected = {}, []
        for i, ((kind, element), text) in enumerate(self.profiles.items()):
            if (kind, element) in inside:
                connected.append(f'<trace id="t{i}" periodicity="0">\n{text}</trace>'
                                 f'<trace_connect kind="{kind}" trace="t{i}" element="{element}"/>')
                continue
            name = f"{element}-{kind}.txt"
            (folder / name).write_text(text)
            words[element] = words.get(element, "") + f' {ATTRIBUTES[kind]}="{name}"'
        direction = {"SPLITDUPLEX": (' direction="UP"', ' direction="DOWN"')}.get(self.policy, ("", ""))
        lines = [f'<host id="h{i}" speed="1Gf"{words.get(f"h{i}", "")}/>' for i in range(self.hosts)]
        lines += [f'<link id="l{i}" bandwidth="100MBps" latency="{self.latency}" sharing_policy="{self.policy}"'
                  f'{words.get(f"l{i}", "")}/>' for i in range(self.hosts)]
        lines += [f'<route src="h{i}" dst="h{j}"><link_ctn id="l{i}"{direction[0]}/><link_ctn id="l{j}"{direction[1]}/></route>'
                  for i in range(self.hosts) for j in range(i + 1, self.hosts)]
        return ('<?xml version=\'1.0\'?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
                '<platform version="4.1">\n<zone id="w" routing="Full">\n' + "\n".join(lines + connected) + "\n</zone></platform>\n")


def program(rng, ranks, rounds=6):
    lines = [[f"{r} init"] for r in range(ranks)]
    for _ in range(rounds):
        size = rng.randint(500_000, 4_000_000)
        for r in range(ranks):
            lines[r].append(f"{r} compute {rng.randint(1_000_000, 50_000_000)}")
            lines[r].append(f"{r} sendRecv {size} {(r + 1) % ranks} {size} {(r - 1) % ranks} 6 6")
    return "".join(line + "\n" for rank in lines for line in rank + [rank[0].split()[0] + " finalize"])


def random_profile(rng, kind):
    dates = sorted(rng.uniform(0, RUN_SECONDS) for _ in range(rng.randint(1, 5)))
    if rng.random() < 0.3:
        dates[0] = 0
    value = {"SPEED": lambda: rng.uniform(0.1, 2), "BANDWIDTH": lambda: rng.uniform(1e7, 4e8),
             "LATENCY": lambda: rng.uniform(1e-6, 9e-6)}[kind]
    lines = [f"{date:.9f} {value():.9g}" for date in dates]
    ending = rng.choice(["", "", f"LOOPAFTER {rng.uniform(0.01, 0.1):.6f}", f"PERIODICITY {dates[-1] + rng.uniform(0.01, 0.1):.6f}"])
    if ending:
        lines.insert(rng.choice([0, len(lines)]), ending)
    return "".join(line + "\n" for line in ["# a comment"] + lines)


def random_machine(rng):
    machine = Machine(rng.randint(2, 4), rng.choice(["SHARED", "SHARED", "FATPIPE", "SPLITDUPLEX"]))
    for i in range(machine.hosts):
        kinds = [("SPEED", f"h{i}"), ("BANDWIDTH", f"l{i}")] + [("LATENCY", f"l{i}")] * (machine.policy != "SPLITDUPLEX")
        for kind, element in kinds:
            if rng.random() < 0.5:
                machine.profile(kind, element, random_profile(rng, kind), rng.random() < 0.4)
    return machine


MACHINES = {
    "bandwidth, less and more": Machine(2).profile("BANDWIDTH", "l0", "0.013 2e7\n0.09 3e8\n"),
    "bandwidth, more under way": Machine(2).profile("BANDWIDTH", "l0", "0 1e7\n0.05 3e8\n"),
    "latency": Machine(3).profile("LATENCY", "l1", "0.011 0.003\n"),
    "latency that closes the window": Machine(2).profile("LATENCY", "l0", "0.011 0.3\n"),
    "speed": Machine(2).profile("SPEED", "h1", "0.0051 0.25\n0.06 1.5\n"),
    "from the start": Machine(2).profile("SPEED", "h0", "0 0.5\n").profile("BANDWIDTH", "l1", "0 5e7\n"),
    "periodicity": Machine(2).profile("SPEED", "h0", "PERIODICITY 0.02\n0.003 0.5\n0.011 1\n"),
    "loop after": Machine(4).profile("BANDWIDTH", "l2", "0.0101 3e7\n0.0303 9e7\nLOOPAFTER 0.0107\n"),
    "inside of the platform": Machine(3).profile("BANDWIDTH", "l1", "0.02 4e7\n", True).profile("SPEED", "h2", "0.01 0.7\n", True),
    "both directions": Machine(3, "SPLITDUPLEX").profile("BANDWIDTH", "l1", "0.013 8e7\n0.1 5e7\n"),
    "a link that is down while nobody uses it": Machine(2).profile("LINK_AVAIL", "l1", "0 1\n0.0001 0\n0.0002 1\n"),
    "host and link without ranks are down": Machine(3).profile("HOST_AVAIL", "h2", "0.01 0\n", True).profile("LINK_AVAIL", "l2", "0.01 0\n"),
}
FAILURES = {
    "link 'l1'": Machine(2).profile("LINK_AVAIL", "l1", "0.06 0\n"),
    "host 'h1'": Machine(2).profile("HOST_AVAIL", "h1", "0.06 0\n", True),
}


def make_case(machine, ranks, rng, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "platform.xml").write_text(machine.xml(folder))
    (folder / "hostfile").write_text("".join(f"h{i}\n" for i in range(ranks)))
    (folder / "options.txt").write_text("smpi/wtime:0\n")
    (folder / "trace.ti").write_text(program(rng, ranks))


def compare(binary, programs, machine, ranks, folder):
    """What differs, by replay or on line, and which of them was compared."""
    one = (folder / "platform.xml", folder / "hostfile", "default", ranks)
    replayed, online = run.by_replay(folder), collectives.by_simgrid(programs[0], *one, CALLS, "Full")
    (folder / "platform.xml").write_text(machine.xml(folder, machine.inside))
    different = []
    if replayed is not None:
        different.append(run.difference(replayed, run.by_slackline(binary, folder), TOLERANCE))
    if online is not None and any(len(of_ranks) != ranks for of_ranks in online.values()):
        online = None  # a deadlock
    if online is not None:
        own = collectives.by_slackline(binary, programs[1], folder, *one, CALLS) or {}
        different += collectives.differences(ranks, online, own, lambda s: TOLERANCE).values()
    return [why for why in different if why], replayed is not None, online is not None


def compare_failure(binary, what, machine, folder):
    if run.by_replay(folder) is not None:
        return "SimGrid survives it"
    (folder / "platform.xml").write_text(machine.xml(folder, machine.inside))
    said = run.by_slackline(binary, folder)
    if isinstance(said, str) and what in said and "at 0.06 s" in said and "is down" in said:
        return ""
    return f"it is not named: {said}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--mpicc", default="mpicc.openmpi")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the cases in this folder")
    options = parser.parse_args()
    if collectives.lacks_tools(options.mpicc):
        return collectives.SKIPPED
    compared, failures = {"replay": 0, "on line": 0}, []
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        programs = [collectives.compiled(compiler, folder, name) for compiler, name in (("smpicc", "smpi"), (options.mpicc, "own"))]
        cases = list(MACHINES.items()) + [(f"seed {seed}", random_machine(random.Random(seed)))
                                          for seed in range(options.first, options.first + options.seeds)]
        for i, (name, machine) in enumerate(cases):
            ranks = machine.hosts - ("without ranks" in name)
            make_case(machine, ranks, random.Random(i), folder / f"case{i}")
            different, *worked = compare(options.binary, programs, machine, ranks, folder / f"case{i}")
            for way, done in zip(compared, worked):
                compared[way] += done
                if not done:
                    print(f"{name}: SimGrid failed, not compared ({way})")
            failures += [f"{name}: {why}" for why in different]
        for i, (what, machine) in enumerate(FAILURES.items()):
            make_case(machine, machine.hosts, random.Random(1), folder / f"failure{i}")
            why = compare_failure(options.binary, what, machine, folder / f"failure{i}")
            failures += [f"failure of {what}: {why}"] if why else []
    print("\n".join(failures + [f"{compared} of {len(cases)} machines compared, {len(failures)} differ"]))
    return 1 if failures or min(compared.values()) < 0.6 * len(cases) else 0


if __name__ == "__main__":
    sys.exit(main())
