#!/usr/bin/env python3
"""A gate for every commit, from end to end.

    run.py constructed --slackline BINARY            30 commits of constructed runs, through traces, summaries and history
    run.py recorded --slackline BINARY --mpi MPI     a repository with 12 commits, built and recorded
    run.py tables --slackline BINARY                 the worst runs of a folder, OpenMetrics and SQLite
    run.py centre --slackline BINARY --source DIR --mpi MPI   the launcher that analyses all jobs of a centre
    run.py reframe --slackline BINARY --source DIR --mpi MPI  the mixin for ReFrame, with stand-ins for what it uses of that
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
import sqlite3
import subprocess
import sys
import tempfile
import types

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
    """Summaries of 30 commits; from commit 17 on kernel takes that much longer on rank 2."""
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


def libraries(source):
    """What the program is built with, by the packages of Debian that ./dev installs, as other systems name it."""
    names = re.search(r"build_packages=\((.*?)\)", (source / "dev").read_text(), re.DOTALL)[1].split()
    names = {re.sub(r"^lib|\d*(-trace)?-dev$|-", "", name) for name in names if name.endswith("-dev")}
    elsewhere = {"nlohmannjson": "json", "lzma": "xz", "zlib1g": "zlib", "dw": "elfutils", "openmpi": "mpi", "mpich": "mpi"}
    return {elsewhere.get(name, name) for name in names}


def recipes(arguments, folder):
    """They are of the language that they are in, of the present version, and name every library."""
    packaging = arguments.source / "packaging"
    version = re.search(r"project\(slackline VERSION ([\d.]+)", (arguments.source / "CMakeLists.txt").read_text())[1]
    for file in (packaging / "spack/package.py", *(packaging / "easybuild").glob("*.eb")):
        compile(file.read_text(), str(file), "exec")
    for file in ("spack/package.py", "conda/meta.yaml", "apptainer/slackline.def", "rpm/slackline.spec",
                 f"easybuild/slackline-{version}-gompi-2023b.eb"):
        text = (packaging / file).read_text()
        check(version in text, f"{file} is not of version {version}")
        if not file.startswith("apptainer"):  # its container is Debian's
            words = re.sub(r"#.*|[-_]", "", text).lower()
            check(not (lacking := sorted(n for n in libraries(arguments.source) if n not in words)), f"{file} lacks {lacking}")
    script = re.search(r"%post\n(.*?)\n%", (packaging / "apptainer/slackline.def").read_text(), re.DOTALL)[1]
    run(["bash", "-n", "-c", script], folder)
    try:
        import yaml
    except ImportError:
        return
    check(yaml.safe_load((packaging / "conda/meta.yaml").read_text())["package"]["version"] == version, "conda")


SAMPLE = re.compile(r'(slackline_[a-z_]+)\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*",?)*)\} (\S+)')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')


def read_metrics(text):
    """By metric and labels. By OpenMetrics' grammar, and by the parsers of prometheus_client where that is."""
    check(text.endswith("# EOF\n") and text.count("# EOF") == 1, "the end")
    samples = {}
    for line in text.splitlines():
        if line.startswith("#"):
            check(re.fullmatch(r"# (TYPE \w+ gauge|UNIT (\w+)_(\w+) \3|HELP \w+ [^\\]+|EOF)", line), line)
            continue
        match = SAMPLE.fullmatch(line)
        check(match, line)
        key = match[1], tuple((n, re.sub(r"\\(.)", r"\1", v)) for n, v in LABEL.findall(match[2]))
        check(key not in samples and len({n for n, _ in key[1]}) == len(key[1]), f"twice: {line}")
        samples[key] = float(match[3])
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        from prometheus_client import parser
        from prometheus_client.openmetrics import parser as openmetrics
    except ImportError:
        print("without prometheus_client")
        return samples
    for parsed in (openmetrics, parser):
        families = list(parsed.text_string_to_metric_families(text))
        check(all(family.type == "gauge" for family in families), "other types")
        found = {(s.name, tuple(s.labels.items())): s.value for family in families for s in family.samples}
        check(found == samples, f"{parsed.__name__} reads something else")
    return samples


