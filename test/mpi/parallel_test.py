#!/usr/bin/env python3
"""Tests of commands that a launcher starts as several processes: one answer, that of one process."""
import json
import os
import re
import shutil
import subprocess
import time

from recording import check, run_case
from space_test import small_disk

COUNTS = (1, 2, 3, 4, 7)
SLEEPS = 200
HERE = os.path.dirname(os.path.abspath(__file__))
TRACE = os.path.join(HERE, "..", "..", "examples", "traces", "stencil2d.slk")


def launched(test, count, *words, environment=None, wrapper=()):
    command = [*test.launcher(count), *wrapper, test.arguments.slackline, *words]
    return test.run(command, **(environment or {}))


def said(done):
    """What slackline itself says on standard error; launchers add their own."""
    return [line for line in done.stderr.splitlines()
            if line.startswith("slackline: ") and not line.startswith("slackline: note: ")]


def same_answer(test, counts, *words):
    alone = test.slackline(*words)
    for count in counts:
        together = launched(test, count, *words)
        check(together.stdout == alone.stdout, f"{words} of {count} processes says something else")
        check(together.returncode == alone.returncode, f"{words}: status {together.returncode}")


def case_output(test):
    for command in ("info", "efficiency"):  # done by the first process, and by all
        check("[1m" not in launched(test, 2, command, TRACE).stdout, "colours, where a launcher collects the output")
    test.environment["NO_COLOR"] = "1"  # Open MPI gives a job of one process a terminal
    for form in ("json", "text"):
        same_answer(test, COUNTS, "efficiency", TRACE, "--format", form)
    same_answer(test, (2,), "predict", TRACE)
    same_answer(test, (2,), "print", TRACE)


def case_shared(test):
    """Each process has stretches of the run, and they meet a few times, however long it is."""
    for command, most in (("efficiency", 20), ("waits", 30), ("path", 40), ("phases", 30), ("predict", 30), ("tolerance --no-cache", 35),
                          ("sensitivity --no-cache", 35)):
        words = (*command.split(), TRACE, "--format", "json")
        alone = test.slackline(*words)
        for count in (2, 3):
            done = launched(test, count, *words, environment={"SLACKLINE_PARALLEL": "costs"})
            check(done.stdout == alone.stdout, "another answer")
            costs = re.findall(r"process \d+: .* (\d+) exchanges, (\d+) bytes sent", done.stderr)
            check(len(costs) == count, f"{costs}")
            check(all(5 < int(exchanges) < most and int(sent) > 500 for exchanges, sent in costs), f"{costs}")
    # Where stretches would not do, the first process has it all.
    same_answer(test, (3,), "efficiency", TRACE, TRACE, "--format", "json")
    same_answer(test, (3,), "efficiency", TRACE, "--on", "predicted", "--format", "json")


