#!/usr/bin/env python3
"""Runs golden files: transcripts of commands with the stdout, stderr and exit status they must have.

A golden file looks like a terminal:

    # What the test is for (comment lines, only at the top).
    # mask: REGEX        what differs from run to run, replaced by *** on both sides
    $ slackline predict inputs/pair.slt -L 3us
    ...stdout...
    [stderr]
    ...stderr, which must be empty when this part is missing...
    [exit 2]

Commands run by bash in an empty folder that has `inputs` (test/golden/inputs) and `traces`
(examples/traces) in it and the binary under test in its PATH. Output lines that would look like one
of the markers are written with a backslash before them.

usage: run.py --binary SLACKLINE FILE...            compare
       run.py --binary SLACKLINE --approve FOLDER   rewrite all goldens with today's output, and add
                                                    those of --help that are missing
       run.py --binary SLACKLINE --check-help FOLDER   every command has a golden of its --help
"""
import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MARKER = re.compile(r"^\\*(\$ |\[stderr\]$|\[exit \d+\]$)")
VERSION = (re.compile(r"(slackline |\"version\": \")\d+\.\d+\.\d+"), r"\1VERSION")


def escape(line):
    return "\\" + line if MARKER.match(line) else line


def block(text):
    if text and not text.endswith("\n"):
        text += "[no newline at the end]\n"
    return [escape(line) for line in text.splitlines()]


class Golden:
    def __init__(self, path):
        self.path = path
        lines = path.read_text().splitlines()
        head = 0
        while head < len(lines) and lines[head].startswith("#"):
            head += 1
        self.head = lines[:head]
        self.masks = [re.compile(line[len("# mask: "):]) for line in self.head
                      if line.startswith("# mask: ")]
        self.commands = [line[2:] for line in lines[head:] if line.startswith("$ ")]
        self.expected = lines

    def masked(self, text):
        text = VERSION[0].sub(VERSION[1], text)
        for mask in self.masks:
            text = mask.sub("***", text)
        return text

    def actual(self, binary):
        lines = list(self.head)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(HERE / "inputs", f"{folder}/inputs")
            os.symlink(HERE.parent.parent / "examples" / "traces", f"{folder}/traces")
            for command in self.commands:
                lines += self.transcript(command, binary, folder)
        return lines

    def transcript(self, command, binary, folder):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("NO_COLOR", "CLICOLOR_FORCE")}
        environment.update(PATH=f"{binary.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8",
                           TERM="dumb")
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                              errors="backslashreplace", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                              check=False)
        lines = ["$ " + command] + block(self.masked(done.stdout))
        if done.stderr:
            lines += ["[stderr]"] + block(self.masked(done.stderr))
        if done.returncode != 0:
            lines += [f"[exit {done.returncode}]"]
        return lines


def compare(files, binary):
    failed = 0
    for path in files:
        golden = Golden(path)
        if not golden.commands:
            print(f"{path}: no command in it")
            failed += 1
            continue
        difference = list(difflib.unified_diff(golden.expected, golden.actual(binary),
                                               str(path), "now", lineterm=""))
        if difference:
            print("\n".join(difference))
            failed += 1
    return 1 if failed else 0


def command_names(binary):
    text = subprocess.run([binary, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.findall(r"^(?:[A-Z][a-z]+)? +([a-z]+)  ", text, re.MULTILINE)


def help_goldens(folder, binary):
    for name in command_names(binary):
        yield folder / "help" / f"{name}.golden", f"# --help of {name}\n$ slackline {name} --help\n"
    yield folder / "help" / "slackline.golden", "# The list of commands\n$ slackline --help\n"


def check_help(folder, binary):
    expected = {path for path, _ in help_goldens(folder, binary)}
    present = set((folder / "help").glob("*.golden"))
    for path in sorted(expected - present):
        print(f"{path} is missing; './dev approve' writes it")
    for path in sorted(present - expected):
        print(f"{path} belongs to no command")
    return 0 if expected == present else 1


def approve(folder, binary):
    for path, text in help_goldens(folder, binary):
        if not path.exists():
            path.write_text(text)
    for path in sorted(folder.rglob("*.golden")):
        golden = Golden(path)
        lines = golden.actual(binary)
        if lines != golden.expected:
            path.write_text("\n".join(lines) + "\n")
            print(f"rewritten: {path}")
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=pathlib.Path, required=True)
    parser.add_argument("--approve", action="store_true")
    parser.add_argument("--check-help", action="store_true")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    binary = options.binary.absolute()
    if options.approve:
        return approve(options.paths[0], binary)
    if options.check_help:
        return check_help(options.paths[0], binary)
    return compare(options.paths, binary)


if __name__ == "__main__":
    sys.exit(main())
