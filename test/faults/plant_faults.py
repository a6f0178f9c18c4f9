#!/usr/bin/env python3
"""Plants one-line faults in the program and says which of them no test notices.

The faults are drawn by a seed: a comparison that is off by one or reversed, a condition negated, an operator or a
constant exchanged, a statement left out. All are compiled into one build of a copy of the sources, each behind a
switch that the environment sets, so a fault costs a run of tests and not a build. A first run without faults finds
which tests execute which fault; these alone are run with it, the quickest first, until one fails.

A fault that survives is either a gap in the tests, or it changes nothing that can be observed: faults known as such
are listed with their reasons in equivalent.txt beside this file.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = ["calls", "timing", "graph", "sim", "analysis", "whatif", "page"]
# Tests of the text of sources, those that take a browser or minutes, and sweeps that compare no figures.
LEFT_OUT = re.compile(r"^(structure/|golden/help/|fresh_machine|package|documentation/|web_|fuzz_|python$|schema$|arrow$"
                      r"|extreme_values|training_jobs|corpus/every_command|special_files)")
SLOW_LABELS = {"mpi", "long"}
# Statements without an effect that a test could see.
NO_EFFECT = re.compile(r"reserve\(|shrink_to_fit|assert|progress|Progress|prefetch|expect\(|interrupt")
MEMORY = 4 << 30  # of each test: a loop without end must not take the machine's
SWITCH = """#pragma once
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <string>
namespace planted_faults {
inline bool reached[%d];
inline const int chosen = std::getenv("SLACKLINE_FAULT") ? std::atoi(std::getenv("SLACKLINE_FAULT")) : -1;
struct Log {
  ~Log() {
    const char* folder = std::getenv("SLACKLINE_FAULTS_REACHED");
    if (folder == nullptr) return;
    const std::string path = std::string(folder) + "/" + std::to_string(getpid());
    if (std::FILE* file = std::fopen(path.c_str(), "a")) {
      for (int i = 0; i < %d; ++i) {
        if (reached[i]) std::fprintf(file, "%%d\\n", i);
      }
      std::fclose(file);
    }
  }
};
inline Log log;
inline bool fault(int i) {
  reached[i] = true;
  return i == chosen;
}
}  // namespace planted_faults
"""


def closing(text, begin):
    """The position of the parenthesis that closes the one at `begin`, or -1."""
    depth = 0
    for i in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return -1


EXCHANGES = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
             (" && ", " || "), (" || ", " && "), (" + ", " - "), (" - ", " + "), (" * ", " / "),
             ("std::max(", "std::min("), ("std::min(", "std::max("), (" 1", " 2"), ("(0", "(1"), ("true", "false"),
             ("false", "true")]


def changed(expression):
    """All that one exchange makes of an expression."""
    for old, new in EXCHANGES:
        for found in re.finditer(re.escape(old) + (r"(?![\w.'])" if old[-1].isalnum() else ""), expression):
            yield expression[:found.start()] + new + expression[found.end():]


DECLARATION = re.compile(r"^(\s*(?:const )?(?:auto|double|bool|(?:std::)?u?int\w*|std::size_t) \w+ = )(.*);$")
ASSIGNMENT = re.compile(r"^(\s*)([\w.\[\]>-]+ [-+]?= )(.*);$")
RETURN = re.compile(r"^(\s*(?:if \(.*\) )?return )(.*);$")
CALL = re.compile(r"^(\s*)((?:\+\+|--)?[\w.\[\]>-]+(?:\(.*\))?|[\w.\[\]>-]+ [-+|&]?= .*);$")


def faults_of(line, starts_statement):
    """What may stand for a line: texts with {n} for the fault's number."""
    switch = "planted_faults::fault({n})"
    code = line.rstrip("\n")
    if "//" in code or '"' in code or "{" in code.rstrip("{ ") or "constexpr" in code or NO_EFFECT.search(code):
        return
    condition = re.match(r"^(\s*(?:\} else )?(?:if|while) )\(", code)
    if condition:
        begin = condition.end() - 1
        end = closing(code, begin)
        inner = code[begin + 1:end]
        if end > 0 and ";" not in inner and " = " not in inner:
            for other in [*changed(inner), f"!({inner})"]:
                yield f"{condition.group(1)}({switch} ? static_cast<bool>({other}) : static_cast<bool>({inner})){code[end + 1:]}"
    if returned := RETURN.match(code):
        for other in changed(returned.group(2)):
            yield f"{returned.group(1)}{switch} ? ({other}) : ({returned.group(2)});"
    if not starts_statement:
        return
    if declared := DECLARATION.match(code):
        for other in changed(declared.group(2)):
            yield f"{declared.group(1)}{switch} ? ({other}) : ({declared.group(2)});"
    elif assigned := ASSIGNMENT.match(code):
        for other in changed(assigned.group(3)):
            yield f"{assigned.group(1)}{assigned.group(2)}{switch} ? ({other}) : ({assigned.group(3)});"
    if (left_out := CALL.match(code)) and not re.match(r"\s*(return|break|continue|using|const|auto)\b", code):
        yield f"{left_out.group(1)}if (!{switch}) {left_out.group(2)};"