def tables(arguments, folder):
    """Runs of two programs, with the figures of their summaries."""
    noise = random.Random(4)
    (folder / "spool/more").mkdir(parents=True)
    summaries = {}
    for number in range(12):
        (folder / "run.slt").write_text(trace(noise, 1 + number / 4).replace("./toy", f"./toy{number % 2} \\\"in\\\"")
                                        .replace("2026-01-01", f"2026-01-{number + 1:02}"))
        name = folder / "spool" / ("more" if number % 3 else "") / f"run{number}.json"
        run([arguments.slackline, "efficiency", "run.slt", "--summary", name, "--job", f"slurm:{number}", "--label",
             "user-group=a\\b"], folder)
        summaries[str(name.relative_to(folder / "spool").with_suffix(""))] = json.loads(name.read_text())
    lost = {name: s["ranks"] * s["run_times_ns"][0] * (1 - s["parallel_efficiencies"][0]) for name, s in summaries.items()}

    def worst(*words):
        text = run([arguments.slackline, "history", "spool", "--format", "json", *words], folder)
        return json.loads(text)["result"]

    found = worst("--worst", "5")
    check([r["name"] for r in found["worst_runs"]] == sorted(lost, key=lost.get)[:-6:-1], f"{lost}")
    check(abs(found["lost_rank_time_ns"] / sum(lost.values()) - 1) < 1e-9, "the sum")
    later = worst("--worst", "20", "--since", "2026-01-09")["worst_runs"]
    check({r["name"] for r in later} == {"more/run8", "run9", "more/run10", "more/run11"}, "since")
    page = run([arguments.slackline, "history", "spool", "--worst", "3"], folder)
    check("imbalance" in page and "rank 2" in page, f"why is said: {page}")
    run([arguments.slackline, "history", "spool", "--worst", "3", "-o", "week.html"], folder)
    (folder / "empty.txt").write_text("\n")
    for why, *words in (("cannot read the date", "--since", "yesterday"), ("cannot read the date", "--since", "2026-02-30"),
                        ("cannot read the date", "--since", "2026-1-1"), ("cannot read the date", "--since", "2026-01-01T24:00"),
                        ("none of its runs started", "--since", "2027-01-01"),
                        ("--worst: '0' is not a number above 0", "--worst", "0"), ("'two' is not a number", "--worst", "two"),
                        ("it has none", "--commits", "empty.txt"),
                        ("cannot write runs", "--runs", "runs.json"), ("excludes", "--worst", "1", "--badge", "b.svg")):
        refused(arguments, folder, why, "history", "spool", *words)

    # A trace beside a summary is reduced to its own; of what run a summary is cannot be chosen.
    run([arguments.slackline, "efficiency", "run.slt", "--on", "predicted", "--summary", "predicted.json"], folder)
    predicted = json.loads((folder / "predicted.json").read_text())["run_times_ns"][0]
    for words, side in (((name, "run.slt", "--on-b", "predicted"), "b"), ((name, name, "run.slt", "--on-c", "predicted"), "c")):
        found = json.loads(run([arguments.slackline, "diff", *words, "--format", "json"], folder))["result"]["metrics"]
        time, = (m[side] for m in found if m["metric"] == "run_time")
        check(abs(time / predicted - 1) < 1e-5 < abs(time / summaries["more/run11"]["run_times_ns"][0] - 1), f"{found}")  # 6 digits
    for words in (("run.slt", name, "--on-b", "predicted"), ("run.slt", name, "--on", "predicted"),
                  (name, "run.slt", "--on", "measured")):
        refused(arguments, folder, "a summary contains one run", "diff", *words)
    refused(arguments, folder, "a summary contains one run", "diff", "run.slt", "run.slt", name, "--on-c", "predicted")

    run([arguments.slackline, "history", "spool", "--runs", "runs.prom", "--worst", "1"], folder)
    samples = read_metrics((folder / "runs.prom").read_text())
    for name, summary in summaries.items():
        labels = {"run": name, "program": f'toy{int(name.split("run")[1]) % 2} "in"', "job": "slurm:" + name.split("run")[1],
                  "started": summary["started"], "label_user_group": "a\\b"}
        for metric, value in (("run_time_seconds", summary["run_times_ns"][0] / 1e9), ("ranks", 4),
                              ("lost_rank_time_seconds", lost[name] / 1e9),
                              ("load_balance_ratio", summary["load_balances"][0]),
                              ("waiting_ratio", summary["waiting_shares"][0])):
            check(abs(samples["slackline_" + metric, tuple(labels.items())] - value) <= 1e-9 * abs(value), metric)
        first = summary["causes"][0]
        cause = {**labels, "cause": first["limit"], **({"function": first["function"]} if first["function"] else {})}
        check(samples["slackline_cause_ratio", tuple(cause.items())] == first["share"], "cause")
    run([arguments.slackline, "efficiency", "run.slt", "--summary", "one.prom"], folder)
    check(len({key[1] for key in read_metrics((folder / "one.prom").read_text()) if key[0] == "slackline_ranks"}) == 1, "one")

    run([arguments.slackline, "history", "spool", "--runs", "runs.sqlite"], folder)
    run([arguments.slackline, "history", "spool", "--runs", "runs.sqlite"], folder)  # replaced
    database = sqlite3.connect(folder / "runs.sqlite")
    rows = database.execute("SELECT name, job, ranks, run_time_ns, lost_rank_time_ns, started FROM runs").fetchall()
    check(sorted(rows) == sorted((n, s["job"], 4, s["run_times_ns"][0], rows_lost(rows, n, lost[n]), s["started"])
                                 for n, s in summaries.items()), f"{rows}")
    causes = database.execute("SELECT name, cause, share, function, rank FROM runs JOIN causes USING (run)").fetchall()
    check(sorted(causes, key=str) == sorted(((n, c["limit"], c["share"], c["function"], (c["ranks"] or [None])[0])
                                             for n, s in summaries.items() for c in s["causes"]), key=str), f"{causes}")
    functions = database.execute("SELECT name, function, mean_ns, slowest_rank FROM runs JOIN functions USING (run)")
    check(sorted(functions) == sorted((n, f["function"], f["means_ns"][0], f["slowest_ranks"][0])
                                      for n, s in summaries.items() for f in s["functions"]), "functions")
    waits = database.execute("SELECT name, pattern, share FROM runs JOIN waits USING (run)")
    check(sorted(waits) == sorted((n, w["pattern"], w["shares"][0])
                                  for n, s in summaries.items() for w in s["wait_patterns"]), "waits")
    check(set(database.execute("SELECT name, value FROM labels")) == {("user-group", "a\\b")}, "labels")


