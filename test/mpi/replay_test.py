#!/usr/bin/env python3
"""Tests of `slackline replay` inside MPI jobs: what is replayed has the calls of its trace."""
import collections
import json
import os
import pathlib
import re

from recording import check, run_case
from replay_kinds import all_kinds, wildcards, worker_farm
from printed_trace import call_words

RANKS = 4


def replay(test, trace, *options, ranks=RANKS, out="replayed.slk", retries=0):
    """Replays, and returns the finished process; the trace of the replay is `out`. Of more ranks than processors each
    replay is disturbed; only a test that looks at times needs retries, each of which waits for a quiet machine."""
    command = ["replay", trace, "-o", out, "--retries", str(retries), "--format", "json", *options]
    if test.arguments.mpi == "mpich":
        command.append("--yield")
    return test.slackline(*command, "--", *test.launcher(ranks))


def write(test, name, text):
    with open(os.path.join(test.folder, name), "w", encoding="utf-8") as out:
        out.write(text)
    return name


def printed(test, trace):
    done = test.slackline("print", trace)
    check(done.returncode == 0, f"{trace} cannot be read")
    return done.stdout


# Sizes of elements, the type of reductions and the serials of requests may differ.
LEFT_OUT = {"elem", "frame", "polls", "inside", "thread", "intercomm", "non_commutative"}
MERGED = {"waitsome", "testsome"}


class Calls:
    """The calls of each rank without times and numbers that only one recording has. Not exact: and
    without requests and the sizes that probes found, which random programs do not have as MPI does."""

    def __init__(self, text, skip=(), exact=True):
        self.exact = exact
        self.members = {name: name for name in ("world", "self", "null")}
        self.members["0"] = "world"
        self.ranks = collections.defaultdict(list)
        rank = None
        for line in text.splitlines():
            if call := call_words(line):
                if call[0] not in skip:
                    self.add(rank, call)
                continue
            words = line.split()
            if words[:1] == ["comm"]:
                groups = [word for word in words if word.startswith(("members=", "remote="))]
                self.members[words[1]] = " ".join(groups)
            elif words[:1] == ["rank"]:
                rank, self.started = int(words[1]), {}

    def add(self, rank, words):
        if "failed" in words:
            return
        calls = self.ranks[rank]
        said = [words[0]]
        for word in words[1:]:
            key, _, value = word.partition("=")
            told_again = (key == "bytes" and "alltoall" in words[0] and words[0][-1] in "vw" or
                          key == "comm" and words[0].startswith("start") or
                          not self.exact and key in ("req", "reqs") or
                          not self.exact and key == "bytes" and words[0].endswith("probe"))
            if key not in LEFT_OUT and not told_again:
                said.append(self.word(key, value, len(calls)))
        calls.append(sorted(said[1:]) + [said[0]])

    def word(self, key, value, place):
        if key in ("comm", "new"):
            return f"{key}={self.members[value]}"
        if key == "req":
            return f"req={self.started.setdefault(value, place)}"
        if key == "reqs":
            return "reqs=" + ",".join(sorted(str(self.started.get(r, "?")) for r in unfold(value)))
        if key == "starts":
            return "starts=" + ",".join(self.start(group, place) for group in value.split(","))
        if key in ("out", "in"):
            return f"{key}=" + ",".join(sorted(value.split(",")))
        return f"{key}={value}"

    def start(self, group, place):
        serial, *rest = group.split(":")
        self.started[serial] = place
        if rest[0] == "recv_init":
            rest[3] = "any"  # random programs do not tell it; their sends do
        if len(rest) == 5:
            rest[4] = self.members[rest[4]]
        return ":".join(rest)


def unfold(items):
    for item in filter(None, items.split(",")):
        first, _, rest = item.partition("..")
        last, _, step = rest.partition("/")
        stride = int(step or 1)
        if not rest:
            yield first
        elif int(last) >= int(first):
            yield from map(str, range(int(first), int(last) + 1, stride))
        else:
            yield from map(str, range(int(first), int(last) - 1, -stride))


