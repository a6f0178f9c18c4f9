#!/usr/bin/env python3
"""Runs every command line that help texts, man pages and the README show.

Each one runs under bash in a folder of its own, in which the names that the examples use stand for real files of
the source tree. It must end with exit status 0 and say nothing on standard error but progress and notes.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# What the examples' names stand for.
TRACES = {
    "app.slk": "stencil2d.slk", "before.slk": "unbalanced.slk", "after.slk": "unbalanced-mpich.slk",
    "before-2.slk": "unbalanced.slk", "after-2.slk": "unbalanced-mpich.slk",
    "run1.slk": "stencil2d.slk",
    "app-1.slk": "allreduce8.slk", "app-2.slk": "allreduce16.slk", "app-4.slk": "allreduce32.slk",
    "slackline-trace/trace.slk": "unbalanced.slk", "run1/trace.slk": "stencil2d.slk",
    "first/trace.slk": "unbalanced.slk", "second/trace.slk": "unbalanced-mpich.slk", "melt.slk": "lammps-melt.slk",
}
# Other runs of the program of run1.slk: the factors by which they compute longer.
OTHER_RUNS = {"run2.slk": 1.01, "run3.slk": 1.03, "app10.slk": 1.01, "app100.slk": 1.02, "edited.slk": 0.9, "replayed.slk": 0.91}
FILES = {
    "cluster.xml": "platforms/graphene.xml", "machine.xml": "platforms/graphene.xml",
    "p.toml": "platforms/fat-tree.toml", "fat-tree.toml": "platforms/fat-tree.toml",
    "dragonfly.toml": "topologies/dragonfly-g8a4p8.toml", "cluster.toml": "topologies/hops.toml",
    "trace.ti": "simulation/alltoall.ti", "examples/platforms/fat-tree.toml": "platforms/fat-tree.toml",
    "machine.toml": "machines/shared-memory.toml",
}
TEXTS = {
    "p.xml": """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-63" speed="1Gf" bw="1.25GBps" lat="5us"
           bb_bw="5GBps" bb_lat="1us"/>