def candidates(source, folder):
    """(file, line from 0, text) of all that can be planted in src/FOLDER."""
    for path in sorted((source / "src" / folder).rglob("*.cc")):
        if path.name.endswith("_test.cc") or "testing" in path.parts:
            continue
        before = "{"
        for number, line in enumerate(path.read_text().splitlines()):
            for text in faults_of(line, before.endswith((";", "{", "}", ":"))):
                yield path.relative_to(source), number, text
            if line.strip() and not line.strip().startswith("//"):
                before = line.rstrip()


class Plan:
    """The faults that are planted, and the copy of the sources that has them."""

    def __init__(self, source, copy, count, seed, folders):
        self.copy, self.original = copy, {}
        draw = random.Random(seed)
        self.left = {folder: draw.sample(found := list(candidates(source, folder)), len(found)) for folder in folders}
        self.faults = {}  # by number: file, line, text
        self.numbers = 0
        for i in range(count):
            self.add(folders[i % len(folders)])

    def add(self, folder):
        taken = {(file, line) for file, line, _ in self.faults.values()}
        while self.left[folder]:
            file, line, text = self.left[folder].pop()
            if (file, line) not in taken:
                self.faults[self.numbers] = (file, line, text)
                self.numbers += 1
                return

    def replace(self, number):
        """A fault that does not compile gives way to another one of its folder."""
        file, _, _ = self.faults.pop(number)
        self.add(file.parts[1])

    def write(self):
        self.write_file(pathlib.Path("src/planted_faults.h"), SWITCH % (self.numbers, self.numbers))
        by_file = {}
        for number, (file, line, text) in self.faults.items():
            by_file.setdefault(file, []).append((number, line, text))
        for file in [*by_file, *self.original]:
            path = self.copy / file
            lines = self.original.setdefault(file, path.read_text()).splitlines()
            for number, line, text in by_file.get(file, []):
                lines[line] = text.replace("{n}", str(number))
            if file in by_file:  # the first line stays the first for the compiler's messages
                lines[0] = f'#include "planted_faults.h"  // {lines[0]}' if lines[0].startswith("//") else \
                    f'#include "planted_faults.h"\n#line 1\n{lines[0]}'
            self.write_file(file, "\n".join(lines) + "\n")

    def write_file(self, file, text):
        path = self.copy / file
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def build(plan, build_folder, jobs):
    """Builds, replacing what does not compile. Nothing is timed, and less optimisation takes half the time."""
    subprocess.run(["cmake", "--preset", "release", "-S", plan.copy, "-B", build_folder, "-DSLACKLINE_RUNTIME=OFF",
                    "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG -w"], check=True, cwd=plan.copy, stdout=subprocess.DEVNULL)
    environment = dict(os.environ, CCACHE_BASEDIR=str(plan.copy), CCACHE_NOHASHDIR="1")
    while True:
        plan.write()
        made = subprocess.run(["ninja", "-C", build_folder, "-k", "0", "-j", str(jobs)], stdout=subprocess.PIPE, text=True,
                              env=environment)
        if made.returncode == 0:
            return
        wrong = set()
        for file, line in re.findall(r"(src/[\w/]+\.cc):(\d+):\d+: error", made.stdout):
            wrong |= {n for n, f in plan.faults.items() if str(f[0]) == file and abs(f[1] + 1 - int(line)) <= 1}
        if not wrong:
            sys.exit("plant_faults: the copy does not build:\n" + made.stdout[made.stdout.find("FAILED"):][:4000])
        print(f"{len(wrong)} faults do not compile and are replaced", flush=True)
        for number in sorted(wrong):
            plan.replace(number)