def compare(test, trace, replayed, skip=(), exact=True):
    """Kinds, partners, tags, sizes, communicators and requests of all calls, in their order."""
    before, after = (Calls(printed(test, t), skip, exact).ranks for t in (trace, replayed))
    check(set(before) == set(after), "other ranks")
    for rank in sorted(before):
        for i, (was, now) in enumerate(zip(before[rank], after[rank])):
            check(was == now, f"rank {rank}, call {i}: {was} became {now}")
        check(len(before[rank]) == len(after[rank]), f"rank {rank}: another number of calls")


def info(test, trace):
    return json.loads(test.slackline("info", trace, "--format", "json").stdout)


def complete(test, trace):
    """No message of the trace lacks an end."""
    done = json.loads(test.slackline("wait-states", trace, "--format", "json").stdout)
    names = {finding["name"] for finding in done["findings"]}
    check(not names & {"unmatched_send", "unmatched_receive", "collective_incomplete"},
          f"the replay is incomplete: {names}")


def allow_windows(test):
    """Open MPI 4.1 by itself has no MPI_Win_create for processes that must not read each other."""
    test.environment["OMPI_MCA_osc"] = "pt2pt,sm"


def case_kinds(test):
    """Every operation, each in a form that a program may have."""
    allow_windows(test)
    trace = write(test, "kinds.txt", all_kinds())
    done = replay(test, trace)
    check(done.returncode == 0, "the replay failed")
    compare(test, trace, "replayed.slk")
    complete(test, "replayed.slk")
    result = json.loads(done.stdout)["result"]
    check(result["replayed_ns"] > 0 and result["behind_ns"] >= 0, "no times")


def case_program(test):
    """What a program calls that was recorded."""
    done = test.record([*test.launcher(RANKS), test.program("calls")])
    check(done.returncode == 0, "the program failed")
    done = replay(test, os.path.join(test.output, "trace.slk"))
    check(done.returncode == 0, "the replay failed")
    # A replay has no buffer of its own for buffered sends.
    compare(test, os.path.join(test.output, "trace.slk"), "replayed.slk", skip=("buffer_detach",))
    frames = re.findall(r"frame=\d+", printed(test, "replayed.slk"))
    check(len(frames) > 100, "the call paths are gone")


def recorded(test, program):
    """The trace of a program."""
    done = test.record([*test.launcher(RANKS), test.program(program)])
    check(done.returncode == 0, "the program failed")
    return os.path.join(test.output, "trace.slk")


def findings(done):
    return {finding["name"] for finding in json.loads(done.stdout)["findings"]}


def case_windows(test):
    """One-sided communication of every kind."""
    allow_windows(test)
    trace = recorded(test, "windows")
    done = replay(test, trace)
    check(done.returncode == 0, "the replay failed")
    compare(test, trace, "replayed.slk")
    check("replay_windows_simplified" in findings(done), "nothing is said of what is not recorded")
    for operation in ("put", "rget_accumulate", "win_test", "compare_and_swap", "win_lock_all"):
        check(f" {operation} " in printed(test, "replayed.slk"), f"no {operation}")
    skipped = replay(test, trace, "--skip-unsupported")
    check("replay_skipped" not in findings(skipped), "leaves out what can be replayed")


def case_files(test):
    """MPI-IO without files."""
    trace = recorded(test, "files")
    os.remove(os.path.join(test.folder, "files.out"))
    done = replay(test, trace)
    check(done.returncode == 0, "the replay failed")
    compare(test, trace, "replayed.slk")
    check("replay_files_not_accessed" in findings(done), "nothing is said of the files")
    check(not os.path.exists(os.path.join(test.folder, "files.out")), "a file was made")
    for operation, calls in (("file_write_all", 3), ("file_write_ordered", 1), ("file_read_at", 1)):
        check(printed(test, "replayed.slk").count(f" {operation} ") == calls * RANKS, f"calls of {operation}")


