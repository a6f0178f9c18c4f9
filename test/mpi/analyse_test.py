#!/usr/bin/env python3
"""Jobs that analyse themselves before MPI_Finalize: the report is that of the trace, and the job ends as without.

    analyse_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

Exit status 77: cannot be tried here (said in words)."""
import json
import os
import shutil
import signal
import subprocess
import time

from recording import check, run_case, skip
from space_test import small_disk

ROUNDS = 30
SECTIONS = "path,waits,efficiency,model"
MEASURED = "questions,path,waits,efficiency"


def record(test, options, command):
    """The analysed job, with its report in report.json."""
    words = [test.arguments.slackline, "record", "--analyse", "-o", "report.json", *options]
    if test.arguments.mpi == "mpich":
        words.append("--yield")
    return test.run([*words, "--", *command])


def read(test, name):
    with open(os.path.join(test.folder, name), encoding="utf-8") as file:
        return json.load(file)


def left(test, folder=""):
    return sorted(os.listdir(os.path.join(test.folder, folder)))


def scenario(test, *words, ranks=3):
    return [*test.launcher(ranks), test.program("scenario"), *words]


def case_equals(test, ranks):
    """What the job says of itself is what `report` says of the trace of that run, but for where it was read."""
    for program in ("stencil2d", "lb_p2p") if int(ranks) % 4 == 0 else ("stencil2d",):
        done = record(test, ["--write-trace", "--force"], [*test.launcher(int(ranks)), test.program(program)])
        check(done.returncode == 0, "the job failed")
        check(f"{ranks} ranks analysed in the job: report.json" in done.stderr, "said")
        check(test.slackline("report", "report.slk", "--section", SECTIONS, "-o", "later.json").returncode == 0, "later")
        both = read(test, "report.json"), read(test, "later.json")
        for report in both:
            for key in ("path", "format", "bytes", "checksum"):
                del report["input"][key]
        check(both[0] == both[1], "the reports differ")
        check(both[0]["input"]["calls"] > 0, "of nothing")
        check(left(test) == ["later.json", "report.json", "report.slk"], f"{left(test)}")


def case_shares(test, processes):
    """Several processes beside the ranks find what one finds later, with its call paths."""
    test.environment["SLACKLINE_TEST_ENGINES"] = processes
    for ranks, program in ((4, "stencil2d"), (5, "cg"), (7, "unbalanced"), (8, "lb_p2p")):
        done = record(test, ["--write-trace", "--force", "--keep-raw"], [*test.launcher(ranks), test.program(program)])
        check(done.returncode == 0, "the job failed")
        count = min(int(processes), ranks)
        with open(os.path.join(test.folder, "report.json.recording", "raw", "analysis.log"), encoding="utf-8") as log:
            check("did the work of all" not in log.read(), f"{program} is not shared")
        test.run(["rm", "-r", "report.json.recording"])
        check(f"in each of {count} processes" in done.stderr, "it is said that they share the work")
        done = test.slackline("report", "report.slk", "--measured", "--section", MEASURED, "-o", "later.json")
        check(done.returncode == 0, "later")
        both = read(test, "report.json"), read(test, "later.json")
        for report in both:
            for key in ("path", "format", "bytes", "checksum"):
                del report["input"][key]
            report["result"]["measured"]["efficiency"].pop("trace")
        check(both[0] == both[1], f"{program}: the reports differ")
        check(both[0]["input"]["calls"] > 0, "of nothing")
        check(left(test) == ["later.json", "report.json", "report.slk"], f"{left(test)}")


def case_shares_usually(test):
    """Without being told to, where the whole report would take too much."""
    if len(os.sched_getaffinity(0)) < 2:
        skip("there is one processor")
    million = [*test.launcher(2), test.program("partition"), "many", "25000"]
    done = record(test, ["--analysis-time=300s", "--analysis-memory=400MiB"], million)
    check(done.returncode == 0 and "in each of 2 processes" in done.stderr, "not shared")
    check(left(test) == ["report.json"], f"{left(test)}")
    whole = record(test, ["--force", "--analysis-time=300s", "--analysis-memory=4GiB"], million)
    check(whole.returncode == 0 and "in its process" in whole.stderr, "shared")
    check("summary" in read(test, "report.json")["result"], "the whole report")


