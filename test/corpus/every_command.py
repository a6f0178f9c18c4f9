#!/usr/bin/env python3
"""Every command with its least arguments on every input: an answer, or one sentence why not.

    every_command.py --slackline BINARY [INPUT...]

An answer is status 0, JSON, and no prediction of 0 s for a program that does something. A refusal is status 1 or 2 with
one sentence of the form "problem: reason. What to do.", whose reason may be an indented list. Never a signal, and never
longer than a minute. No column of an answer in CSV has the name of another. Without INPUT: the traces, programs and profiles of this repository, damaged ones included."""
import argparse
import concurrent.futures
import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLATFORM = os.path.join(SOURCE, "examples", "platforms", "fat-tree.toml")
SECONDS = 60
# Arguments behind the input. {out} is a name in a folder of the command's own.
COMMANDS = {
    "info": [], "print": None, "query": ["SELECT count(*) FROM calls"], "convert": ["{out}.slk"],
    "predict": [], "sensitivity": ["--from", "0us", "--to", "10us"], "tolerance": [], "critical-path": [],
    "simulate": ["--platform", PLATFORM, "--timed", "{out}.slk"], "efficiency": [], "wait-states": [], "hotspots": [],
    "monitor": [], "place": ["--topology", "fat-tree"], "whatif": ["--set", "balance"], "gains": [], "advise": [],
    "diff": ["{input}"], "report": [],
}
# Runs that are not the measured one.
MORE = [("predict", ["--collectives", "allreduce=ring"]), ("predict", ["-S", "0"]), ("predict", ["--model", "loggops"]),
        *((command, ["--on", on, *platform]) for command in ("wait-states", "critical-path", "efficiency", "monitor", "hotspots")
          for on, platform in (("predicted", []), ("simulated", ["--platform", PLATFORM]))),
        ("whatif", ["--set", "scale factor=1", "--platform", PLATFORM]),
        ("convert", ["{out}.otf2"]), ("convert", ["{out}.prv"]), ("convert", ["{out}.goal"]), ("convert", ["{out}.txt"])]


def inputs():
    found = glob.glob(os.path.join(SOURCE, "examples", "traces", "*.slk"))
    found += glob.glob(os.path.join(SOURCE, "examples", "simulation", "*.ti"))
    found += glob.glob(os.path.join(SOURCE, "test", "golden", "inputs", "*"))
    corpus = os.path.join(SOURCE, "test", "fuzz", "corpus")
    found += [os.path.join(folder, name) for folder, _, names in os.walk(corpus) for name in names]
    return sorted(found)


def predictions(tree, key=""):
    """All run times that an answer predicts or simulates."""
    if isinstance(tree, dict):
        for name, value in tree.items():
            yield from predictions(value, name)
    elif isinstance(tree, list):
        for value in tree:
            yield from predictions(value, key)
    elif key in ("makespan_ns", "simulated_ns") and tree is not None:
        yield tree


def does_something(slackline, path):
    """Whether a program has computation or messages that take time."""
    ran = subprocess.run([slackline, "print", path], capture_output=True, text=True, check=False, errors="replace",
                         timeout=SECONDS)
    if ran.returncode != 0:
        return True
    alone = "ranks=1\n" in ran.stdout[:ran.stdout.find("\n") + 1]
    return re.search(r" compute [1-9]| \+[1-9]", ran.stdout) is not None or ("bytes=" in ran.stdout and not alone)


def ask(slackline, command, words, path):
    """What was answered, or None if there is no end."""
    with tempfile.TemporaryDirectory(prefix="slackline-corpus-") as folder:
        words = [word.replace("{out}", os.path.join(folder, "out")).replace("{input}", path) for word in words]
        try:
            return subprocess.run([slackline, command, path, *words], capture_output=True, text=True, cwd=folder,
                                  timeout=SECONDS, stdin=subprocess.DEVNULL, check=False, errors="replace")
        except subprocess.TimeoutExpired:
            return None


def columns_named_twice(text):
    """By the tables of an answer in CSV: the first row, or that after each line with a name."""
    rows = list(csv.reader(text.splitlines()))
    tables = [i + 1 for i, row in enumerate(rows[:-1]) if row and row[0].startswith("# ")] or [0]
    return sorted({name for i in tables for name in rows[i] if rows[i].count(name) > 1})


def defect(slackline, command, arguments, path, active):
    """What is wrong with the answer; None if nothing is."""
    ran = ask(slackline, command, [*(arguments or []), *([] if arguments is None else ["--format", "json"])], path)
    if ran is None:
        return f"no end in {SECONDS} s"
    if ran.returncode in (1, 2):
        lines = ran.stderr.strip().splitlines()
        # The reason may be a list, a line for each rank, as that of a deadlock is.
        good = (bool(lines) and lines[0].startswith("slackline: ") and ": " in lines[0][11:] and lines[-1].endswith(".") and
                all(line.startswith("  ") for line in lines[1:]))
        return None if good else f"status {ran.returncode} without one sentence: {ran.stderr.strip()[-200:]!r}"
    if ran.returncode != 0:
        return f"status {ran.returncode}: {ran.stderr.strip()[-200:]}"
    if arguments is None:
        return None
    try:
        answer = json.loads(ran.stdout)
    except ValueError as error:
        return f"no JSON: {error}"
    if active and command in ("predict", "simulate", "whatif", "gains", "advise", "critical-path", "tolerance"):
        if 0 in predictions(answer["result"]):
            return "status 0 and a run time of 0 s"
    if command != "convert" and path.startswith(os.path.join(SOURCE, "examples", "traces")):
        twice = columns_named_twice(ask(slackline, command, [*arguments, "--format", "csv"], path).stdout)
        return f"CSV with columns of one name: {twice}" if twice else None
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slackline", required=True, type=os.path.abspath)
    parser.add_argument("--every", type=int, default=1, metavar="K", help="take one of K inputs only")
    parser.add_argument("inputs", nargs="*")
    options = parser.parse_args()
    chosen = (options.inputs or inputs())[::options.every]
    if not chosen:
        sys.exit("no inputs")
    count = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path in map(os.path.abspath, chosen):
            active = does_something(options.slackline, path)
            asked = [*COMMANDS.items(), *MORE]
            answers = pool.map(lambda one, at=path, does=active: defect(options.slackline, *one, at, does), asked)
            for (command, arguments), wrong in zip(asked, answers):
                count += 1
                if wrong is not None:
                    failed += 1
                    print(f"{command} {os.path.relpath(path, SOURCE)} {' '.join(arguments or [])}: {wrong}")
    print(f"{count} answers, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