def case_scratch(test):
    """MPI-IO by size, in files that are gone in the end. What files.c reads and writes is known from its source."""
    trace = recorded(test, "files")
    os.remove(os.path.join(test.folder, "files.out"))
    scratch = pathlib.Path(test.folder, "scratch")
    scratch.mkdir()
    done = replay(test, trace, "--files", str(scratch))
    check(done.returncode == 0, "the replay failed")
    compare(test, trace, "replayed.slk")
    check("replay_files_not_accessed" not in findings(done) and "replay_scratch_files" in findings(done), "files are accessed")
    said = json.loads(done.stdout)["result"]["files"]
    # Three times 1000 integers of all and 10 of rank 0, then 20 of all; 1000 and 5 are read.
    expected = {"writes": 4 * RANKS + 3, "written_bytes": 4 * (3020 * RANKS + 30), "reads": 2 * RANKS, "read_bytes": 4 * 1005 * RANKS}
    check(said == expected, f"{said} for {expected}")
    check(not list(scratch.iterdir()), "nothing is left")
    for missing in (str(scratch / "missing"), ""):
        done = replay(test, trace, "--files", missing)
        check(done.returncode == 2 and "not a folder" in done.stderr, f"a folder that there is not: '{missing}'")


def case_memory(test):
    """Computation that moves memory: as many bytes as rate times time, by count."""
    calls = ["@0 +1000 init", *(f"@{20000000 * i} +1000 barrier" for i in range(1, 21)), "@400100000 +1000 finalize"]
    ranks = "".join(f"rank {r}\n" + "".join(f"  {call}\n" for call in calls) for r in range(2))
    trace = write(test, "compute.txt", "slackline-trace 1 timed ranks=2\n" + ranks)
    done = replay(test, trace, "--memory-bandwidth", "200MB/s", ranks=2)
    check(done.returncode == 0, "the replay failed")
    result = json.loads(done.stdout)["result"]
    wanted, streamed = result["memory_bytes"], result["streamed_bytes"]
    computed = 2 * 20 * 20e-3 * 200e6
    check(0 < wanted <= computed, f"{wanted} of at most {computed}")
    # A piece more than is due at each look at the clock; what an interruption takes is made up for in the next gap.
    check(0.9 * wanted <= streamed <= wanted + 2 * 20 * 8192, f"{streamed} of {wanted}")
    check(json.loads(replay(test, trace, ranks=2).stdout)["result"]["streamed_bytes"] == 0, "without a rate nothing is moved")
    # Both ranks on one processor: each is interrupted all the time, of which nothing is computation.
    one = str(min(os.sched_getaffinity(0)))
    done = test.run(["taskset", "-c", one, test.arguments.slackline, "replay", trace, "--format", "json", "--computation", "cpu",
                     "--memory-bandwidth", "200MB/s", "--retries", "0", "-o", "one.slk", "--", *test.launcher(2)])
    if done.returncode == 0:
        result = json.loads(done.stdout)["result"]
        check(result["streamed_bytes"] <= result["memory_bytes"] + 2 * 20 * 8192, f"{result['streamed_bytes']} of {result['memory_bytes']}")
    for rate in ("fast", "0", "100TB/s"):
        done = replay(test, trace, "--memory-bandwidth", rate, ranks=2)
        check(done.returncode == 2 and f"cannot use '{rate}' as memory bandwidth" in done.stderr, done.stderr)