def refused(arguments, folder, why, *words):
    done = subprocess.run([arguments.slackline, *words], cwd=folder, capture_output=True, text=True, check=False)
    check(done.returncode in (1, 2) and done.stdout == "" and why in done.stderr, f"{words}: {done}")


def rows_lost(rows, name, expected):
    """The value of the table where it is that of Python but for rounding."""
    value = next(row[4] for row in rows if row[0] == name)
    return value if abs(value - expected) <= 1e-9 * expected else expected


def centre(arguments, folder):
    """Jobs of a centre through the launcher: both of them run as without it, and large ones leave a summary."""
    compiler, mpirun = shutil.which(f"mpicc.{arguments.mpi}"), shutil.which(f"mpirun.{arguments.mpi}")
    if compiler is None or mpirun is None:
        print("skipped: needs mpicc and mpirun")
        sys.exit(77)
    (folder / "toy.c").write_text(PROGRAM.replace("SLOWER", "6000000").replace(
        "  MPI_Finalize();\n  return 0;", '  if (argc > 1) for (int i = 0; i < 20000; ++i) MPI_Barrier(MPI_COMM_WORLD);\n'
        '  MPI_Finalize();\n  if (rank != 0) return 0;\n  puts("out");\n  fputs("err\\n", stderr);\n  return 5;').replace(
            "#include <mpi.h>", "#include <mpi.h>\n#include <stdio.h>"))
    run([compiler, "-O1", "-g", "toy.c", "-o", "toy"], folder)
    for name in ("front", "mpi", "spool", "scratch"):
        (folder / name).mkdir()
    (folder / "front/mpirun").symlink_to(arguments.source / "packaging/centre/launcher")
    (folder / "mpi/slackline").symlink_to(arguments.slackline)
    (folder / "mpi/mpirun").write_text(f'#!/bin/sh\nexec {mpirun} "$@"\n')  # MPICH's looks for others beside itself
    (folder / "mpi/mpirun").chmod(0o755)
    environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "PATH": f"{folder}/front:{folder}/mpi:{os.environ['PATH']}",
                   "SLACKLINE_CENTRE_SPOOL": str(folder / "spool"), "SLACKLINE_CENTRE_LEAST": "2",
                   "SLACKLINE_CENTRE_SCRATCH": str(folder / "scratch"), "SLURM_JOB_ID": "17"}

    def job(ranks, *words, given="", processes="2", **more):
        done = subprocess.run(["mpirun", "-n", processes, *(words or ("./toy",))], cwd=folder, capture_output=True, text=True,
                              check=False, input=given, timeout=300, env={**os.environ, **environment, "SLURM_NTASKS": ranks, **more})
        check(os.listdir(folder / "scratch") == [], "scratch is removed")
        kept = sorted((folder / "spool").iterdir())
        summaries = [json.loads(file.read_text()) for file in kept if file.suffix == ".json"]
        check(len(kept) == len(summaries), "only summaries are kept")
        for file in kept:
            file.unlink()
        return done, summaries

    def as_without(done):
        # Open MPI reports the exit status of a rank and ends the others; that is its own output, too.
        return (done.returncode == 5 and done.stdout.startswith("out\n") and "err\n" in done.stderr
                and "slackline" not in done.stdout + done.stderr)

    small, nothing = job("1")
    check(as_without(small) and nothing == [], f"a small job: {small}")
    large, summaries = job("2")
    check(as_without(large) and len(summaries) == 1, f"a large job: {large}, {summaries}")
    check(summaries[0]["job"] == "slurm:17" and summaries[0]["ranks"] == 2, f"{summaries}")
    check(any(f["function"] == "kernel" and f["slowest_ranks"] == [1] for f in summaries[0]["functions"]), f"{summaries}")
    for why, words, more in (("too large", (), {"SLACKLINE_CENTRE_MOST": "1"}), ("off", (), {"SLACKLINE_CENTRE_SPOOL": ""}),
                             ("truncated", ("./toy", "long"), {"SLACKLINE_CENTRE_SIZE": "128KiB"}),
                             ("no scratch", (), {"SLACKLINE_CENTRE_SCRATCH": "/nowhere"}),
                             ("started by another launcher", (), {"SLACKLINE_CENTRE_NESTED": "1"}),
                             ("recorded by its command", ("env", "NAME=SLACKLINE_DIR", "./toy"), {}),
                             ("recorded already", (), {"SLACKLINE_DIR": str(folder / "own")})):
        done, nothing = job("2", *words, **more)
        check(as_without(done) and nothing == [], f"{why}: {done}, {nothing}")
    long, summaries = job("2", "./toy", "long")
    check(as_without(long) and len(summaries) == 1, f"a long job: {long}")
    odd, nothing = job("2(x3)")
    check(as_without(odd) and nothing == [], f"a number that is none: {odd}")
    reader, nothing = job("2", "cat", given="to rank 0\n", processes="1")
    check(reader.stdout == "to rank 0\n" and reader.returncode == 0, f"input: {reader}")
    other, nothing = job("2", "true")
    check(other.returncode == 0 and other.stderr == "" and nothing == [], f"no MPI program: {other}")


