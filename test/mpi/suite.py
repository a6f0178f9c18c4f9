#!/usr/bin/env python3
"""Records every program of a test suite whose folders list their programs in files `testlist`, as
MPICH's test/mpi does, and compares with the plain run.

    suite.py --folder BUILT --mpi openmpi|mpich [--mpirun PROGRAM] --slackline BINARY --results FILE [--jobs N]
    suite.py --results FILE --table

BUILT is a folder in which the suite was configured and compiled. Each test runs as it is and under
`slackline record`; exit status and "No Errors" must be the same. Then every command reads each
trace, and every format is written and read back. FILE gets one JSON object a line for each test;
tests that it holds already are not repeated. --table prints the Findings by kind with the tests
that have them, and what went wrong."""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

FOLDERS = ("attr,coll,comm,datatype,errhan,errors,group,info,init,io,pt2pt,rma,spawn,threads,topo,"
           "part,f77,f90,f08,cxx")
ANALYSES = ("info", "predict", "wait-states", "critical-path", "report")
READ_BACK = ("slk", "txt", "otf2", "prv", "ti", "goal")
WRITTEN = ("json", "csv", "pftrace")


def listed(folder, below):
    """The tests of a folder's list: (folder, program, ranks, options), lists in lists first to
    last."""
    path = os.path.join(folder, below, "testlist")
    if not os.path.exists(path):
        return
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.partition("#")[0].split()
            if not words or words[0].startswith("!"):
                continue
            inner = os.path.join(below, words[0].rstrip("/"))
            if len(words) == 1 and os.path.isdir(os.path.join(folder, inner)):
                yield from listed(folder, inner)
                continue
            options = collections.defaultdict(list)
            for word in words[2:]:
                key, _, value = word.partition("=")
                options[key].append(value)
            yield below, words[0], int(words[1]) if len(words) > 1 else 2, options


def name_of(test):
    below, program, ranks, options = test
    return " ".join([f"{below}/{program}", str(ranks),
                     *(f"{key}={value}" for key, values in options.items() for value in values
                       if key in ("arg", "env"))])


def run(command, seconds, **more):
    """Exit status (None: did not end in time), what it printed, and how long it took."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out,
                              stderr=subprocess.STDOUT, start_new_session=True, **more) as process:
            try:
                status = process.wait(seconds)
            except subprocess.TimeoutExpired:
                status = None
                for how in (signal.SIGTERM, signal.SIGKILL):
                    try:
                        os.killpg(process.pid, how)
                        process.wait(5)
                        break
                    except (ProcessLookupError, subprocess.TimeoutExpired):
                        pass
        out.seek(0)
        text = out.read(100_000_000).decode(errors="replace")
    return status, text, round(time.monotonic() - begin, 3)


class Suite:
    def __init__(self, arguments):
        self.arguments = arguments
        self.slackline = os.path.abspath(arguments.slackline)
        library = os.path.join(os.path.dirname(self.slackline), "lib", "slackline")
        self.preload = os.path.join(library, "libslackline_yield.so")
        self.lock = threading.Lock()

    def launcher(self, ranks, options, plain):
        command = [self.arguments.mpirun or f"mpirun.{self.arguments.mpi}", "-n", str(ranks)]
        if plain and self.arguments.mpi == "mpich":
            command[1:1] = ["-genv", "LD_PRELOAD", self.preload]
        return command + options["mpiexecarg"]

    def environment(self, options):
        own = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none")
        own.update(value.split("=", 1) for value in options["env"])
        return own

    def run_job(self, test, seconds, record_into=None):
        below, program, ranks, options = test
        command = self.launcher(ranks, options, plain=record_into is None)
        command += [f"./{program}", *options["arg"]]
        if record_into is not None:
            command = [self.slackline, "record", "-q", "--yield", "-o", record_into, "--", *command]
        status, text, took = run(command, seconds, env=self.environment(options),
                                 cwd=os.path.join(self.arguments.folder, below))
        return {"status": status, "seconds": took, "no_errors": "No Errors" in text,
                "tail": "" if status == 0 else text[-600:]}

    def answer(self, entry, command, trace, *more):
        """A command's JSON; None after noting in the entry that it failed."""
        status, text, _ = run([self.slackline, command, trace, *more, "--format", "json"],
                              self.arguments.timeout)
        try:
            if status == 0:
                return json.loads(text[text.index("{"):])
        except ValueError:
            pass
        entry["failed"].append(f"{command} {os.path.basename(trace)}: {status}: {text[-300:]}")
        return None

    def model(self, command, extension="slk"):
        """Some formats hold neither hosts nor the MPI library, by which the model is chosen; in a GOAL file,
        collectives are messages."""
        if command != "predict":
            return []
        collectives = [] if extension == "goal" else ["--collectives", self.arguments.mpi]
        return ["--network", "shared-memory", *collectives]

    def read(self, trace, folder):
        entry = {"name": os.path.basename(trace), "findings": {}, "failed": [], "drift": {},
                 "bytes": os.path.getsize(trace)}
        makespan = None
        for command in ANALYSES:
            said = self.answer(entry, command, trace, *self.model(command))
            if said is None:
                continue
            for finding in said["findings"]:
                entry["findings"].setdefault(finding["name"], [
                    finding["severity"], finding["count"], command, finding["examples"][:1]])
            if command == "predict":
                makespan = said["result"]["makespan_ns"]
        for extension in READ_BACK + WRITTEN:
            out = os.path.join(folder, f"converted.{extension}")
            written = self.answer(entry, "convert", trace, out)
            if written is not None and extension in READ_BACK:
                read = self.answer(entry, "predict", out, *self.model("predict", extension))
                if read is not None and makespan:
                    entry["drift"][extension] = [
                        round(read["result"]["makespan_ns"] / makespan - 1, 6),
                        sorted({f["name"] for f in written["findings"] + read["findings"]
                                if f["severity"] != "info"} - set(entry["findings"]))]
            for name in os.listdir(folder):  # OTF2 and Paraver have several files
                if name.startswith("converted"):
                    path = os.path.join(folder, name)
                    (shutil.rmtree if os.path.isdir(path) else os.remove)(path)
        return entry

    def judge(self, test):
        below, program = test[:2]
        result = {"mpi": self.arguments.mpi, "test": name_of(test), "traces": []}
        if not os.path.exists(os.path.join(self.arguments.folder, below, program)):
            return {**result, "verdict": "not built"}
        result["plain"] = plain = self.run_job(test, self.arguments.timeout)
        if plain["status"] is None:
            return {**result, "verdict": "plain run does not end"}
        folder = tempfile.mkdtemp(prefix="slackline-suite-")
        try:
            output = os.path.join(folder, "trace")
            result["recorded"] = recorded = self.run_job(
                test, 60 + 5 * plain["seconds"], record_into=output)
            alike = all(plain[key] == recorded[key] for key in ("status", "no_errors"))
            result["verdict"] = "alike" if alike else "different"
            if not alike:  # some tests end in more than one way by themselves
                result["again"] = [self.run_job(test, self.arguments.timeout) for _ in range(3)]
            if os.path.isdir(output):
                result["traces"] = [self.read(os.path.join(output, name), folder)
                                    for name in sorted(os.listdir(output))
                                    if name.endswith(".slk")]
                result["left"] = [name for name in os.listdir(output) if not name.endswith(".slk")]
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return result

    def write(self, test):
        result = self.judge(test)
        if result["verdict"] == "not built":  # may be by the next time
            return
        with self.lock, open(self.arguments.results, "a", encoding="utf-8") as out:
            out.write(json.dumps(result) + "\n")
        print(f"{result['verdict']:12} {result['test']}", flush=True)


