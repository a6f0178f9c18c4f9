#!/usr/bin/env python3
"""Every call of a program is in its recording, with its arguments, and survives every format.

    calls_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

Exit status 77: cannot be tried here (said in words)."""
import json
import os
import re
import shutil
import subprocess
import sys

from recording import answer, calls, check, finding, rank_section, result, run_case, skip, succeeded
from printed_trace import call_words

HERE = os.path.dirname(os.path.abspath(__file__))


def counted(test, program):
    done = test.record(test.launcher(4) + [test.program(program)])
    succeeded(done)
    printed = os.path.join(test.folder, "printed")
    said = os.path.join(test.folder, "said")
    with open(printed, "w", encoding="utf-8") as out:
        out.write(test.text())
    with open(said, "w", encoding="utf-8") as out:
        for rank in range(4):
            with open(os.path.join(test.folder, f"counts-{rank}"), encoding="utf-8") as counts:
                out.write(counts.read())
    subprocess.run([sys.executable, os.path.join(HERE, "check_counts.py"), printed, said],
                   check=True)
    text = test.text()
    check(finding(text, "unknown_requests") == 0, "requests without a start")
    check(finding(text, "damaged_arguments") == 0, "arguments that cannot be")
    return done


def case_calls_c(test):
    counted(test, "calls")


def case_calls_mpif(test):
    counted(test, "calls_mpif")


def case_calls_f08(test):
    recorded = counted(test, "calls_f08")
    check("MPI_File_set_atomicity, MPI_File_delete" in test.text(), "calls that are not recorded are named")
    plain = test.run(test.launcher(4) + [test.program("calls_f08")])
    succeeded(plain)
    check("ierror of MPI_Pcontrol" in plain.stdout, "the program prints what it was given")
    check(recorded.stdout.startswith(plain.stdout), f"{recorded.stdout} is not {plain.stdout}")


def matched(test, trace=None, also=()):
    """No analysis finds anything but intercommunicators, and ranks that had to share processors."""
    for command in ("predict", "wait-states", "critical-path"):
        found = {f["name"] for f in answer(test, command, trace=trace)["findings"]}
        check(found <= {"intercommunicator_collective", "one_sided_calls",
                        "one_sided_not_modelled", "oversubscribed", "other_processes", "network_of_trace",
                        "computation_is_cpu_time", *also}, f"{command}: {found}")


def case_other_requests(test):
    """Requests of file accesses and generalized ones: what a call waits for is known."""
    counted(test, "other_requests")
    text = test.text()
    check(finding(text, "unrecorded_calls") == 0, "all is recorded")
    started = set(re.findall(r" file_iwrite_at .*\breq=(\d+)", rank_section(text, 0)))
    ended = {name for names in re.findall(r" waitall .*\breqs?=([\d,]+)", rank_section(text, 0)) for name in names.split(",")}
    check(len(started) == 6 and started <= ended, f"accesses {started} are completed by {ended}")
    causes = {cause["limit"] for cause in result(test, "report")["summary"]["causes"]}
    check("io" in causes, f"waiting for file accesses is I/O: {causes}")


def case_mpi4(test):
    counted(test, "mpi4")
    matched(test)


def case_sessions(test):
    done = test.record(test.launcher(4) + [test.program("sessions")])
    succeeded(done, "sessions")
    text = test.text()
    check(not re.search(r"^finding (?!oversubscribed|other_processes)", text, re.M), "nothing is lost")
    for rank in range(4):
        check(calls(text, rank, "session_init") == 2, "both sessions")
        check(calls(text, rank, "sendrecv") == (4 if rank % 2 == 1 else 2), "the rings")
    matched(test)


def case_plans(test):
    """Ranks start persistent collectives each in its own order: they match by what they start."""
    done = test.record(test.launcher(4) + [test.program("plans")])
    succeeded(done, "persistent collectives")
    text = test.text()
    check(not re.search(r"^finding (?!oversubscribed|other_processes|no_line)", text, re.M), "nothing is lost")
    for rank in range(4):
        for operation in ("ibcast", "iallreduce", "ibarrier"):
            begun = sum(operation in (call_words(line) or ()) for line in rank_section(text, rank).splitlines())
            check(begun == 4, f"{operation} once a round")
    matched(test)