def case_stretches(test):
    """A recording made today, with call paths and CPU times, is analysed in a fraction of the memory that it needs
    whole, by one process and by three."""
    check(test.record([*test.launcher(4), test.program("stencil2d"), "100", "90", "60"]).returncode == 0, "recorded")
    for command in ("path", "efficiency", "waits", "phases"):
        words = (command, test.output, "--format", "json")
        check(test.slackline(*words).returncode == 0, "whole")
        for interval in ("common", "program", "run", "2ms..5ms"):
            chosen = () if command == "path" else ("--interval", interval)
            answers = {test.slackline(*words, *chosen, "--memory", memory).stdout
                       for memory in ("1GiB", "240KiB", "150KiB")}
            check(len(answers) == 1 and "" not in answers, f"{command} {interval}: {len(answers)} answers")
        same_answer(test, (1, 3), *words)
        same_answer(test, (2,), *words, "--memory", "200KiB")
    # The algorithms for the path find the same in stretches, whoever has them.
    words = ("path", test.output, "--algorithm", "all", "--format", "json")
    lengths = [[(row["algorithm"], row["path_ns"]) for row in json.loads(said.stdout)["result"]["algorithms"]]
               for said in (test.slackline(*words), test.slackline(*words, "--memory", "400KiB"), launched(test, 3, *words))]
    check(lengths[0] == lengths[1] == lengths[2] and len(lengths[0]) == 7, f"{lengths}")
    # A report has what these commands say, and the same of the data's quality.
    report = ("report", test.output, "--format", "json", "--memory", "400KiB")
    for interval in ("common", "program", "run", "2ms..5ms"):
        large = json.loads(test.slackline(*report, "--interval", interval).stdout)
        asked = json.loads(test.slackline(*report[:-2], "--measured", "--interval", interval).stdout)
        check(asked["result"] == large["result"], "asked for, it is another report")
        measured = large["result"]["measured"]
        alone = {command: json.loads(test.slackline(command, test.output, "--format", "json", *chosen).stdout)
                 for command, chosen in (("path", ()), ("efficiency", ("--interval", interval)),
                                         ("waits", ("--interval", interval)))}
        del alone["path"]["result"]["segments"]
        check(measured["wait_states"] == alone["waits"]["result"], f"other wait states: {interval}")
        # By function a report tells the path of the analysed interval, 'slackline path' all of it.
        del alone["path"]["result"]["by_function"]
        by_function = measured["critical_path"].pop("by_function")
        check(measured["critical_path"] == alone["path"]["result"], "another critical path")
        whole = json.loads(test.slackline(*report[:-2], "--interval", interval).stdout)["result"]
        check(by_function == whole["measured"]["critical_path"].get("by_function", []), f"other functions: {interval}")
        check(by_function or interval != "common", "the program's functions")
        code = [[answer for answer in result.get("answers", []) if answer["id"] == "code"] for result in (large["result"], whole)]
        # Of all the run the whole report leaves out what ranks wait in MPI_Init.
        check(code[0] == code[1] or interval == "run", f"another place in the code: {interval} {code}")
        check(measured["efficiency"] == alone["efficiency"]["result"]["runs"][0], f"another efficiency: {interval}")
        check(all(finding in large["findings"] for finding in alone["efficiency"]["findings"]),
              f"other findings: {large['findings']}")
    same_answer(test, (2,), *report)
    # What the ranks have left is merged by all processes.
    raw = os.path.join(test.output, "raw")
    before = sorted(os.listdir(raw))
    for words in (("waits", raw), ("report", raw, "--measured")):
        same_answer(test, (2, 3), *words, "--format", "json")
    done = launched(test, 2, "waits", raw, environment={"SLACKLINE_PARALLEL": "costs"})
    check("did the work" not in done.stderr and "process 1: " in done.stderr, f"not shared: {done.stderr}")
    check(sorted(os.listdir(raw)) == before, "something is left")
    # Who asks for more processes than work is told so, once.
    alone = launched(test, 3, "hotspots", test.output)
    notes = [line for line in alone.stderr.splitlines() if line.startswith("slackline: note: ")]
    check(notes == ["slackline: note: process 0 did the work of all 3 processes: this command does not share it"],
          f"{notes}")
    alone = launched(test, 2, "waits", test.output, "--on", "predicted")
    check("only a measured run of a native trace is shared" in alone.stderr, alone.stderr)
    # A trace that is too large is refused before it is read.
    for words in (("path", test.output), ("report", test.output), ("report", test.output, "--section", "model"),
                  ("predict", test.output)):
        refused = test.slackline(*words, "--memory", "1KiB")
        check(refused.returncode == 1 and "are needed" in refused.stderr, refused.stderr)