def case_refused(test):
    """What would wait forever, before a job starts."""
    head = "slackline-trace 1 timed ranks=2\n"
    refusals = {
        "rank 0\n +1 send to=1 bytes=8\nrank 1\n +1 init\n": "sends without a receive",
        "rank 0\n +1 recv from=1 bytes=8\nrank 1\n +1 init\n": "receives without a send",
        "rank 0\n +1 barrier\nrank 1\n +1 init\n": "collectives that some ranks never enter",
        "rank 0\n +1 barrier\nrank 1 absent\n": "no calls of rank 1",
        "rank 0\n +1 barrier thread=1\nrank 1\n +1 barrier\n": "several threads",
        "rank 0\n +1 put target=1 bytes=8\nrank 1\n +1 pcontrol\n": "MPI_Put",
        "rank 0\n +1 file_open\nrank 1\n +1 pcontrol\n": "MPI_File_open",
        "rank 0\n +1 barrier unfinished\nrank 1\n +1 barrier\n": "died in MPI_Barrier",
        "rank 0\n +1 abort\nrank 1\n +1 init\n": "MPI_Abort",
    }
    for text, why in refusals.items():
        done = replay(test, write(test, "refused.txt", head + text), ranks=2)
        check(done.returncode == 1 and why in done.stderr, f"not refused: {why}")
    good = write(test, "good.txt", head + "rank 0\n +1 barrier\nrank 1\n +1 barrier\n")
    done = replay(test, good, ranks=3)
    check(done.returncode == 1 and "launcher starts 3" in done.stderr, "too many processes")
    done = replay(test, good, "--set", "nonsense", ranks=2)
    check(done.returncode == 2, "an edit that there is not")


def case_wildcards(test):
    """As happened, and free."""
    trace = write(test, "farm.txt", worker_farm(RANKS, 40))
    for how in ("recorded", "free"):
        done = replay(test, trace, "--wildcards", how)
        check(done.returncode == 0, f"the replay with {how} wildcards failed")
        complete(test, "replayed.slk")
        messages = info(test, "replayed.slk")["result"]
        check(messages["calls"] == info(test, trace)["result"]["calls"], "other calls")
    trace = write(test, "mixed.txt", wildcards(RANKS))
    check(replay(test, trace, "--wildcards", "free").returncode == 0, "a message was taken away")
    complete(test, "replayed.slk")


def case_edited(test):
    """A run of unequal computation, replayed with equal one."""
    text = f"slackline-trace 1 timed ranks={RANKS}\n"
    for rank in range(RANKS):
        text += f"rank {rank}\n"
        for _ in range(20):
            text += f"  compute {4000000 if rank == 0 else 1000000}\n  +10000 barrier\n"
    trace = write(test, "unequal.txt", text)
    done = replay(test, trace, "--set", "scale factor=0.25 ranks=0", retries=1)
    check(done.returncode == 0, "the replay failed")
    result = json.loads(done.stdout)["result"]
    check(result["error_total"] is None, "the error of another program")
    computation = [o for o in result["operations"] if o["name"] == "computation"][0]
    ratio = computation["replayed_ns"] / (20 * RANKS * 1e6)
    check(0.95 < ratio < 1.5, f"computation is {ratio} of what it should be")
    compare(test, trace, "replayed.slk")


def case_advised(test):
    """What advice predicts of changes, beside what their replays take."""
    text = "slackline-trace 1 timed ranks=2\n"
    for rank in range(2):
        now, work = 0, 4000000 if rank == 0 else 1000000
        text += f"rank {rank}\n  @0 +0 init\n"
        for _ in range(20):
            text += f"  @{now + work} +{4010000 - work} barrier\n"
            now += 4010000
        text += f"  @{now} +0 finalize\n"
    trace = write(test, "unequal.txt", text)
    without = test.slackline("advise", trace, "--verify")
    check(without.returncode == 2 and "no launcher is given" in without.stderr, f"no launcher: {without.stderr}")
    done = test.slackline("advise", trace, "--verify", "--repeat", "2", "--retries", "1", "--yield", "--format", "json",
                          "--", *test.launcher(2))
    check(done.returncode == 0, f"not verified: {done.stderr}")
    advice = json.loads(done.stdout)["result"]["advice"]
    check(all(proposal["edits"] for proposal in advice), "a change that cannot be replayed")
    check([bool(proposal["replayed"]) for proposal in advice] == [i < 3 for i in range(len(advice))], "not the first three")
    balance = advice[0]
    check("balance" in balance["edits"][0], f"not to balance: {balance['action']}")
    # 2.5 ms for each instead of 4 and 1.
    check(abs(balance["gain_ns"] - 20 * 1500000) < 1e5, f"predicted {balance['gain_ns']}")
    replayed = balance["replayed"]
    check(replayed["low_ns"] <= replayed["gain_ns"] <= replayed["high_ns"], f"range {replayed}")
    check(replayed["high_ns"] > 0, f"no gain {replayed}")