def reframe(arguments, folder):
    """What the mixin makes of a job: its command, and its performance variables out of the summary."""
    compiler = shutil.which(f"mpicc.{arguments.mpi}")
    if compiler is None:
        print("skipped: needs mpicc")
        sys.exit(77)
    (folder / "toy.c").write_text(PROGRAM.replace("SLOWER", "6000000"))
    run([compiler, "-O1", "-g", "toy.c", "-o", "toy"], folder)

    def extractsingle(pattern, file, group, convert):
        """As ReFrame: line by line."""
        return next(convert(match[group]) for line in (folder / file).read_text().splitlines()
                    for match in [re.search(pattern, line)] if match)

    names = {"reframe": {"RegressionMixin": object}, "reframe.utility": {},
             "reframe.utility.sanity": {"extractsingle": extractsingle}, "reframe.core": {},
             "reframe.core.builtins": {"performance_function": lambda unit: lambda f: setattr(f, "unit", unit) or f,
                                       "run_before": lambda stage: lambda f: f}}
    for name, members in names.items():
        module = sys.modules[name] = types.ModuleType(name)
        module.__dict__.update(members)
        if "." in name:
            setattr(sys.modules[name.rpartition(".")[0]], name.rpartition(".")[2], module)
    mixin = {}
    file = arguments.source / "packaging/reframe/slackline_mixin.py"
    exec(compile(file.read_text(), str(file), "exec"), mixin)
    test = mixin["SlacklineMixin"]()
    test.keep_files, test.job = [], types.SimpleNamespace(launcher=types.SimpleNamespace())
    test.analyse_in_the_job()
    launcher = test.job.launcher
    check(launcher.modifier == "slackline", "the launcher is slackline's")
    run([arguments.slackline, *launcher.modifier_options, f"mpirun.{arguments.mpi}", "-n", "2", "./toy"], folder,
        OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    check(all((folder / name).exists() for name in test.keep_files) and len(test.keep_files) == 2, "what is kept is there")
    summary = json.loads((folder / "slackline.summary.json").read_text())
    check(abs(test.run_time() - summary["run_times_ns"][0] / 1e9) < 1e-9 and test.run_time.unit == "s", "run time")
    for name, key in (("parallel_efficiency", "parallel_efficiencies"), ("load_balance", "load_balances"),
                      ("serialisation", "serialisations"), ("transfer", "transfers"), ("waiting", "waiting_shares")):
        check(getattr(test, name)() == summary[key][0], name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=["constructed", "recorded", "tables", "centre", "reframe", "pipelines", "recipes"])
    parser.add_argument("--slackline", required=True)
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--source", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="slackline-history-") as folder:
        globals()[arguments.case](arguments, pathlib.Path(folder))


main()