def case_maker(test, maker):
    """Only those who make a communicator are counted, and rank 3's computation stays the cause."""
    if test.arguments.mpi == "mpich" and maker in ("comm_accept", "comm_join"):
        skip("Debian's MPICH has no ports (its UCX netmod does not support them)")
    done = test.record(test.launcher(4) + [test.program("makers"), maker])
    succeeded(done, maker)
    text = test.text()
    made = sum(calls(text, rank, maker) for rank in range(4))
    check(made >= 12, f"{made} calls of {maker} by ranks that take part")
    for rank in range(4):
        check(calls(text, rank, "finalize") == 1, "every rank is there")
    # MPI_Open_port and MPI_Close_port are named.
    matched(test, also=("unrecorded_calls",) if maker == "comm_accept" else ())
    by_rank = [0.0] * 4
    for delay in result(test, "wait-states")["delays"]:
        by_rank[delay["rank"]] += delay["total_ns"]
    # Six rounds in which rank 3 sleeps 59 ms longer than the three others. A loaded machine delays
    # these as well, which then is their cost, and takes something from that of the sleeps.
    planted_ns = 6 * 59e6 * 3
    check(by_rank[3] >= planted_ns / 3 and by_rank[3] == max(by_rank), f"rank 3 causes the waiting: {by_rank}")


def case_spawn(test):
    """A world that is spawned has a trace of its own, and all traces can be read."""
    if test.run(test.launcher(2) + [test.program("spawn")]).returncode != 0:
        skip("this MPI cannot spawn processes here")
    done = test.record(test.launcher(2) + [test.program("spawn")])
    succeeded(done)
    traces = sorted(name for name in os.listdir(test.output) if name.endswith(".slk"))
    check(traces == ["spawned-1.slk", "trace.slk"], f"one trace a world: {traces}")
    check("started by MPI_Comm_spawn, recorded in trace/spawned-1.slk" in done.stderr, "which is said")
    first = answer(test, "info", trace=os.path.join(test.output, "trace.slk"))
    check(first["result"]["ranks"] == 2, "the job that was started has two ranks")
    for name in traces:
        trace = os.path.join(test.output, name)
        printed = subprocess.run([test.arguments.slackline, "print", trace], capture_output=True,
                                 text=True, check=True).stdout
        check(finding(printed, "other_worlds") > 0, f"{name}: the other world is told of")
        check(finding(printed, "damaged_record") == 0, f"{name}: nothing is damaged")
        for rank in (0, 1):
            check(calls(printed, rank, "finalize") == 1, f"{name}: both ranks are whole")
            check(calls(printed, rank, "intercomm_merge") == 1, f"{name}: both ranks merge")
        for command in ("predict", "wait-states", "critical-path"):
            answer(test, command, trace=trace)


def case_large(test):
    test.record(test.launcher(1) + [test.program("scenario"), "large"])
    check(f"bytes={3 << 30}" in test.text(), "3 GiB are not cut to 32 bits")


def case_errors(test):
    """A probe that returns an error has found nothing, whatever its flag says."""
    done = test.record(test.launcher(2) + [test.program("scenario"), "errors"])
    succeeded(done)
    text = test.text()
    for operation in ("iprobe", "improbe"):
        check(len(re.findall(rf" {operation} .*failed", text)) == 2, f"{operation}: no message was found")
    for command in ("predict", "wait-states"):
        found = {f["name"] for f in answer(test, command)["findings"]}
        check("unmatched_receive" not in found, f"{command}: {found}")


def case_refused(test):
    """A call that returns an error because of its arguments has communicated nothing."""
    done = test.record(test.launcher(3) + [test.program("scenario"), "refused"])
    succeeded(done)
    text = test.text()
    for rank in range(3):
        for operation, count in {"bcast": 1, "ibcast": 0, "gather": 0, "cart_create": 0, "reduce": 1,
                                 "send": int(rank == 1), "isend": 0, "sendrecv": 0,
                                 "sendrecv_replace": 3, "recv": int(rank == 0)}.items():
            seen = calls(text, rank, operation)
            check(seen == count, f"rank {rank}: {seen} {operation}, expected {count}")
    wrong = {"collective_mismatch", "collective_incomplete", "damaged_arguments", "damaged_record",
             "unmatched_receive", "unmatched_send", "dependence_back_in_time", "unknown_requests"}
    for command in ("info", "predict", "wait-states"):
        found = {f["name"] for f in answer(test, command)["findings"]}
        check(not found & wrong, f"{command}: {found & wrong}")


