#!/usr/bin/env python3
"""Simulates every case of cases.tar.xz and compares when each action ends with SimGrid.

A case holds trace.ti, platform.xml, hostfile, options.txt and expected.timeline, whose lines
"end-date rank action" come from SimGrid 4.1's replay or, where that crashes, from the same program
run under SimGrid 3.32 (INDEX.tsv says which). Dates agree within 1e-9 s + 1e-6 relative, rank by
rank; the order among ranks is not compared.

different.txt lists cases that do not agree; one that does all the same is a failure, so that the
list stays true.

usage: run.py --binary SLACKLINE [CASE...]
"""
import argparse
import pathlib
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ABSOLUTE, RELATIVE = 1e-9, 1e-6
LOGGED = {"count", "to", "communication"}  # words of log messages that have the form of a line


def timeline(path):
    """{rank: [(end, action)]}; lines that are no action of a rank (log messages) are skipped."""
    ranks = {}
    for line in path.read_text().splitlines():
        words = line.split()
        if len(words) == 3 and words[1].isdigit() and words[2].isalpha() \
                and words[2] not in LOGGED:
            ranks.setdefault(int(words[1]), []).append((float(words[0]), words[2]))
    return ranks


def difference(expected, found):
    for rank, actions in sorted(expected.items()):
        own = found.get(rank, [])
        for i, (end, action) in enumerate(actions):
            if i >= len(own):
                return f"rank {rank} has {len(own)} actions, not {len(actions)}"
            if own[i][1] != action or abs(own[i][0] - end) > ABSOLUTE + RELATIVE * abs(end):
                return f"rank {rank}, action {i}: {own[i]}, not {(end, action)}"
        if len(own) > len(actions):
            return f"rank {rank} has {len(own)} actions, not {len(actions)}"
    return None


def simulate(binary, case, links):
    actions = case / "actions.txt"
    run = subprocess.run(
        [binary, "simulate", case / "trace.ti", "--platform", case / "platform.xml", "--hostfile",
         case / "hostfile", "--options", case / "options.txt", "--actions", actions, "-q",
         "--links", links, "--slowed", links, "--format", "json", "--output",
         case / "result.json"],
        capture_output=True, text=True)
    if run.returncode != 0:
        return f"exit status {run.returncode}: {run.stderr.strip()}"
    return difference(timeline(case / "expected.timeline"), timeline(actions))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    known = {line for line in (HERE / "different.txt").read_text().split("\n")
             if line and not line.startswith("#")}
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(HERE / "cases.tar.xz") as bundle:
            bundle.extractall(folder)
        cases = sorted(p for p in pathlib.Path(folder).iterdir() if p.is_dir())
        chosen = [c for c in cases if not options.cases or c.name in options.cases]
        for case in chosen:
            # What nobody asks the links of is simulated in another way.
            why = simulate(options.binary, case, "5") or simulate(options.binary, case, "0")
            if why is not None and case.name not in known:
                failures += 1
                print(f"{case.name}: {why}")
            if why is None and case.name in known:
                failures += 1
                print(f"{case.name} agrees: take it out of different.txt")
    print(f"{len(chosen)} cases, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