</platform>
""",
    "hosts": "".join(f"node-{i}\n" for i in range(64)),
    "smpi.txt": "smpi/async-small-thresh:65536\n",
    "nodes.txt": "n0\nn1\n",
    "scenario.toml": '[[edit]]\naction = "scale"\nfactor = 0.5\n',
    "commits.txt": "c1000000\nc1010000\n",
    "hosts.txt": "node-0\nnode-1\nnode-2\nnode-3\n",
}
# Summaries of runs and the ns that these took.
SUMMARIES = {
    "base/1.json": 1_000_000, "base/2.json": 1_010_000, "new/1.json": 1_005_000, "new/2.json": 1_015_000,
    "base.json": 1_000_000, "base-2.json": 1_010_000, "new-1.json": 1_005_000, "new-2.json": 1_015_000,
    "summaries/1.json": 1_000_000, "summaries/2.json": 1_010_000,
}
# Shells that this test does not have.
OTHER_SHELL = re.compile(r"completion fish")
UNFINISHED = 'rm -r slackline-trace; (eval "$(slackline preload -o slackline-trace)"; srun ./app); '
# What must have happened before: a recording that is not finished, a calibration.
BEFORE = {
    "slackline calibrate --samples machine.samples --format json":
        "slackline calibrate -q --seconds 1 -- mpirun -n 2; ",
    "slackline record --finish slackline-trace": UNFINISHED,
    **{f"slackline top slackline-trace{options}": UNFINISHED
       for options in ("", " --window 5min", " --format json >> job.jsonl", " --once --window all")},
}
NEEDS_MPI = re.compile(r"\b(mpirun|mpiexec|srun|Allrun)\b|slackline (demo|top)|--finish|--samples")

# Launchers as the examples name them: at most four ranks are started, by the MPI that the example is about.
LAUNCHER = """#!/bin/bash
arguments=()
while [ $# -gt 0 ]; do
  if [ "$1" = -n ] && [ "$2" -gt 4 ]; then arguments+=(-n 4); shift 2; continue; fi
  arguments+=("$1"); shift
done
exec {launcher} "${{arguments[@]}}"
"""
ALLRUN = """#!/bin/bash
mpirun -n 2 ./app && mpirun -n 2 ./app
"""
SRUN = """#!/bin/bash
exec mpirun -n 2 "$@"
"""


def help_examples(binary):
    """(source, command line) of every --help."""
    def help_of(*arguments):
        return subprocess.run([binary, *arguments, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    for name in re.findall(r"^(?:[A-Z][a-z]+)? +([a-z]+)  ", help_of(), re.MULTILINE):
        text = help_of(name)
        if "\nExamples:\n" not in text:
            raise SystemExit(f"'slackline {name} --help' shows no example")
        for line in text.split("\nExamples:\n", 1)[1].splitlines():
            if line.strip():
                yield f"slackline {name} --help", line.strip()


def page_examples(source):
    """Those of the man pages, in the code block under EXAMPLES, and the README's."""
    for page in sorted((source / "doc/man").glob("*.md")):
        block = re.search(r"^# EXAMPLES\n+```\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
        for line in block.group(1).splitlines() if block else []:
            yield f"doc/man/{page.name}", line
    readme = (source / "README.md").read_text()
    for line in re.findall(r"^\$ (slackline .*)$", readme, re.MULTILINE):
        yield "README.md", line.split("  #")[0].strip()
    tutorial = (source / "doc/tutorial.md").read_text()
    for line in re.findall(r"^\$ (slackline .*)$", tutorial, re.MULTILINE):
        yield "doc/tutorial.md", line


def summary(run_ns):
    factors = ("parallel_efficiencies", "load_balances", "communication_efficiencies", "serialisations", "transfers",
               "waiting_shares")
    return json.dumps({"schema": "slackline-summary/1", "commit": f"c{run_ns}", "started": "2026-11-25T00:00:00Z",
                       "ranks": 4, "host_count": 1,
                       "run_times_ns": [run_ns], **{name: [0.9] for name in factors}})


def mpi_of(line):
    return "mpich" if "mpich" in line else "openmpi"


class Scratch:
    """A folder in which one example runs."""

    def __init__(self, folder, arguments, line):
        self.folder = folder
        examples = arguments.source / "examples"
        for name, trace in TRACES.items():
            self.put(name, examples / "traces" / trace)
        for name, file in FILES.items():
            self.put(name, examples / file)
        for name, text in TEXTS.items():
            (folder / name).write_text(text)
        for name, run_ns in SUMMARIES.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(summary(run_ns))
        self.bin = folder / "bin"
        self.bin.mkdir()
        os.symlink(arguments.binary, self.bin / "slackline")
        self.script("firefox", "#!/bin/sh\nexit 0\n")
        launcher = shutil.which(f"mpirun.{mpi_of(line)}")
        self.mpi = launcher is not None
        if self.mpi:
            for name in ("mpirun", "mpiexec"):
                self.script(name, LAUNCHER.format(launcher=launcher))
            self.script("srun", SRUN)
            self.script("../Allrun", ALLRUN)
            self.put("app", arguments.programs / mpi_of(line) / "lb_coll")
            self.put("unbalanced", arguments.programs / mpi_of(line) / "unbalanced")
        self.prepare("convert", "app.slk", "app.goal")
        for name, factor in OTHER_RUNS.items():
            if name in line and f"--save {name}" not in line:
                self.prepare("whatif", "run1.slk", "--set", f"scale factor={factor}", "--save", name)

    def prepare(self, *arguments):
        subprocess.run([self.bin / "slackline", *arguments, "--quiet"], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)

    def put(self, name, origin):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(origin, self.folder / name)

    def script(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def run(self, line):
        environment = dict(os.environ, PATH=f"{self.bin}:{os.environ['PATH']}", BROWSER="true", TMPDIR=str(self.folder))
        recorded = re.search(r"(record|preload) -o (run1|first|second)\b", line)
        if recorded:  # it would not overwrite a trace
            shutil.rmtree(self.folder / recorded.group(2))
        # As the launchers start fewer ranks, a calibration measures for less time.
        line = line.replace("/tmp/", f"{self.folder}/").replace("--seconds 5", "--seconds 1")
        prelude = f"set -euo pipefail; fpath=({self.folder} {self.folder}); " + BEFORE.get(line, "")
        # Asked to end, not killed, after five minutes: a launcher then ends its ranks.
        return subprocess.run(["timeout", "300", "bash", "-c", prelude + line], cwd=self.folder, env=environment,
                              text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def outcome(line, arguments):
    """Why the line was not run, and the finished process if it was."""
    if OTHER_SHELL.search(line):
        return "another shell", None
    with tempfile.TemporaryDirectory() as folder:
        scratch = Scratch(pathlib.Path(folder), arguments, line)
        if NEEDS_MPI.search(line) and not scratch.mpi:
            return f"no {mpi_of(line)} here", None
        return None, scratch.run(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="folder of the examples, built")
    parser.add_argument("--only", default="", help="a part of the command lines to run")
    parser.add_argument("--mpi", choices=["with", "without"], help="only those that start MPI jobs, or that do not")
    arguments = parser.parse_args()
    where = collections.defaultdict(list)
    for source, line in [*help_examples(arguments.binary), *page_examples(arguments.source)]:
        where[line].append(source)
    lines = [line for line in where if arguments.only in line
             and arguments.mpi in (None, "with" if NEEDS_MPI.search(line) else "without")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda line: outcome(line, arguments), lines))
    failed, skipped = 0, 0
    for line, (skip_reason, result) in zip(lines, outcomes):
        if skip_reason:
            skipped += 1
            print(f"skipped ({skip_reason}): {line}")
        elif result.returncode != 0:
            failed += 1
            print(f"FAILED with exit status {result.returncode}: {line}\n  in {', '.join(where[line])}\n{result.stderr}")
    print(f"{len(lines) - failed - skipped} of {len(lines)} examples ran, {skipped} skipped, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