def case_leaves(test):
    """The report is all that is left, unless more is asked for; what the program prints is its own."""
    plain = test.run(scenario(test, "many", str(ROUNDS)))
    done = record(test, [], scenario(test, "many", str(ROUNDS)))
    check(done.returncode == 0 and done.stdout == plain.stdout, "another result")
    check("of the run): " in done.stderr and " exchanged" in done.stderr, "costs are said")
    check(left(test) == ["report.json"], f"{left(test)}")
    again = record(test, [], scenario(test, "many", str(ROUNDS)))
    check(again.returncode == 1 and "there is a file of that name" in again.stderr, "nothing is overwritten")
    check(again.stdout == "", "the job is not started")
    kept = record(test, ["--force", "--keep-raw"], scenario(test, "many", str(ROUNDS)))
    check(kept.returncode == 0 and left(test) == ["report.json", "report.json.recording"], f"{left(test)}")
    folder = test.run([test.arguments.slackline, "record", "--yield", "--analyse=waits", "--", *scenario(test, "status")])
    check(folder.returncode == 5, "the job's status")
    check(left(test, "slackline-trace") == ["report.summary.json", "report.txt"], "a text and its summary in a folder")


def case_summary(test):
    """What an analysed job leaves can be compared: the summary of its report is that of the trace of that run."""
    done = record(test, ["--write-trace"], scenario(test, "many", str(ROUNDS)))
    check(done.returncode == 0, "the job failed")
    check(test.slackline("report", "report.slk", "--summary", "later.json").returncode == 0, "no summary")
    check(read(test, "report.json")["result"]["summary"] == read(test, "later.json"), "the summaries differ")
    check(os.path.getsize(os.path.join(test.folder, "later.json")) <= 2048 + 1, "long")
    test.run([test.arguments.slackline, "record", "--yield", "--analyse", "-o", "other.txt", "--",
              *scenario(test, "many", str(ROUNDS))])
    done = test.slackline("diff", "report.json", "other.summary.json")
    check(done.returncode == 0 and "Run time" in done.stdout, f"not compared: {done.stderr}")
    done = test.slackline("check", "report.json", "other.summary.json")
    check(done.returncode == 1 and "there is one run of the base on 3 ranks" in done.stderr, f"checked: {done.stderr}")


def case_jobs(test):
    """Several jobs of one command: a report each."""
    script = " ".join(scenario(test, "many", "3"))
    done = record(test, [], ["sh", "-c", f"{script} && {script}"])
    check(done.returncode == 0, "the command failed")
    check(left(test) == ["report-1-scenario.json", "report-2-scenario.json"], f"{left(test)}")


def case_refused(test):
    for options in (["--analyse=lamda"], ["-o", "report.slk"], ["--analysis-time", "soon"]):
        done = record(test, options, scenario(test, "many", "3"))
        check(done.returncode == 2 and done.stdout == "" and left(test) == [], f"{options}")


def not_analysed(test, done, why):
    """Said why, and the recording is there to be analysed."""
    check(f"not analysed in the job: {why}" in done.stderr, f"{why} is not said")
    check("slackline report report.json.recording --section" in done.stderr, "nor what to do")
    check(left(test) == ["report.json.recording"], f"{left(test)}")
    later = test.slackline("report", "report.json.recording", "--section", SECTIONS)
    check(later.returncode == 0, "the recording cannot be used")


def case_bare(test):
    """Programs that close their standard files, or remove their environment, before MPI_Finalize."""
    for processes in ("1", "3"):
        test.environment["SLACKLINE_TEST_ENGINES"] = processes
        done = record(test, ["--analysis-time=100s"], scenario(test, "closed"))
        check(done.returncode == 0 and left(test) == ["report.json"], f"closed: {left(test)}")
        os.remove(os.path.join(test.folder, "report.json"))
        done = record(test, ["--analysis-time=100s"], scenario(test, "cleared"))
        check(done.returncode == 0 and "sum" in done.stdout, "the job failed without an environment")
        not_analysed(test, done, "the process for it could not be started")
        shutil.rmtree(os.path.join(test.folder, "report.json.recording"))


def case_kill(test):
    done = record(test, [], scenario(test, "kill"))
    check(done.returncode == test.run(scenario(test, "kill")).returncode != 0, "another status")
    not_analysed(test, done, "the job did not complete MPI_Finalize")


