#!/usr/bin/env python3
"""Traces with sizes, times, ranks and tags at the ends of their ranges: every command answers or refuses in one
sentence. In the sanitizers' build an overflow ends it by a signal.

    run.py --binary SLACKLINE --source FOLDER [--every K]"""
import argparse
import os
import subprocess
import sys
import tempfile

TRACE = """slackline-trace 1 timed ranks=2
comm 2 members=1,0
region 0 "solve"
rank 0 host=a start={begin}
  @{begin} +10 init
  enter "solve"
  @{first} +{length} send to=1 tag={tag} bytes={bytes} comm=2
  leave "solve"
  @{second} +{length} allreduce elem=8 bytes={bytes}
  @{third} +{length} alltoall bytes={bytes}
  @{end} +10 finalize
rank 1 host={host} start={begin}
  @{begin} +10 init
  @{first} +{length} recv from=0 tag={tag} bytes={bytes} comm=2
  enter "solve"
  leave "solve"
  @{second} +{length} allreduce elem=8 bytes={bytes}
  @{third} +{length} alltoall bytes={bytes}
  @{end} +10 finalize
"""
BYTES = [0, 2**31, 2 * 10**12, 10**15, 2**53 + 1, 2**60, 2**62, 2**63 - 1]
# Begin and end of the run: readers take times below 2^62 ns, and runs of at most that.
SPANS = [(0, 10**6), (0, 4 * 10**15), (0, 5 * 10**15), (0, 10**18), (0, 2**62 - 1000), (-2**61 + 1000, 2**61 - 1000),
         (2**62 - 10**6, 2**62 - 1000), (-2**62 + 1000, -2**62 + 10**6)]
TAGS = [0, 2**31 - 1]

COMMANDS = [
    "info {trace}", "print {trace}", "report {trace}", "report {trace} -o new.html", "report {trace} {trace} -o new.html",
    "predict {trace}", "predict {trace} -G 1Gb/s", "predict {trace} -G 1b/s -L 100s --overhead 100s",
    "predict {trace} --model loggops", "predict {trace} --pairs --topology torus:dims=2 --ranks-per-node 1",
    "sensitivity {trace}", "tolerance {trace}", "tolerance {trace} -G 1Gb/s", "efficiency {trace}",
    "efficiency {trace} {trace}", "wait-states {trace}", "hotspots {trace}", "monitor {trace}", "critical-path {trace}",
    "critical-path {trace} --on predicted", "gains {trace}", "advise {trace}", "diff {trace} {trace}",
    "place {trace} --ranks-per-node 1", "simulate {trace} --platform {platform}", "query {trace} {sql}",
    "whatif {trace} --set balance", "whatif {trace} --set scale@factor=1e9",
    "whatif {trace} --set resize-messages@factor=1e9", "whatif {trace} --set delay@time=4000s",
    "whatif {trace} --set shift@region=solve@time=4000s", "whatif {trace} --set balance --save new.slk",
    "replay {trace} --export new.skeleton",
    *(f"convert {{trace}} new --force --to {form}" for form in (
        "native", "text", "goal", "goal-binary", "otf2", "perfetto", "chrome", "csv", "paraver", "arrow", "sqlite", "ti")),
]


def traces(folder):
    """One extreme at a time, and all sizes over the longest runs."""
    values = [(size, SPANS[0], tag) for size in BYTES for tag in TAGS]
    values += [(8, span, 0) for span in SPANS]
    values += [(size, SPANS[4], 0) for size in BYTES[2:]]
    for i, (size, (begin, end), tag) in enumerate(values):
        quarter = (end - begin) // 4
        path = os.path.join(folder, f"trace{i}.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(TRACE.format(begin=begin, first=begin + quarter, second=begin + 2 * quarter,
                                    third=begin + 3 * quarter, end=end, length=quarter // 2, tag=tag, bytes=size,
                                    host="ab"[i % 2]))
        yield describe(size, (begin, end), tag), path


def describe(size, span, tag):
    return f"bytes={size} span={span[0]}..{span[1]} tag={tag}"


def complaint(done):
    if done.returncode not in (0, 1, 2):
        return f"exit status {done.returncode}: {done.stderr[-1500:]}"
    if done.returncode != 0 and (done.stderr.count("\n") != 1 or "defect of Slackline" in done.stderr):
        return f"more than a sentence: {done.stderr}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=os.path.abspath)
    parser.add_argument("--source", required=True, type=os.path.abspath)
    parser.add_argument("--every", type=int, default=1, metavar="K", help="take one of K traces only")
    options = parser.parse_args()
    platform = os.path.join(options.source, "test/golden/inputs/two_hosts.xml")
    ordinary = describe(BYTES[0], SPANS[0], TAGS[0])  # which all commands must answer
    failures = []
    runs = 0
    with tempfile.TemporaryDirectory(prefix="slackline-extreme-") as folder:
        for what, trace in list(traces(folder))[::options.every]:
            for command in COMMANDS:
                words = [word.format(trace=trace, platform=platform, sql="SELECT sum(bytes), max(end_ns) FROM calls")
                         .replace("@", " ") for word in command.split()]
                runs += 1
                done = subprocess.run([options.binary, *words], cwd=folder, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, check=False)
                if what == ordinary and done.returncode != 0:
                    failures.append(f"{what}: slackline {' '.join(words)}: {done.stderr}")
                if problem := complaint(done):
                    failures.append(f"{what}: slackline {' '.join(words)}: {problem}")
    print("\n".join([*failures, f"{runs} commands, {len(failures)} failures"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