def case_uncut(test):
    """Of a run that cannot be cut the first process has all, which is said, and the answer is that of one."""
    check(test.record([*test.launcher(3), test.program("scenario"), "many", "50"]).returncode == 0, "recorded")
    raw = os.path.join(test.output, "raw")
    for words in (("report", raw, "--measured"), ("report", test.output, "--measured"), ("waits", raw), ("path", raw)):
        same_answer(test, (2, 3, 7), *words, "--format", "json")
        done = launched(test, 2, *words)
        check("process 0 did the work of all 2 processes: the trace has no collective" in done.stderr, done.stderr)


def case_read_only(test):
    """Of a recording where nothing can be written the first process has all, which is said."""
    check(test.record([*test.launcher(3), test.program("scenario"), "many", "50"]).returncode == 0, "recorded")
    with small_disk(test, "4m") as disk:
        raw = os.path.join(disk, "raw")
        shutil.copytree(os.path.join(test.output, "raw"), raw)
        check(test.run(["mount", "-o", "remount,ro", disk]).returncode == 0, "remounted")
        for words in (("report", raw, "--measured"), ("waits", raw), ("path", raw), ("efficiency", raw)):
            same_answer(test, (2, 3), *words, "--format", "json")
            done = launched(test, 2, *words)
            check(done.returncode == 0 and "the folder of the recording cannot be written to" in done.stderr, "not said")


def case_finish(test):
    """What a job has left is merged into one trace by all processes."""
    check(test.record([*test.launcher(5), test.program("stencil2d"), "50", "40", "60"]).returncode == 0, "recorded")
    texts = []
    for name, count in (("alone.slk", 0), ("two.slk", 2), ("four.slk", 4), ("seven.slk", 7)):
        words = ("record", "--finish", test.output, "--keep-raw", "-o", name)
        done = launched(test, count, *words) if count else test.slackline(*words)
        check(done.returncode == 0, f"{name}: {done.stderr}")
        check(len(re.findall(r"calls recorded in", done.stderr)) == 1, f"one process speaks: {done.stderr}")
        texts.append(test.slackline("print", name).stdout)
        check(test.slackline("info", name, "--strict").returncode == 0, "a sound trace")
    check(len(set(texts)) == 1 and len(texts[0]) > 1000, "the traces differ")
    again = launched(test, 2, "record", "--finish", test.output, "--keep-raw", "-o", "two.slk")
    check(again.returncode == 1 and again.stderr.count("it already contains the trace") == 1, f"{again.stderr}")
    # Of two jobs one cannot be read: the other one is converted all the same.
    two = os.path.join(test.folder, "two")
    shutil.copytree(os.path.join(test.output, "raw"), os.path.join(two, "raw"))
    os.makedirs(os.path.join(two, "job-2", "raw"))
    with open(os.path.join(two, "job-2", "raw", "rank-0.slkraw"), "wb") as file:
        file.write(bytes(5000))
    for count in (1, 3):
        done = launched(test, count, "record", "--finish", two, "--keep-raw", "--force")
        check(done.returncode == 1 and done.stderr.count("the raw files are kept in") == 1, f"{count}: {done.stderr}")
        check(done.stderr.count("calls recorded in") == 1, f"{count}: {done.stderr}")
    last = launched(test, 2, "record", "--finish", test.output, "--force")
    check(last.returncode == 0 and os.listdir(test.output) == ["trace.slk"], f"{os.listdir(test.output)}")
    check(sorted(name for name in os.listdir(test.folder) if name.startswith(".")) == [], "something is left")


def notes(done):
    return [line.partition("processes: ")[2] for line in done.stderr.splitlines() if line.startswith("slackline: note: ")]