def case_abort(test):
    done = record(test, [], scenario(test, "abort"))
    check(done.returncode == test.run(scenario(test, "abort")).returncode != 0, "another status")
    not_analysed(test, done, "the job did not complete MPI_Finalize")


def case_memory(test):
    done = record(test, ["--analysis-memory", "1MiB"], scenario(test, "status"))
    check(done.returncode == 5, "another status")
    not_analysed(test, done, "")


def case_full_disk(test):
    """Where the recording fills the disk the job goes on as ever, and what was recorded can be used. A script that waits
    for the report learns from the status that there is none."""
    with small_disk(test, "1m") as disk:
        test.output = os.path.join(disk, "run")
        for processes in ("1", "2"):
            test.environment["SLACKLINE_TEST_ENGINES"] = processes
            done = test.run([test.arguments.slackline, "record", "--yield", "--analyse", "-o", test.output, "--",
                             *scenario(test, "many", "8000", ranks=2)])
            check("sum 1" in done.stdout, "the job goes on")
            check("did not complete MPI_Finalize" not in done.stderr, "it has completed it")
            names = os.listdir(test.output)
            check("report.txt" in names or "raw" in names, f"{names}")
            check(done.returncode == (0 if "report.txt" in names else 1), f"status {done.returncode}")
            shutil.rmtree(test.output)


