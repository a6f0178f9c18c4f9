#!/usr/bin/env python3
"""Jobs that are watched while they are recorded. usage: top_test.py CASE ..."""
import contextlib
import glob
import json
import os
import shutil
import signal
import struct
import subprocess
import time

from recording import answer, check, run_case

RANKS = 3
PATIENCE = 240  # s: as a whole, for a job that never comes to what is waited for

# src/trace/wire.h
HEADER_BYTES = 4096
RANK_AT, PID_AT, STAGE_BYTES_AT = 16, 24, 1240
RECORD = struct.Struct("<QQQiiIIIHBB")
CALLS_END, ISENDRECV, OFF_PROCESSOR, BLOCKED, STAGE_WRITTEN, CALL_COST = 230, 237, 238, 243, 244, 245


class Job:
    """`slackline record` of a program in the background."""

    def __init__(self, test, keep="--keep-raw", program="watched", ranks=RANKS, **environment):
        self.test = test
        record = [test.arguments.slackline, "record", keep, "-o", test.output]
        if test.arguments.mpi == "mpich":
            record.append("--yield")
        # A group of its own, of which nothing is left behind.
        self.process = subprocess.Popen([*record, "--", *test.launcher(ranks), test.program(program), test.folder],
                                        env={**test.environment, **environment}, cwd=test.folder, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()

    def go_on(self, name):
        with open(os.path.join(self.test.folder, name), "w", encoding="utf-8"):
            pass

    def end(self):
        self.go_on("end")
        check(self.process.wait(timeout=PATIENCE) == 0, "the job failed")


def top(test, *options):
    done = test.slackline("top", test.output, "--once", *options)
    check(done.returncode == 0, "top failed")
    check(done.stdout.count("\n") == 1, "one line")
    return json.loads(done.stdout)["result"]


def until(test, condition, *options):
    """The first answer of top of which `condition` holds."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if os.path.isdir(test.output):
            seen = top(test, *options)
            if condition(seen):
                return seen
        time.sleep(0.2)
    raise AssertionError("top never said so")


def is_late(rank, function):
    def holds(seen):
        late = seen["late_rank"]
        return (late is not None and late["rank"] == rank and late["busiest_function"] is not None and
                late["busiest_function"]["function"] == function)
    return holds


def case_phases(test):
    """The late rank of the last second and its function change while the job runs."""
    with Job(test) as job:
        seen = until(test, is_late(1, "relax"), "--window", "1s")
        check(seen["state"] == "running" and seen["recorded_ranks"] == RANKS and seen["world_size"] == RANKS, "runs")
        check(seen["late_rank"]["busiest_function"]["file"].endswith("watched.c"), "its file")
        job.go_on("second")
        until(test, is_late(RANKS - 1, "sort_particles"), "--window", "1s")
        job.end()
    ended = top(test)
    check(ended["state"] == "ended" and ended["ended_ranks"] == RANKS and ended["gone_ranks"] == 0, "has ended")


def case_balance(test):
    """Load balance as it was made: one rank computes 20 of 20 ms, the others 2."""
    with Job(test) as job:
        made = (20 + 2 * (RANKS - 1)) / (20 * RANKS)
        seen = until(test, lambda seen: seen["recent"]["calls_per_s"] > 0 and seen["recent"]["observed_ns"] > 2e9,
                     "--window", "3s")
        check(abs(seen["recent"]["efficiency"]["load_balance"] - made) < 0.15, f"load balance {made:.2f}")
        job.end()
    factors = top(test, "--window", "all")["whole"]["efficiency"]
    check(abs(factors["parallel"] - factors["load_balance"] * factors["communication"]) < 1e-9, "a product")


def case_clocks(test):
    """Ranks whose clocks are 50 s and 20 s ahead."""
    def filled(seen):
        """Every rank ran in all of the window."""
        return all(sum(row["recent"][part] for part in ("useful_ns", "paused_ns", "mpi_ns")) ==
                   seen["recent"]["observed_ns"] for row in seen["by_rank"])
    with Job(test, SLACKLINE_TEST_CLOCK="1:50000000000:0:0,2:20000000000:0:0") as job:
        seen = until(test, lambda seen: is_late(1, "relax")(seen) and filled(seen), "--window", "2s")
        check(seen["silent_ranks"] == 0 and seen["recorded_ranks"] == RANKS, "no rank is silent")
        check(seen["recent"]["observed_ns"] < 2.1e9, "one clock")
        job.end()


def case_jobs(test):
    """Of several jobs of a folder the last one, and others by their folders."""
    with open(os.path.join(test.folder, "end"), "w", encoding="utf-8"):
        pass
    one = " ".join([*test.launcher(2), test.program("watched"), test.folder])
    check(test.record(["sh", "-c", f"{one} && {one}"]).returncode == 0, "recorded")

    def folder(path):
        return json.loads(test.slackline("top", path, "--once").stdout)["input"]["folder"]
    check(folder(test.output) == os.path.join(test.output, "job-2", "raw"), "the last one")
    check(folder(os.path.join(test.output, "raw")) == os.path.join(test.output, "raw"), "the first one")


def records(path):
    """The rank of a raw file and its records: those that were appended, then the stage's."""
    with open(path, "rb") as file:
        data = file.read()
    rank, = struct.unpack_from("<i", data, RANK_AT)
    stage, appended = struct.unpack_from("<QQ", data, STAGE_BYTES_AT)
    begin = HEADER_BYTES + stage
    found = []
    for at, end in ((begin, begin + appended), (HEADER_BYTES, HEADER_BYTES + stage)):
        while at + RECORD.size <= end:
            record = RECORD.unpack_from(data, at)
            if record[-1] == 0:
                break
            args = struct.unpack_from(f"<{record[7]}q", data, at + RECORD.size)
            found.append((*record[:-1], args, record[-1]))
            at += RECORD.size * (1 + (record[7] + 5) // 6)
    return rank, found


def is_call(record):
    return record[-1] < CALLS_END or record[-1] == ISENDRECV


def sums_of(found):
    """Time outside of MPI, inside, what of the first is no computation, calls."""
    calls = [(r[0], r[1]) for r in found if is_call(r)]
    gaps = {begin: [before, begin, {}] for (_, before), (begin, _) in zip(calls, calls[1:])}
    written = 0
    for record in found:
        if record[-1] in (OFF_PROCESSOR, BLOCKED) and record[0] in gaps:
            gap = gaps[record[0]]
            gap[2].setdefault(record[-1], min(record[2], gap[1] - gap[0]))
        if record[-1] == STAGE_WRITTEN:
            for gap in gaps.values():
                inside = min(record[1], gap[1]) - max(record[0], gap[0])
                if inside > 0:
                    gap[2][record[0], "written"] = inside
    paused = sum(min(end - begin, sum(lost.values())) for begin, end, lost in gaps.values())
    outside = sum(end - begin for begin, end, _ in gaps.values())
    return {"useful_ns": outside - paused, "paused_ns": paused, "mpi_ns": sum(end - begin for begin, end in calls),
            "calls": len(calls)}


MESSAGE_BYTES = 1 << 16  # of stages


def borders_of_stages(test):
    """When rank 0 of `stages` begins with its messages and when it has ended them, from the begin of the run."""
    ranks = dict(records(path) for path in glob.glob(os.path.join(test.output, "raw", "*.slkraw")))
    start = min(record[0] for found in ranks.values() for record in found if is_call(record))
    messages = [record for record in ranks[0] if is_call(record) and record[2] == MESSAGE_BYTES]
    return [messages[0][0] - start, messages[-1][1] - start]


def case_ended_phases(test):
    """Parts of a run are told once they have ended, and have the figures that they have in the whole run. Where other
    programs take the processors meanwhile, a part may be several phases."""
    def analysed(calls):
        def holds(seen):
            phases = seen["ended_phases"]
            return phases is not None and phases["obstacle"] is None and phases["calls"] > calls
        return holds
    with Job(test, program="stages", ranks=2) as job:
        told = [until(test, analysed(1000))["ended_phases"]]
        for part in ("1", "2"):
            job.go_on(part)
            told.append(until(test, analysed(2 * told[-1]["calls"]))["ended_phases"])
        text = test.slackline("top", test.output, "--once", "--format", "text").stdout
        check("Phase intervals that have ended in the first" in text, text)
        job.go_on("3")
        check(job.process.wait(timeout=PATIENCE) == 0, "the job failed")
    borders = borders_of_stages(test)
    whole = answer(test, "phases", trace=os.path.join(test.output, "raw"))["result"]
    near = 0.02 * whole["length_ns"]

    def is_at(time_ns, other_ns):
        return abs(time_ns - other_ns) < near
    compared = 0
    for ended, phases in enumerate(told):
        regions = phases["regions"]
        check(regions[0]["begin_ns"] == 0 and regions[0]["kind"] == "start-up", f"the first one: {regions}")
        for before, region in zip(regions, regions[1:]):
            check(before["end_ns"] == region["begin_ns"], f"one after the other: {regions}")
        check(regions[-1]["end_ns"] < 0.9 * phases["until_ns"], f"goes on: {phases}")
        for border in borders[:ended]:
            check(any(is_at(region["end_ns"], border) for region in regions), f"{border} ns has passed: {regions}")
        for region in regions:
            for same in whole["regions"]:
                if not (is_at(region["begin_ns"], same["begin_ns"]) and is_at(region["end_ns"], same["end_ns"])):
                    continue
                compared += 1
                for factor in ("parallel", "load_balance", "serialisation", "transfer"):
                    check(abs(region["efficiency"][factor] - same["efficiency"][factor]) < 0.05, f"{region}, {same}")
    check(compared >= len(told), "start-ups at least")


def most_recording_ns(found):
    """At most this much of the computation was recording calls, as the recorder has measured."""
    costs = [sum(record[-2]) for record in found if record[-1] == CALL_COST]
    return max(costs, default=1000) * sum(map(is_call, found))


def case_sums(test):
    """Sums over all of a job are those over its records, to the ns, and those of `efficiency`."""
    with Job(test) as job:
        until(test, is_late(1, "relax"))
        job.end()
    expected = dict(records(path) for path in glob.glob(os.path.join(test.output, "raw", "*.slkraw")))
    seen = top(test, "--window", "all")
    check(len(seen["by_rank"]) == RANKS, "all ranks")
    for row in seen["by_rank"]:
        of_records = sums_of(expected[row["rank"]])
        for sums in (row["recent"], row["whole"]):
            check({key: sums[key] for key in of_records} == of_records, f"rank {row['rank']}: {of_records}, {sums}")
    done = test.slackline("efficiency", os.path.join(test.output, "raw"), "--format", "json")
    run = json.loads(done.stdout)["result"]["runs"][0]
    check(run["observed_ns"] == seen["whole"]["observed_ns"], "the same run")
    outside = max(row["whole"]["useful_ns"] + row["whole"]["paused_ns"] for row in seen["by_rank"])
    check(run["outside_mpi_max_ns"] == outside, "the same time outside of MPI")
    for row in seen["by_rank"]:
        # `efficiency` knows in the end what recording a call took, and leaves it out.
        more = row["whole"]["useful_ns"] - run["useful_ns"][row["rank"]]
        most = most_recording_ns(expected[row["rank"]])
        check(0 <= more <= most, f"rank {row['rank']}: computation without recording, {more}, {most}")


def case_kill(test):
    """top ends by itself when the processes of a job are gone."""
    with Job(test) as job:
        until(test, lambda seen: seen["state"] == "running")
        watching = subprocess.Popen([test.arguments.slackline, "top", test.output, "--interval", "500ms"],
                                    stdout=subprocess.PIPE, text=True)
        first = json.loads(watching.stdout.readline())["result"]
        check(first["state"] == "running", "runs")
        for path in glob.glob(os.path.join(test.output, "raw", "*.slkraw")):
            with open(path, "rb") as file:
                pid, = struct.unpack_from("<i", file.read(HEADER_BYTES), PID_AT)
            with contextlib.suppress(ProcessLookupError):  # the launcher ends the others
                os.kill(pid, signal.SIGKILL)
        rest, _ = watching.communicate(timeout=PATIENCE)
        check(watching.returncode == 0, "top failed")
        last = json.loads(rest.splitlines()[-1])["result"]
        check(last["state"] == "ended" and last["gone_ranks"] == RANKS, "all are gone")
        job.process.wait(timeout=PATIENCE)
    shutil.rmtree(os.path.join(test.output, "raw"))


def case_finished(test):
    """When the job has ended, `record` removes its files, at a time that top does not know."""
    with Job(test, keep="-q") as job:
        until(test, lambda seen: seen["state"] == "running")
        with subprocess.Popen([test.arguments.slackline, "top", test.output, "--interval", "50ms"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
            watching.stdout.readline()
            job.end()
            rest, errors = watching.communicate(timeout=PATIENCE)
    check(watching.returncode == 0 and errors == "", "top failed")
    last = json.loads(rest.splitlines()[-1])["result"]
    check(last["state"] == "ended" and last["ended_ranks"] == RANKS and last["gone_ranks"] == 0, "has ended")
    done = test.slackline("top", test.output, "--once")
    check(done.returncode == 1 and "Use 'slackline report" in done.stderr, "is a trace now")


def case_reader(test):
    """A reader that closes the pipe ends top quietly, SIGINT with one more line."""
    with Job(test) as job:
        until(test, lambda seen: seen["state"] == "running")
        watching = [test.arguments.slackline, "top", test.output, "--interval", "1h"]
        with subprocess.Popen(watching, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as left:
            left.stdout.readline()
            left.stdout.close()
            check(left.wait(timeout=PATIENCE) == 0 and left.stderr.read() == "", "quiet")
        with subprocess.Popen(watching, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as asked:
            asked.stdout.readline()
            asked.send_signal(signal.SIGINT)
            rest, errors = asked.communicate(timeout=PATIENCE)
            check(asked.returncode == 0 and rest.count("\n") == 1 and errors == "", "one more line")
        job.end()


def case_terminal(test):
    """On a terminal the screen is drawn again in its place, and the last one stays."""
    with Job(test) as job:
        until(test, lambda seen: seen["state"] == "running")
        screen, terminal = os.openpty()
        with subprocess.Popen([test.arguments.slackline, "top", test.output, "--interval", "200ms"], stdout=terminal,
                              env=dict(test.environment, NO_COLOR="1")) as watching:
            os.close(terminal)
            shown = b""
            while shown.count(b"\x1b[J") < 3:
                shown += os.read(screen, 65536)
            job.end()
            try:
                while piece := os.read(screen, 65536):
                    shown += piece
            except OSError:  # nobody writes to the terminal any more
                pass
            check(watching.wait(timeout=PATIENCE) == 0, "top failed")
        os.close(screen)
    frames = shown.decode().split("\x1b[J")[1:]
    check(all(frame.count("running for") == 1 for frame in frames[:-1]), "one screen after the other")
    check("ended after" in frames[-1] and "relax (watched.c)" in frames[-1], "the last one")
    for frame in frames[:-1]:
        check(frame.endswith(f"\x1b[{frame.count(chr(10))}A\r"), "drawn over the one before")


def case_folders(test):
    """What is no recording, and one that has not begun."""
    os.mkdir(test.output)
    waiting = top(test)
    check(waiting["state"] == "waiting" and waiting["by_rank"] == [] and waiting["recent"]["efficiency"] is None, "waits")
    check("Waiting for the job" in test.slackline("top", test.output, "--once", "--format", "text").stdout, "says so")

    def refused(path, why):
        done = test.slackline("top", path, "--once")
        check(done.returncode == 1 and why in done.stderr and done.stdout == "", f"{path}: {done.stderr}")
    refused(os.path.join(test.folder, "none"), "no such folder")
    trace = os.path.join(test.output, "trace.slk")
    shutil.copy(test.arguments.slackline, trace)
    refused(trace, "it is a file")
    refused(test.output, "its job has ended")
    os.remove(trace)
    os.mkdir(os.path.join(test.output, "src"))
    refused(test.output, "it contains no recording")
    raw = os.path.join(test.output, "raw")
    os.mkdir(raw)
    with open(os.path.join(raw, "rank-0.slkraw"), "wb") as file:
        file.write(b"no recording at all" * 1000)
    damaged = test.slackline("top", test.output, "--once")
    answer = json.loads(damaged.stdout)
    check(answer["result"]["state"] == "waiting" and answer["findings"][0]["name"] == "damaged_file", "damaged")


if __name__ == "__main__":
    run_case(globals())