def done_already(path, mpi):
    return {entry["test"] for entry in results(path) if entry["mpi"] == mpi}


def results(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def print_table(path):
    entries = results(path)
    verdicts = collections.Counter((e["mpi"], e["verdict"]) for e in entries)
    for (mpi, verdict), count in sorted(verdicts.items()):
        print(f"{mpi:8} {verdict:24} {count}")
    tests = collections.defaultdict(list)
    for entry in entries:
        label = f"{entry['mpi']}: {entry['test']}"
        if entry["verdict"] == "different":
            statuses = [run["status"] for run in entry.get("again", [])]
            tests["DIFFERENT ENDING"].append(
                f"{label} plain {entry['plain']['status']} recorded "
                f"{entry['recorded']['status']} again {statuses}")
        for left in entry.get("left", []):
            tests["RAW FILES LEFT"].append(f"{label}: {left}")
        for trace in entry["traces"]:
            for failed in trace["failed"]:
                tests["COMMAND FAILED"].append(f"{label}: {failed}")
            for kind, (severity, count, _, examples) in trace["findings"].items():
                tests[f"{severity} {kind}"].append(f"{label} ({count}): {''.join(examples)[:160]}")
            for extension, (drift, said) in trace["drift"].items():
                if abs(drift) > 0.001:
                    kind = "DRIFT" if said else "SILENT DRIFT"
                    tests[f"{kind} {extension}"].append(
                        f"{label}: {100 * drift:+.2f} % {' '.join(said)}")
    for kind, labels in sorted(tests.items()):
        print(f"\n## {kind}: {len(labels)}")
        for label in labels[:60]:
            print(f"  {label}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", help="where the suite was built")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"))
    parser.add_argument("--mpirun", help="its launcher, if it is not mpirun.MPI")
    parser.add_argument("--slackline", help="the program")
    parser.add_argument("--results", required=True, help="JSON lines, appended to")
    parser.add_argument("--only", default=FOLDERS, help="folders of tests, separated by commas")
    parser.add_argument("--match", default="", help="regular expression in the tests' names")
    parser.add_argument("--once", action="store_true",
                        help="of each program only the first line of its list")
    parser.add_argument("--jobs", type=int, default=1, help="tests at the same time")
    parser.add_argument("--timeout", type=float, default=60, help="seconds of a plain run")
    parser.add_argument("--table", action="store_true", help="print the table, run nothing")
    arguments = parser.parse_args()
    if arguments.table:
        print_table(arguments.results)
        return
    if not (arguments.folder and arguments.mpi and arguments.slackline):
        sys.exit("suite.py: --folder, --mpi and --slackline are needed to run tests")
    arguments.folder = os.path.abspath(arguments.folder)
    suite = Suite(arguments)
    known = done_already(arguments.results, arguments.mpi)
    tests = {}
    programs = set()
    for folder in arguments.only.split(","):
        for test in listed(arguments.folder, folder):
            again = arguments.once and test[:2] in programs
            programs.add(test[:2])
            if not again and name_of(test) not in known and re.search(arguments.match,
                                                                      name_of(test)):
                tests.setdefault(name_of(test), test)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(suite.write, tests.values()))


if __name__ == "__main__":
    main()