def case_model(test):
    """What the model says of a recording made today, by processes that share the work: all of it in one round of stretches,
    and in several, of little memory."""
    check(test.record([*test.launcher(4), test.program("stencil2d"), "100", "90", "60"]).returncode == 0, "recorded")
    network = ("-L", "2us", "-G", "0.3ns/B")
    for command in ("predict", "predict --left", "predict --occupancy none", "predict -S 1KiB --rendezvous rdma-read",
                    "tolerance --no-cache", "tolerance --no-cache --param G -S 0", "sensitivity --no-cache --param o"):
        words = (*command.split(), test.output, *network, "--format", "json")
        alone = test.slackline(*words)
        check(alone.returncode == 0, "alone")
        for count, *memory in ((2,), (3,), (2, "--memory", "200KiB"), (3, "--memory", "150KiB")):
            done = launched(test, count, *words, *memory, environment={"SLACKLINE_PARALLEL": "costs"})
            check(without_passes(done.stdout) == without_passes(alone.stdout), f"{command} of {count} says something else")
            check(not notes(done), f"{command}: {notes(done)}")
            costs = re.findall(r"process \d+: .* (\d+) exchanges, (\d+) bytes sent", done.stderr)
            check(len(costs) == count and all(int(sent) > 500 for _, sent in costs), f"{costs}")
    # What cannot be shared is answered all the same, and said once.
    for words, why in ((("predict", "--pairs"), "not shared"), (("tolerance", "--region", "L,G"), "not shared"),
                       (("sensitivity", "--param", "S", "--at", "0,4KiB"), "not shared"),
                       (("predict", "--ranks-per-node", "2"), "pairs of ranks")):
        words = (*words, test.output, "--format", "json")
        done = launched(test, 2, *words)
        check(done.stdout == test.slackline(*words).stdout != "", f"{words} says something else")
        check(len(notes(done)) == 1 and why in notes(done)[0], f"{words}: {notes(done)}")
    # The reduced graph is made by all, and read from the cache by the first one.
    words = ("tolerance", test.output, "--cache", test.folder, "--format", "json")
    first, second = (launched(test, 3, *words) for _ in range(2))
    check(first.stdout == second.stdout == test.slackline(*words).stdout != "", "the cache has another answer")
    check(not notes(first) and notes(second) == ["the reduced graph is in the cache"], f"{notes(first)} {notes(second)}")
    # A process that cannot go on ends all, with its message.
    done = launched(test, 3, "tolerance", "--no-cache", test.output, "--memory", "150KiB",
                    wrapper=("env", "TMPDIR=" + os.path.join(test.folder, "missing")))
    check(done.returncode == 1 and len(said(done)) == 1 and "temporary file" in said(done)[0], f"{said(done)}")
    check(done.stdout == "", "nothing is printed")


def without_passes(json_text):
    """How often the reduced graph was looked at depends on where it lies."""
    return re.sub(r'"passes": \d+', "", json_text)


def case_help(test):
    for words in (("--version",), ("--help",), ("report", "--help")):
        same_answer(test, (2,), *words)


def case_file(test):
    done = launched(test, 3, "report", TRACE, "-o", "report.json")
    check(done.stdout == "Written to report.json\n", "one process writes")
    check(test.slackline("report", TRACE, "-o", "alone.json").returncode == 0, "alone")
    both = [open(os.path.join(test.folder, name), "rb").read() for name in ("report.json", "alone.json")]
    check(both[0] == both[1], "the reports differ")


def case_errors(test):
    """One message, wherever it comes from, and the status of one process."""
    for words in (("efficiency", "missing.slk"), ("efficiency", "--no-such-option"), ("efficency",),
                  ("wait-states", TRACE, "--format", "pdf"), ("critical-path", TRACE, "-o", "x.pdf")):
        alone = test.slackline(*words)
        for count in (2, 4):
            done = launched(test, count, *words)
            check(said(done) == said(alone) != [], f"{words}: {said(done)}")
            check(done.returncode == alone.returncode != 0, f"{words}: status {done.returncode}")
            check(done.stdout == "", "nothing is printed")


def case_strict(test):
    """The status of --strict is that of one process."""
    path = os.path.join(test.folder, "short.slk")
    with open(TRACE, "rb") as whole, open(path, "wb") as short:
        short.write(whole.read()[:-3000])
    same_answer(test, (2,), "efficiency", path, "--strict", "--format", "json")


