#!/usr/bin/env python3
"""Times slackline's equal of each operation of pipit, and pipit's own beside it where PIPIT is the folder of its sources.

usage: [PIPIT=FOLDER] run.py [--module build/python] [--binary build/slackline] [--events N] [ARCHIVE...]

Both get the same OTF2 archives: a made one of about N events, and ARCHIVEs. Results are compared before they are timed;
times are CPU time of all threads, so that other load on the machine does not count. Each operation starts from a trace
that was just read, and from nothing that another one has computed. pipit needs numpy, pandas and otf2 (Debian's
python3-otf2).
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import made_trace
import operations

ROOT = pathlib.Path(__file__).resolve().parents[2]
RANKS = 32


def cpu_time(action):
    begin = time.process_time()
    result = action()
    return time.process_time() - begin, result


class Ours:
    def __init__(self, slackline, path):
        self.read_s, _ = cpu_time(lambda: slackline.open(path))
        self._fresh = lambda: slackline.open(path)

    def measure(self, operation):
        """The median of some times, and the last trace and result."""
        times = []
        for _ in range(5):
            trace = self._fresh()
            taken, result = cpu_time(lambda: operation.ours(trace))
            times.append(taken)
        return sorted(times)[len(times) // 2], trace, result


class Theirs:
    def __init__(self, pipit, path):
        begin = os.times()
        self._read = pipit.Trace.from_otf2(str(path))
        end = os.times()
        # Other processes read for it.
        self.read_s = sum(getattr(end, name) - getattr(begin, name) for name in
                          ("user", "system", "children_user", "children_system"))
        self.events = len(self._read.events)
        self._pipit = pipit

    def measure(self, operation):
        trace = self._pipit.Trace(self._read.definitions, self._read.events.copy())
        taken, result = cpu_time(lambda: operation.theirs(trace))
        return taken, trace, result


def line(name, theirs, ours, note):
    if theirs is None:
        return f"| {name} | | {1e3 * ours:.1f} | | {note} |"
    return f"| {name} | {1e3 * theirs:,.1f} | {1e3 * ours:.2f} | {theirs / ours:,.0f} | {note} |"


def compared(operation, ours, theirs):
    try:
        operation.compare(ours[2], theirs[2], ours[1], theirs[1])
        return "equal", True
    except AssertionError as error:
        return f"DIFFERS: {error}", False


def run(slackline, pipit, path):
    ours = Ours(slackline, path)
    theirs = Theirs(pipit, path) if pipit else None
    print(f"\n{path.name}: {slackline.open(path).info['calls']} calls" +
          (f", {theirs.events} events" if theirs else "") + "\n")
    print("| operation | pipit (ms) | slackline (ms) | ratio | results |\n|---|---|---|---|---|")
    print(line("`from_otf2()`", theirs and theirs.read_s, ours.read_s, ""))
    fine = True
    for operation in operations.OPERATIONS:
        our_own = ours.measure(operation)
        if not theirs:
            print(line(operation.name, None, our_own[0], ""))
            continue
        their_own = theirs.measure(operation)
        note, equal = compared(operation, our_own, their_own)
        fine = fine and equal
        print(line(operation.name, their_own[0], our_own[0], note), flush=True)
    return fine


def finds_iterations(trace, steps):
    """pipit's detect_pattern needs stumpy; what is found is compared with what the trace was made of instead."""
    found = trace.run("monitor")["result"]["iterations"]
    visits = trace.regions().to_pandas()
    begins = visits[visits.region == "step"].groupby("rank").begin_ns
    length = float(begins.diff().median())
    print(f"\n`detect_pattern`: {found['count']} iterations of {found['period_ns']:.0f} ns found, "
          f"{steps} of {length:.0f} ns made")
    return found["count"] == steps and abs(found["period_ns"] / length - 1) < 0.01


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", default=ROOT / "build/python")
    parser.add_argument("--binary", default=ROOT / "build/slackline")
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("archives", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    sys.path.insert(0, str(args.module))
    import slackline

    pipit = None
    if os.environ.get("PIPIT"):
        sys.path.insert(0, os.environ["PIPIT"])
        import pipit
    with tempfile.TemporaryDirectory(prefix="slackline-pipit-") as folder:
        fine = all([run(slackline, pipit, archive) for archive in args.archives])
        if args.events > 0:
            native, archive = pathlib.Path(folder) / "made.slk", pathlib.Path(folder) / "made"
            steps = max(1, args.events // (RANKS * made_trace.EVENTS_OF_STEP))
            made = made_trace.made_trace(slackline, native, RANKS, steps)
            subprocess.run([args.binary, "convert", "-q", native, archive, "--to", "otf2"], check=True,
                           stdout=subprocess.DEVNULL)
            fine = run(slackline, pipit, archive) and fine
            fine = finds_iterations(made, steps) and fine
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
