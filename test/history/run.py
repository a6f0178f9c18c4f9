#!/usr/bin/env python3
"""A gate for every commit, from end to end.

    run.py constructed --slackline BINARY            30 commits of constructed runs, through traces, summaries and history
    run.py recorded --slackline BINARY --mpi MPI     a repository with 12 commits, built and recorded
    run.py recipes --slackline BINARY --source DIR   the recipes of packagers, as far as they can be read here
    run.py pipelines --slackline BINARY --source DIR the pipeline files: valid, and their commands exist

Exit status 77: cannot be tried here (said in words)."""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

COMMITS = 30
REPEATS = 3
CHANGED = 17
RANKS = 4
STEPS = 20


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def run(command, folder, status=0, **more):
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False,
                          timeout=300, env={**os.environ, **more})
    check(done.returncode == status, f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def trace(noise, grown):
    """A run: each step computes in kernel for about 1 ms and in halo for .1 ms, then all ranks synchronise."""
    whole = noise.lognormvariate(0, 0.01)
    work = [[int(time * whole * noise.lognormvariate(0, 0.01) * (grown if rank == 2 and time > 500_000 else 1))
             for time in (1_000_000, 100_000) * STEPS] for rank in range(RANKS)]
    lines = ["slackline-trace 1 timed ranks=4", 'info program="./toy" started=2026-01-01T00:00:00Z']
    starts, now = [], 1000
    for step in range(STEPS):
        starts.append(now)
        now += max(sum(times[2 * step:2 * step + 2]) for times in work) + 20_000
    for rank, times in enumerate(work):
        lines += [f"rank {rank} host=n{rank}", "  @0 +1000 init"]
        for step, start in enumerate(starts):
            kernel, halo = times[2 * step:2 * step + 2]
            end = starts[step + 1] if step + 1 < STEPS else now
            arrived = start + kernel + halo
            lines += [f'  @{start} enter "kernel"', f'  @{start + kernel} leave "kernel"',
                      f'  @{start + kernel} enter "halo"', f'  @{arrived} leave "halo"',
                      f"  @{arrived} +{end - arrived} allreduce bytes=8 elem=8"]
        lines.append(f"  @{now} +1000 finalize")
    return "\n".join(lines) + "\n"


def record_history(arguments, folder, seed, slower):
    """Summaries of 30 commits; from commit 17 on kernel takes so much longer on rank 2."""
    noise = random.Random(seed)
    (folder / "summaries").mkdir(parents=True)
    for commit in range(COMMITS):
        for repeat in range(REPEATS):
            (folder / "run.slt").write_text(trace(noise, slower if commit >= CHANGED else 1))
            run([arguments.slackline, "efficiency", "run.slt", "--summary", f"summaries/{commit}-{repeat}.json",
                 "--commit", f"c{commit:02}"], folder)
    (folder / "commits.txt").write_text("".join(f"c{commit:02}\n" for commit in range(COMMITS)))
    run([arguments.slackline, "history", "summaries", "--commits", "commits.txt", "-o", "history.json"], folder)
    return json.loads((folder / "history.json").read_text())["result"]["histories"][0]


def constructed(arguments, folder):
    slower = record_history(arguments, folder / "slower", 1, 1.03)
    check(len(slower["commits"]) == COMMITS, "not all commits")
    changed = slower["changed_commits"]
    check([found["commit"] for found in changed] == [f"c{CHANGED}"], f"changed: {changed}")
    function = changed[0]["functions"][0]
    check((function["function"], function["rank"]) == ("kernel", 2), f"{function}")
    expected = 0.03 * 1e6 * STEPS
    check(abs(function["change_ns"] - expected) < 0.5 * expected, f"{function} instead of {expected}")
    page = run([arguments.slackline, "history", "summaries", "--commits", "commits.txt", "--badge", "b.svg", "-o",
                "h.html"], folder / "slower")
    check("Written to h.html" in page and (folder / "slower/b.svg").read_text().startswith("<svg"), "no page")
    check("rank 2 of kernel takes" in run([arguments.slackline, "history", "summaries", "--commits", "commits.txt"],
                                          folder / "slower"), "not said")
    check(record_history(arguments, folder / "same", 2, 1)["changed_commits"] == [], "a change where there is none")
    compare(arguments, folder / "slower")


def compare(arguments, folder):
    """The last commits against the first: slower, but by less than 10 %; the first ones are no slower than each other."""
    for name, commits in (("first", range(0, 5)), ("second", range(5, 10)), ("last", range(25, 30))):
        (folder / name).mkdir()
        for commit in commits:
            for repeat in range(REPEATS):
                shutil.copy(folder / f"summaries/{commit}-{repeat}.json", folder / name)
    for words, status in ((["first", "last", "--max-slowdown", "0%"], 3), (["first", "last", "--max-slowdown", "10%"], 0),
                          (["first", "second", "--max-slowdown", "0%"], 0),
                          (["first", "last", "--min-parallel-efficiency", ".99", "--max-slowdown", "none"], 3)):
        run([arguments.slackline, "check", *words, "-o", "check.xml"], folder, status)
        run([arguments.slackline, "check", *words, "-o", "check.md"], folder, status)
        tests = (folder / "check.xml").read_text()
        check(("<failure" in tests) == (status == 3), tests)
    found = json.loads(run([arguments.slackline, "check", "first", "last", "--max-slowdown", "0%", "--format", "json"],
                           folder, 3))["result"]["differences"]
    check(any(d["metric"] == "slowest" and d["function"] == "kernel" and d["rank"] == 2 for d in found), f"{found}")


PROGRAM = """#include <mpi.h>
#include <stdlib.h>
volatile double sink;
__attribute__((noinline)) void kernel(long turns) {
  double x = 1;
  for (long i = 0; i < turns; ++i) x = x * 1.0000001 + 1e-9;
  sink = x;
}
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 20; ++step) {
    kernel(rank == 1 ? SLOWER : 4000000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
"""


def recorded(arguments, folder):
    """Half as much again on rank 1 from the seventh of twelve commits on, so that a shared machine does not hide it."""
    compiler = shutil.which(f"mpicc.{arguments.mpi}")
    if compiler is None or shutil.which("git") is None:
        print("skipped: needs mpicc and git")
        sys.exit(77)
    git = ["git", "-c", "user.name=test", "-c", "user.email=test@example.org"]
    run([*git, "init", "-q", "."], folder)
    environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    commits = []
    for commit in range(12):
        turns = "6000000" if commit >= 6 else "4000000"
        (folder / "toy.c").write_text(PROGRAM.replace("SLOWER", turns) + f"/* {commit} */\n")
        run([*git, "add", "toy.c"], folder)
        run([*git, "commit", "-q", "-m", f"Commit {commit}"], folder)
        commits.append(run([*git, "rev-parse", "HEAD"], folder).strip())
        run([compiler, "-O1", "-g", "toy.c", "-o", "toy"], folder)
        for repeat in range(3):
            (folder / "summaries").mkdir(exist_ok=True)
            run([arguments.slackline, "record", "--quiet", "--analyse", "-o", f"summaries/{commit}-{repeat}.json", "--",
                 f"mpirun.{arguments.mpi}", "-n", "2", "./toy"], folder, CI_COMMIT_SHA=commits[-1], **environment)
    order = run([*git, "rev-list", "--reverse", "HEAD"], folder)
    (folder / "commits.txt").write_text(order)
    run([arguments.slackline, "history", "summaries", "--commits", "commits.txt", "-o", "history.json"], folder)
    history = json.loads((folder / "history.json").read_text())["result"]["histories"][0]
    found = {changed["commit"]: changed["functions"][0] for changed in history["changed_commits"]}
    check(commits[6] in found, f"the commit is not found: {list(found)} instead of {commits[6]}")
    check((found[commits[6]]["function"], found[commits[6]]["rank"]) == ("kernel", 1), f"{found}")


def scripts_of(tree):
    """The shell scripts of a pipeline file."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key == "script":
                yield "\n".join(value)
            elif key == "run":
                yield value
            else:
                yield from scripts_of(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from scripts_of(value)


def pipelines(arguments, folder):
    try:
        import yaml
    except ImportError:
        print("skipped: needs Python's yaml")
        sys.exit(77)
    files = sorted((arguments.source / "packaging/ci").glob("*.yml"))
    check(len(files) == 2, f"{files}")
    for file in files:
        scripts = list(scripts_of(yaml.safe_load(file.read_text())))
        check(scripts, f"no scripts in {file}")
        for script in scripts:
            run(["bash", "-n", "-c", script], folder)
            for command, words in re.findall(r"\bslackline (\w+)([^\n|)]*)", script):
                options = run([arguments.slackline, command, "--help-all"], folder)
                for option in re.findall(r"(?<= )--?[a-z][a-z-]*", words.split(" -- ")[0]):
                    check(re.search(rf"(^|[ ,]){option}\b", options, re.M), f"{command} has no {option}, of {file}")


def recipes(arguments, folder):
    """They are of the language that they are in, and of the present version."""
    packaging = arguments.source / "packaging"
    version = re.search(r"project\(slackline VERSION ([\d.]+)", (arguments.source / "CMakeLists.txt").read_text())[1]
    for file in (packaging / "spack/package.py", *(packaging / "easybuild").glob("*.eb")):
        compile(file.read_text(), str(file), "exec")
    for file in ("spack/package.py", "conda/meta.yaml", "apptainer/slackline.def", "rpm/slackline.spec",
                 f"easybuild/slackline-{version}-gompi-2023b.eb"):
        check(version in (packaging / file).read_text(), f"{file} is not of version {version}")
    script = re.search(r"%post\n(.*?)\n%", (packaging / "apptainer/slackline.def").read_text(), re.DOTALL)[1]
    run(["bash", "-n", "-c", script], folder)
    try:
        import yaml
    except ImportError:
        return
    check(yaml.safe_load((packaging / "conda/meta.yaml").read_text())["package"]["version"] == version, "conda")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=["constructed", "recorded", "pipelines", "recipes"])
    parser.add_argument("--slackline", required=True)
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--source", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="slackline-history-") as folder:
        globals()[arguments.case](arguments, pathlib.Path(folder))


main()
