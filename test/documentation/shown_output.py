#!/usr/bin/env python3
"""Compares what the README, the tutorial and the page on topologies show with what the commands print today.

Command lines in blocks begin with "$ ". The lines below one must be printed by it in this order; where "..." stands,
others may be. In the tutorial and on topologies, each figure with a unit in the text and its tables must be printed by
one of the page's commands, and no quotation holds figures. Jobs are not run: their times vary.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from run_examples import TRACES

PAGES = {"README.md": False, "doc/tutorial.md": True, "doc/topologies.md": True}  # are figures in its text checked?
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
JOB = re.compile(r" -- |mpirun")
OF_SLACKLINE = re.compile(r"(build/)?slackline |for ")
FIGURE = re.compile(r"(?<![\w.:=])\d[\d.,]*(?:\s?%|\s(?:ns|us|ms|pp|KiB|MiB)\b)")


def commands_of(block):
    """(command line, lines shown below it)"""
    shown = []
    for line in block.replace("\\\n", "").splitlines():
        if line.startswith("$ "):
            shown.append((re.sub(r"\s+#.*", "", line[2:]), []))
        elif shown:
            shown[-1][1].append(line)
        elif line.strip():
            yield None, [line]
            return
    yield from shown


def missing_line(shown, printed):
    """The first of the lines that is not printed where it should be; None: all are."""
    at, skipping = 0, True  # what comes first may be left out
    for line in shown:
        if line.strip() == "...":
            skipping = True
            continue
        found = printed.index(line, at) if line in printed[at:] else None
        if found is None or (found > at and not skipping):
            return line
        at, skipping = found + 1, False
    return None


def one_space(text):
    return " ".join(text.split())


class Folder:
    """Where the pages' names stand for traces of the source tree."""

    def __init__(self, folder, binary, source):
        self.path = folder
        for name, trace in TRACES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / "examples/traces" / trace, folder / name)
        (folder / "examples").symlink_to(source / "examples")
        (folder / "build").mkdir()
        (folder / "build/slackline").symlink_to(binary)

    def run(self, line):
        environment = dict(os.environ, PATH=f"{self.path}/build:{os.environ['PATH']}", TMPDIR=str(self.path))
        return subprocess.run(["bash", "-c", "set -euo pipefail; " + line], cwd=self.path, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True, timeout=300).stdout


def check(page, text, figures, folder):
    printed, commands = "", ""
    for language, block in BLOCK.findall(text):
        if language not in ("", "console"):
            continue
        for command, shown in commands_of(block):
            if command is None:
                yield f"{page} shows output without its command: {shown[0]}"
                continue
            commands += command + "\n"
            if not OF_SLACKLINE.match(command) or JOB.search(command):
                if shown:
                    yield f"{page} shows what '{command}' prints, which varies"
                continue
            if not shown and not figures:
                continue
            output = folder.run(command)
            printed += output + "\n"
            missing = missing_line(shown, output.splitlines())
            if missing is not None:
                yield f"{page} shows, of '{command}', what is not printed there: {missing}"
    if not figures:
        return
    for line in text.splitlines():
        if line.startswith("> ") and FIGURE.search(line):
            yield f"{page} quotes figures: {line}"
    prose, known = one_space(BLOCK.sub("", text)), one_space(printed) + " " + one_space(commands)
    for figure in sorted(set(FIGURE.findall(prose))):
        if not re.search(r"(?<![\d.,])" + re.escape(figure).replace("%", r"%"), known):
            yield f"{page} has a figure that none of its commands prints: {figure}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    complaints = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Folder(pathlib.Path(temporary), arguments.binary, arguments.source)
        for page, figures in PAGES.items():
            complaints += check(page, (arguments.source / page).read_text(), figures, folder)
    print("\n".join(complaints) if complaints else "all figures are of today")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