class PlannedAnalysis:
    """A job whose analysis is a script of the test's."""

    def __init__(self, test, script, limits, bound=False, processes=1, ranks=2):
        self.test = test
        self.raw = os.path.join(test.folder, "run", "raw")
        program = os.path.join(test.folder, "analysis.sh")
        with open(program, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncd {test.folder}\necho $$ > number.new\nmv number.new number\n{script}\n")
        os.chmod(program, 0o755)
        libraries = os.path.join(os.path.dirname(test.arguments.slackline), "lib", "slackline")
        values = {"LD_PRELOAD": os.path.join(libraries, "libslackline_preload.so"),
                  "SLACKLINE_DIR": os.path.join(test.folder, "run"), "SLACKLINE_ANALYSE": "waits",
                  "SLACKLINE_ANALYSE_PROGRAM": program, "SLACKLINE_ANALYSE_REPORT": "report.json",
                  "SLACKLINE_ANALYSE_LIMITS": limits}
        if processes > 1:
            values.update({"SLACKLINE_ANALYSE_MEASURED": "questions,waits", "SLACKLINE_TEST_ENGINES": str(processes)})
        binding = {"openmpi": ["--bind-to", "core"], "mpich": ["-bind-to", "core"]}[test.arguments.mpi] if bound else []
        self.command = [*test.launcher(ranks), *binding, "env", *(f"{name}={value}" for name, value in values.items()),
                        test.program("scenario"), "many", str(ROUNDS)]

    def run(self):
        return self.test.run(self.command)

    def start(self):
        job = subprocess.Popen(self.command, cwd=self.test.folder, env=self.test.environment,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        self.number()
        return job

    def number(self):
        """The number of the analysis's process, once it runs."""
        path = os.path.join(self.test.folder, "number")
        while not os.path.exists(path):
            time.sleep(0.02)
        with open(path, encoding="utf-8") as file:
            return int(file.read())

    def has_ended(self):
        """Waits for it; false if the process of the analysis goes on."""
        for _ in range(1000):
            if not os.path.exists(f"/proc/{self.number()}"):
                return True
            with open(f"/proc/{self.number()}/stat", encoding="utf-8") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
            time.sleep(0.02)
        return False

    def check_usable(self):
        done = self.test.slackline("record", "--finish", "run")
        check(done.returncode == 0, "the recording cannot be used")
        check(self.test.slackline("report", "run").returncode == 0, "nor its trace")


def case_time_limit(test):
    """An analysis that would never end."""
    planned = PlannedAnalysis(test, "exec sleep 100000", "0 0.3 0")
    done = planned.run()
    check(done.returncode == 0 and "sum" in done.stdout, "the job goes on")
    with open(os.path.join(planned.raw, "analysis.costs"), encoding="utf-8") as costs:
        check("end time_limit\n" in costs.read(), "the reason is noted")
    check(planned.has_ended(), "the analysis goes on")
    planned.check_usable()


def case_failing(test):
    """An analysis that fails, is killed, or is not there."""
    for script in ("exit 3", "kill -9 $$", "kill -9 $$ #"):
        planned = PlannedAnalysis(test, script, "0 100 0")
        if script.endswith("#"):
            os.remove(os.path.join(test.folder, "analysis.sh"))
        done = planned.run()
        check(done.returncode == 0 and "sum" in done.stdout, "the job goes on")
        planned.check_usable()
        test.run(["rm", "-rf", "run"])


def case_one_fails(test):
    """Of several processes one fails, is killed at some moment, stops or is not there: nothing waits for it."""
    slackline = f"exec {test.arguments.slackline} \"$@\""
    ways = {"exit 3": "0 100 0", "kill -9 $$": "0 100 0", "kill -STOP $$": "0 0.5 0"}
    reasons = {"kill -9 $$": "status 9\n", "kill -STOP $$": "end time_limit\n"}
    for delay in ("0.002", "0.01", "0.02", "0.04", "0.08"):
        ways[f"timeout -s KILL {delay} {slackline.removeprefix('exec ')}"] = "0 100 0"
    for failing in (0, 1):
        for way, limits in ways.items():
            script = f"case $SLACKLINE_PARALLEL in relay:3,{failing},3) {way};; *) {slackline};; esac"
            planned = PlannedAnalysis(test, script, limits, processes=3, ranks=3)
            done = planned.run()
            check(done.returncode == 0 and "sum" in done.stdout, f"{way}: the job goes on")
            if not way.startswith("timeout"):
                check(not os.path.exists(os.path.join(test.folder, "run", "report.json")), f"{way}: a report")
            with open(os.path.join(planned.raw, "analysis.costs"), encoding="utf-8") as costs:
                check(reasons.get(way, "end ended\n") in costs.read(), f"{way}: another reason is noted")
            planned.check_usable()
            check(left(test, "run") in (["trace.slk"], ["report.json", "trace.slk"]), f"{way}: {left(test, 'run')}")
            test.run(["rm", "-rf", "run"])


def case_processors(test):
    """Of ranks that are bound to a processor each, the analysis gets all, and the ranks keep their own."""
    script = """for process in self $PPID; do grep Cpus_allowed: /proc/$process/status; done > allowed"""
    done = PlannedAnalysis(test, script, "0 100 0", bound=True).run()
    if "ind" in done.stderr and done.returncode != 0:
        skip("this launcher cannot bind ranks here")
    check(done.returncode == 0, "the job failed")
    with open(os.path.join(test.folder, "allowed"), encoding="utf-8") as file:
        own, ranks = (bin(int(line.split()[1].replace(",", ""), 16)).count("1") for line in file)
    here = len(os.sched_getaffinity(0))
    check(own >= min(2, here) and ranks <= own, f"{own} processors for the analysis, {ranks} for the rank")
    check(here < 2 or ranks < own, "the rank is not bound any more")


def case_killed_meanwhile(test):
    """kill -9 of the rank that waits for the analysis: the job fails as it would, and leaves no process."""
    fifo = os.path.join(test.folder, "fifo")
    os.mkfifo(fifo)
    planned = PlannedAnalysis(test, f"echo $PPID > rank\nexec {test.arguments.slackline} print - < fifo", "0 1000 0")
    with planned.start() as job:
        with open(fifo, "w", encoding="utf-8"):  # its shell has opened it: it has begun
            with open(os.path.join(test.folder, "rank"), encoding="utf-8") as rank:
                os.kill(int(rank.read()), signal.SIGKILL)
            check(job.wait(120) != 0, "a killed job has failed")
            check(planned.has_ended(), "the analysis goes on")
    planned.check_usable()


def case_terminated(test):
    """SIGTERM at the job's time limit, while it is analysed."""
    fifo = os.path.join(test.folder, "fifo")
    os.mkfifo(fifo)
    planned = PlannedAnalysis(test, f"exec {test.arguments.slackline} print - < fifo", "0 1000 0")
    with planned.start() as job:
        with open(fifo, "w", encoding="utf-8"):
            os.kill(job.pid, signal.SIGTERM)
            job.wait(120)  # with a status of the launcher's own, which for MPICH may be 0
            check(planned.has_ended(), "the analysis goes on")
    planned.check_usable()


if __name__ == "__main__":
    run_case(globals())