def tests_of(build_folder):
    """Name and (command, folder, environment): a GoogleTest program is one test."""
    shown = subprocess.run(["ctest", "--test-dir", build_folder, "--show-only=json-v1"], stdout=subprocess.PIPE, check=True)
    tests = {}
    for test in json.loads(shown.stdout)["tests"]:
        properties = {p["name"]: p["value"] for p in test["properties"]}
        command = test.get("command", [])
        if not command or LEFT_OUT.search(test["name"]) or SLOW_LABELS & set(properties.get("LABELS", [])):
            continue
        name = test["name"]
        if any(a.startswith("--gtest_filter") for a in command):
            command = [command[0], "--gtest_brief=1", "--gtest_fail_fast"]
            name = os.path.relpath(command[0], build_folder)
        environment = dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))
        tests[name] = (command, properties.get("WORKING_DIRECTORY", build_folder), environment)
    return tests


def passes(test, variables, limit):
    command, folder, environment = test
    try:
        return subprocess.run(command, cwd=folder, env=dict(os.environ, **environment, **variables), timeout=limit,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def reached_by(test):
    """The faults that a test executes, and its time; None if it fails without any."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        if not passes(test, {"SLACKLINE_FAULTS_REACHED": folder}, 1200):
            return None
        reached = {int(n) for file in pathlib.Path(folder).iterdir() for n in file.read_text().split()}
        return reached, time.monotonic() - begin


def noticed_by(number, fault, tests, reached):
    """The first test that fails with a fault, or None."""
    folder = f"src/{fault[0].parts[1]}/"
    chosen = [name for name in tests if number in reached[name][0]]
    for name in sorted(chosen, key=lambda name: (not name.startswith(folder), reached[name][1])):
        if not passes(tests[name], {"SLACKLINE_FAULT": str(number)}, 30 + 5 * reached[name][1]):
            return name
    return None


def report(plan, number, test, reached):
    """Says what became of a fault; whether it was noticed or changes nothing."""
    file, line, text = plan.faults[number]
    before = plan.original[file].splitlines()[line].strip()
    if test is None and f"{file}: {before}" in (HERE / "equivalent.txt").read_text():
        test = "nothing, as it changes nothing"
    ran = any(found is not None and number in found[0] for found in reached.values())
    outcome = f"noticed by {test}" if test else "SURVIVES" if ran else "SURVIVES, never executed"
    print(f"{file}:{line + 1}: {outcome}", flush=True)
    if not test:
        print(f"    {before}\n    {text.strip().replace('{n}', str(number))}", flush=True)
    return test is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, default=HERE.parent.parent)
    parser.add_argument("--build", type=pathlib.Path, help="folder for the copy and its build; default: build/faults")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--folders", nargs="+", default=FOLDERS, help="of src/; default: %(default)s")
    options = parser.parse_args()
    source = options.source.resolve()
    base = (options.build or source / "build/faults").resolve()
    copy, build_folder = base / "source", base / "build"
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=source, check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    for name in filter(None, listed.split("\0")):
        target = copy / name
        if (source / name).is_file() and (not target.exists() or target.read_bytes() != (source / name).read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target)
    plan = Plan(source, copy, options.count, options.seed, options.folders)
    build(plan, build_folder, options.jobs)
    tests = tests_of(build_folder)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        reached = dict(zip(tests, pool.map(reached_by, tests.values())))
        for name in [name for name, found in reached.items() if found is None]:
            print(f"left out, as it fails without a fault: {name}", flush=True)
            del tests[name]
        numbers = sorted(plan.faults)
        noticed = pool.map(lambda n: noticed_by(n, plan.faults[n], tests, reached), numbers)
        survivors = sum(not report(plan, number, test, reached) for number, test in zip(numbers, noticed))
    print(f"{len(numbers)} faults, {survivors} survive")
    return survivors >= max(1, len(numbers) // 20)


if __name__ == "__main__":
    sys.exit(main())