def case_abandoned(test):
    """A program that leaves calls by longjmp, out of an error handler, goes on being recorded."""
    done = test.record(test.launcher(3) + [test.program("scenario"), "abandoned"])
    succeeded(done)
    text = test.text()
    for rank in range(3):
        for operation, count in {"send": 0, "sendrecv_replace": 6 * 2 + 3, "iprobe": 0, "comm_dup": 1, "reduce": 1}.items():
            seen = calls(text, rank, operation)
            check(seen == count, f"rank {rank}: {seen} {operation}, expected {count}")
    found = {f["name"]: f["count"] for f in answer(test, "info")["findings"]}
    check(found.get("abandoned_calls") == 3 * 6, f"abandoned calls: {found}")
    check(not found.keys() & {"damaged_arguments", "damaged_record", "not_finalized"}, f"{found}")


def case_lammps(test):
    lammps = shutil.which("lmp")
    if test.arguments.mpi != "openmpi" or lammps is None:
        skip("Debian's LAMMPS (made for Open MPI) is not installed")
    script = os.path.join(test.folder, "in.melt")
    with open(script, "w", encoding="utf-8") as out:
        out.write("units lj\natom_style atomic\nlattice fcc 0.8442\nregion box block 0 6 0 6 0 6\n"
                  "create_box 1 box\ncreate_atoms 1 box\nmass 1 1.0\nvelocity all create 3.0 87287\n"
                  "pair_style lj/cut 2.5\npair_coeff 1 1 1.0 1.0 2.5\nfix 1 all nve\nrun 50\n")
    done = test.record(test.launcher(4) + [lammps, "-in", script, "-log", "none"])
    check(done.returncode == 0, "LAMMPS failed")
    check("Loop time" in done.stdout, "LAMMPS ran to its end")
    text = test.text()
    for rank in range(4):
        check(calls(text, rank, "finalize") == 1, "every rank is there")
        check(calls(text, rank, "irecv") > 100, "with its halo exchanges")
    check(finding(text, "unknown_requests") == 0, "all requests are known")


def case_formats(test):
    """What was recorded goes through every format that can be written, and back."""
    done = test.record(test.launcher(4) + [test.program("calls")])
    succeeded(done)
    slackline = test.arguments.slackline

    def output(*arguments):
        ran = subprocess.run([slackline, *arguments], cwd=test.folder, capture_output=True,
                             text=True, check=False)
        check(ran.returncode == 0, f"{arguments}: {ran.stderr}")
        return ran.stdout

    def converted(name):
        output("convert", "-q", "trace", name)
        return os.path.join(test.folder, name)

    def lines(name, call_paths=True):
        """Calls and communicators, exactly; with call paths also their frames, the samples and what recording took."""
        found = [line for line in output("print", name).splitlines()
                 if line.startswith(("  ", "comm ", "frame ")) and not re.match(r"  @\S+ \+\d+ pause", line)]
        if call_paths:
            return found
        return [re.sub(r" frame=.*", "", line) for line in found
                if not line.startswith(("frame ", "  recording ", "  blocking ")) and not re.match(r"  @\S+ sample", line)]

    def durations(name):
        """Operation and duration of every call, rank after rank."""
        return [re.match(r"(rank \d+|  @\S+ (\+\d+ )?\w+)", line)[0] for line in output("print", name).splitlines()
                if line.startswith("rank ") or call_words(line)]

    original = lines("trace")
    check(any(line.startswith("frame ") for line in original), "call paths are recorded")
    count = sum(call_words(line) is not None for line in original)
    check(count > 1000, "the program calls much")
    for name in ("t.slk", "t.txt"):
        converted(name)
        check(lines(name) == original, f"{name} holds what was recorded")
    # OTF2 archives have all but the call paths.
    converted("t.otf2")
    check(lines("t.otf2") == lines("trace", call_paths=False), "t.otf2 holds what was recorded")
    converted("t.prv")
    shorn = [re.sub(r"@\S+ ", "", call) for call in durations("trace")]
    check([re.sub(r"@\S+ ", "", call) for call in durations("t.prv")] == shorn,
          "t.prv has every call with its duration")
    converted("t.ti")
    check("ranks" in output("info", "t.ti"), "t.ti is readable")
    output("predict", "t.ti")
    with open(converted("t.json"), encoding="utf-8") as file:
        slices = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X"]
    check(len(slices) == count, "t.json has a slice for every call")
    with open(converted("t.csv"), encoding="utf-8") as file:
        check(len(file.readlines()) == count + 1, "t.csv has a line for every call")
    check(os.path.getsize(converted("t.pftrace")) > 20 * count, "t.pftrace has slices")


if __name__ == "__main__":
    run_case(globals())