def case_unequal(test):
    """Processes that were not started alike."""
    slackline = test.arguments.slackline
    done = test.run([f"mpirun.{test.arguments.mpi}", "-n", "1", slackline, "efficiency", TRACE, ":",
                     "-n", "1", slackline, "wait-states", TRACE])
    check(len(said(done)) == 1 and "process 1 has" in said(done)[0], f"{said(done)}")
    check(done.returncode == 2, f"status {done.returncode}")


def case_no_library(test):
    """Without the library for this MPI nobody answers, rather than each."""
    libraries = os.path.join(test.folder, "lib")
    shutil.copytree(os.path.join(os.path.dirname(test.arguments.slackline), "lib", "slackline"), libraries,
                    ignore=shutil.ignore_patterns("libslackline_parallel_*"))
    done = launched(test, 2, "efficiency", TRACE, environment={"SLACKLINE_LIB": libraries})
    check(done.stdout == "" and len(said(done)) == 1, f"{said(done)}")
    check("cannot work as 2 processes" in said(done)[0], f"{said(done)}")
    check(done.returncode == 1, f"status {done.returncode}")


def case_off(test):
    """SLACKLINE_PARALLEL=off: each by itself, as scripts that analyse several traces want it."""
    alone = test.slackline("info", TRACE, "--format", "csv").stdout
    done = launched(test, 2, "info", TRACE, "--format", "csv", environment={"SLACKLINE_PARALLEL": "off"})
    check(sorted(done.stdout.splitlines()) == sorted(2 * alone.splitlines()), "each answers")


def case_each(test):
    """`preload` prepares the process that calls it."""
    check(len(launched(test, 2, "preload").stdout) == 2 * len(test.slackline("preload").stdout) > 0, "each")


def case_killed(test):
    """A process that is killed ends all of them."""
    wrapper = ["sh", "-c", 'if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ]; then kill -9 $$; fi; exec "$0" "$@"']
    done = launched(test, 3, "efficiency", TRACE, wrapper=wrapper)
    check(done.returncode not in (0, 124), f"status {done.returncode}")


def switches_and_ticks(process):
    """How often a process has given up its processor of itself, and how many hundredths of a second it has used."""
    with open(f"/proc/{process}/status", encoding="utf-8") as status:
        switches = int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status.read(), re.M)[1])
    with open(f"/proc/{process}/stat", encoding="utf-8") as stat:
        return switches, sum(map(int, stat.read().rpartition(")")[2].split()[11:13]))


def case_asleep(test):
    """Who waits for the first process sleeps: that one is held up by a pipe in the midst of its answer, until
    the other has gone to sleep so often. It would never do so if it polled without end."""
    os.mkfifo(os.path.join(test.folder, "answer"))
    script = ('if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ]; then exec "$0" print "$1" > answer; fi; '
              'echo $$ > waiting; exec "$0" print "$1"')
    with subprocess.Popen([*test.launcher(2), "sh", "-c", script, test.arguments.slackline, TRACE],
                          cwd=test.folder, env=test.environment, stdout=subprocess.DEVNULL) as job:
        with open(os.path.join(test.folder, "answer"), "rb", buffering=0) as answer:
            answer.read(1)  # they have met
            with open(os.path.join(test.folder, "waiting"), encoding="utf-8") as number:
                process = number.read().strip()
            switches, ticks = switches_and_ticks(process)
            while switches_and_ticks(process)[0] < switches + SLEEPS:
                time.sleep(0.01)
            used = switches_and_ticks(process)[1] - ticks
            while answer.read(1 << 20):
                pass
        check(job.wait(240) == 0, "the job failed")
    check(used < SLEEPS, f"{used / 100} s of processor time between {SLEEPS} sleeps")


if __name__ == "__main__":
    run_case(globals())