def case_skeleton(test):
    """The program without names, and its replay."""
    done = test.record([*test.launcher(RANKS), test.program("calls")])
    check(done.returncode == 0, "the program failed")
    trace = os.path.join(test.output, "trace.slk")
    done = test.slackline("replay", trace, "--skip-unsupported", "--export", "bare.skeleton")
    check(done.returncode == 0, "no skeleton")
    text = printed(test, "bare.skeleton")
    for name in ("calls.c", "main", "host=", "frame", test.arguments.programs):
        check(name not in text, f"the skeleton has {name}")
    check(replay(test, "bare.skeleton").returncode == 0, "the skeleton cannot be replayed")
    compare(test, "bare.skeleton", "replayed.slk", skip=("buffer_detach",))


def case_repeat(test):
    trace = write(test, "good.txt", "slackline-trace 1 untimed ranks=2\n" +
                  "".join(f"rank {r}\n compute 5000\n barrier\n" for r in range(2)))
    done = replay(test, trace, "--repeat", "3", ranks=2)
    check(done.returncode == 0, "the replay failed")
    result = json.loads(done.stdout)["result"]
    # On a busy machine, disturbed ones are left out beside others.
    check(len(result["replays_ns"]) + result["left_out_runs"] == 3, "not three replays")
    check(result["measured_ns"] is None and result["error_total"] is None, "of an untimed trace")
    check(not [name for name in os.listdir(test.folder) if "slackline-replay" in name],
          "the replay's folder is left")


def case_printed(test):
    """What --print-command prints is a script that runs and evaluates the same replay."""
    trace = write(test, "good.txt", "slackline-trace 1 timed ranks=2\n" +
                  "".join(f"rank {r}\n compute 5000000\n barrier\n" for r in range(2)))
    yielding = ["--yield"] if test.arguments.mpi == "mpich" else []
    options = ["--set", "scale factor=2", "-o", "out.slk", "--format", "json", "--report", "out.json"]
    done = test.slackline("replay", trace, "--print-command", *options, *yielding, "--", *test.launcher(2))
    check(done.returncode == 0, f"no commands: {done.stderr}")
    check(len(done.stdout.splitlines()) == 2, f"not two lines: {done.stdout}")
    early = test.slackline("replay", trace, "--replayed", "slackline-replay")
    check(early.returncode == 1 and "no recording" in early.stderr, "evaluates what was not run")
    again = test.slackline("replay", trace, "--print-command", *yielding, "--", *test.launcher(2))
    check(again.returncode == 1 and "it exists" in again.stderr, "writes over a folder")
    job = test.run(["sh", "-e", "-c", done.stdout])
    check(job.returncode == 0, f"the printed commands fail: {job.stderr}")
    with open(os.path.join(test.folder, "out.json"), encoding="utf-8") as file:
        result = json.load(file)["result"]
    check(len(result["replays_ns"]) == 1 and result["replays_ns"][0] >= 10e6, f"{result['replays_ns']}")
    check(printed(test, "out.slk").count("barrier") == 2, "not the trace of the replay")
    other = test.slackline("replay", trace, "--replayed", "slackline-replay")
    check(other.returncode == 2 and "other edits" in other.stderr, "takes another program's job")


def case_random(test, count):
    """Random programs one after the other: none waits forever, and all calls are made."""
    generator = os.path.join(test.arguments.programs, "random_programs")
    for first in range(0, int(count), 50):
        done = test.run([generator, "50", str(first), "random.slk"])
        check(done.returncode == 0, "no random programs")
        done = replay(test, "random.slk")
        check(done.returncode == 0, f"the replay of the programs from {first} on failed")
        compare(test, "random.slk", "replayed.slk", exact=False)
        complete(test, "replayed.slk")


if __name__ == "__main__":
    run_case(globals())
