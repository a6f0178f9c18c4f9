#!/usr/bin/env python3
"""Compares what each command says it needs for a call of the trace (app/options/reading_options.h) with what it takes.

usage: run.py --binary SLACKLINE --source TREE

The peak of resident memory is taken for two traces of one program, a halo exchange, of which one has three times as many
calls; their difference is what calls take. What a command says must not be more than it takes, as it would be refused where
it can run, and not less than half of it.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

RANKS = 16
STEPS = (3000, 9000)
# Of commands that do more with short traces, as the first screen has advice.
LONGER_STEPS = {"kReport": (9000, 18000)}
# By constant the command, where it is not the constant's name alone.
COMMANDS = {"kRead": ["info"], "kMonitor": ["phases"], "kCriticalPath": ["path"], "kWaitStates": ["waits"],
            "kWholeReport": ["report", "--all"], "kWhatif": ["whatif", "--set", "scale factor=0.5"],
            "kPlace": ["place", "--ranks-per-node", "4"], "kQuery": ["query", "SELECT count(*) FROM calls"]}


def halo(steps):
    """The lines of a trace: both neighbours in a ring, nonblocking, then an allreduce."""
    yield f"slackline-trace 1 timed ranks={RANKS}"
    yield 'region 0 "step"'
    for rank in range(RANKS):
        yield from (f"rank {rank}", "  @0 +500 init", "  @600 enter 0")
        at = 1000
        for step in range(steps):
            at += 10_000 + (rank * 37 + step * 11) % 500
            left, right = (rank - 1) % RANKS, (rank + 1) % RANKS
            first = 4 * step + 1
            yield from (
                     f"  @{at} +100 irecv from={left} bytes=64 req={first}",
                     f"  @{at + 110} +100 irecv from={right} bytes=64 req={first + 1}",
                     f"  @{at + 220} +100 isend to={left} bytes=64 req={first + 2}",
                     f"  @{at + 330} +100 isend to={right} bytes=64 req={first + 3}",
                     f"  @{at + 440} +2000 waitall reqs={first},{first + 1},{first + 2},{first + 3}")
            at = (at // 12_000 + 1) * 12_000
            yield f"  @{at} +{800 + rank} allreduce bytes=8"
        yield from (f"  @{at + 10_000} leave 0", f"  @{at + 20_000} +10 finalize")


def peak_bytes(command):
    """Of resident memory. Throws when the command fails."""
    done = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = done.stderr.read()
    _, status, usage = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {error.decode()}")
    return usage.ru_maxrss * 1024


def said(source):
    """By constant the bytes a call."""
    text = open(os.path.join(source, "src/app/options/reading_options.h")).read()
    found = re.findall(r"std::uint32_t (k\w+) = (\d+);", text)
    return {name: int(number) for name, number in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--source", required=True)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="memory-") as folder:
        traces = {}
        for steps in {*STEPS, *(steps for both in LONGER_STEPS.values() for steps in both)}:
            text, trace = os.path.join(folder, "t.txt"), os.path.join(folder, f"{steps}.slk")
            with open(text, "w") as file:
                file.writelines(line + "\n" for line in halo(steps))
            subprocess.run([options.binary, "convert", text, trace, "-q"], check=True)
            traces[steps] = trace
        for name, number in said(options.source).items():
            command, *more = COMMANDS.get(name, [name[1:].lower()])
            few, many = LONGER_STEPS.get(name, STEPS)
            peaks = [peak_bytes([options.binary, command, traces[steps], *more]) for steps in (few, many)]
            taken = (peaks[1] - peaks[0]) / ((many - few) * RANKS * 6)
            holds = taken / 2 <= number <= taken
            failed += not holds
            print(f"{'' if holds else 'FAILED: '}{name[1:]}: says {number} B a call, takes {taken:.0f}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
