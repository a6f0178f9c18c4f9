#!/usr/bin/env python3
"""End-to-end tests of programs that run while they are simulated: one case under one MPI.

    online_test.py CASE --mpi openmpi|mpich --slackline BINARY --programs DIR --examples DIR --platform FILE

Results are those that the program itself checks; dates are those of the simulation of the run's own trace, which is
compared with SimGrid elsewhere."""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

RANKS = (2, 5, 8)


def check(condition, what):
    if not condition:
        raise AssertionError(what)


class Test:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slackline-online-"))
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                OMPI_MCA_rmaps_base_oversubscribe="1")

    def program(self, name):
        return str(pathlib.Path(self.arguments.programs) / self.arguments.mpi / name)

    def example(self, name):
        return str(pathlib.Path(self.arguments.examples) / self.arguments.mpi / name)

    def run(self, *command, data=None):
        """data: bytes of memory of its own that each process may have."""
        limit = None if data is None else lambda: resource.setrlimit(resource.RLIMIT_DATA, (data, data))
        done = subprocess.run(["timeout", "200", *command], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, check=False, preexec_fn=limit)
        sys.stderr.write(done.stderr[-2000:])
        return done

    def simulate(self, ranks, *program, options=(), data=None):
        return self.run(self.arguments.slackline, "simulate", "--platform", self.arguments.platform, "-n", str(ranks),
                        "--format", "json", "-o", "run.json", *options, "--", *program, data=data)

    def result(self):
        return json.loads((self.folder / "run.json").read_text())["result"]

    def check_none_left(self):
        """No process of a simulated run, by their folder: other tests run the same programs at the same time."""
        folder = os.path.realpath(self.folder)
        left = [cwd for cwd in pathlib.Path("/proc").glob("[0-9]*/cwd") if os.path.realpath(cwd) == folder]
        check(not left, f"processes are left: {left}")

    def replayed(self, options=()):
        """The simulation of the run's own trace."""
        done = self.run(self.arguments.slackline, "simulate", "run.slk", "--platform", self.arguments.platform,
                        "--format", "json", *options)
        check(done.returncode == 0, "the trace can be simulated")
        return json.loads(done.stdout)


def kinds(test):
    """Every kind of call has the result that MPI says, on several numbers of ranks."""
    real = test.run(f"mpirun.{test.arguments.mpi}", "-n", "3", test.program("online"))
    check(real.stdout == "ok\n", f"the program itself is right: {real.stdout}")
    for ranks in RANKS:
        done = test.simulate(ranks, test.program("online"), "sleep", options=("--trace", "run.slk"))
        check(done.returncode == 0, f"exit status {done.returncode} on {ranks} ranks: {done.stdout}")
        check(done.stdout.startswith("ok\n"), done.stdout)
        result = test.result()
        check(result["ranks"] == ranks and result["calls"] > 60 * ranks, "ranks and calls are told")
        check(2e9 < result["makespan_ns"] < 3e9, "two seconds of sleep are two simulated seconds")
        check(not test.replayed()["findings"], "the trace matches")


def beyond(test):
    """Communicators of some members or two groups, graphs, and less common requests: right, and at the dates of the trace."""
    for name in ("online_communicators", "online_topologies", "online_requests"):
        for ranks in RANKS:
            done = test.simulate(ranks, test.program(name), options=("--compute", "none", "--trace", "run.slk"))
            check(done.returncode == 0 and done.stdout.startswith("ok\n"), f"{name} on {ranks} ranks: {done.stdout}")
            online, offline = test.result()["makespan_ns"], test.replayed()["result"]["makespan_ns"]
            polls = name == "online_requests"  # those that failed are not timed in a trace
            check(online == offline or polls, f"{name}: {online} ns on line, {offline} ns from its trace")


def children(test):
    """What a rank starts is no rank: MPI programs run as alone, whatever starts them, in the environment of the simulator."""
    # Both know of each variable that the simulator sets for a rank; one of them is there before.
    test.environment["UCX_TLS"] = "self,sm"
    # MPI's own folders, which simulations at the same time would share, are not needed.
    folder, test.environment["TMPDIR"] = test.environment.get("TMPDIR", "/tmp"), "/proc"
    done = test.simulate(3, test.program("online"))
    check(done.returncode == 0 and done.stdout.startswith("ok\n"), f"nothing can be made in $TMPDIR: {done.stdout}")
    test.environment["TMPDIR"] = folder
    # Open MPI's launcher starts nothing from one of its own processes, simulated or not.
    program, n = test.program("online_children"), 3 if test.arguments.mpi == "mpich" else 1
    done = test.simulate(2, program, f"mpirun.mpich -n {n} {program}" if n > 1 else program)
    expected = ["ok 1", "system 0", f"ok {n}", "launcher 0", "ok 1", "as before 0", "ok 1", "vfork 0", "ok 1", "posix_spawn 0",
                "fork 0", "UCX_TLS=self,sm", "environment 0"]
    check(done.returncode == 0 and done.stdout.splitlines()[:len(expected)] == expected, f"{done.stdout}")
    check(test.result()["ranks"] == 2, "and the ranks end")
    # All functions, in processes that have the library and are no ranks.
    library = pathlib.Path(test.arguments.slackline).parent / "lib" / "slackline" / f"libslackline_online_{test.arguments.mpi}.so"
    for name in ("online", "calls", "mpi4", "sessions"):
        command = (f"mpirun.{test.arguments.mpi}", "-n", "4")
        usual = test.run(*command, test.program(name)).returncode
        check(test.run(*command, "env", f"LD_PRELOAD={library}", test.program(name)).returncode == usual, f"{name} alone")


def windows(test):
    """One-sided communication: right data, and the time of the messages."""
    for ranks in RANKS:
        done = test.simulate(ranks, test.program("online_windows"), "time", options=("--compute", "none"))
        check(done.returncode == 0 and done.stdout.startswith("ok\n"), f"on {ranks} ranks: {done.stdout}")
        check(1e9 < test.result()["makespan_ns"] < 1.5e9, "the put of a second is waited for once")


def files(test):
    """All ranks open one file: it is created and deleted once, and has one shared pointer."""
    for ranks in RANKS:
        done = test.simulate(ranks, test.program("online_files"), str(test.folder / "data"), options=("--compute", "none"))
        check(done.returncode == 0 and done.stdout.startswith("ok\n"), f"on {ranks} ranks: {done.stdout}")


def waits(test):
    """What waits for nothing but a timeout passes simulated time, on one processor of this machine or all."""
    made, overhead = set(), ("--option", "smpi/ois:0:1e-6:0")
    for processors in ("one", "all"):
        done = test.simulate(3, test.program("online_waits"),
                             options=("--compute", "none", "--processors", processors, "--trace", "run.slk", *overhead))
        check(done.returncode == 0 and done.stdout.startswith("ok\n"), done.stdout)
        check(test.result()["makespan_ns"] == test.replayed(overhead)["result"]["makespan_ns"], "the same date from its trace")
        made.add(test.result()["makespan_ns"])
    check(len(made) == 1 and 7.5e9 < made.pop() < 7.6e9, "7.5 s pass, whatever processors are used")


def same_dates(test):
    """The dates are those of the simulation of the run's own trace, to the bit; without computation, which a pause is not, always the same."""
    test.environment["EXAMPLE_WORK"] = "pause"
    for name in ("stencil2d", "cg", "lb_coll", "lb_p2p", "heat_phases", "unbalanced"):
        done = test.simulate(8, test.example(name), options=("--compute", "none", "--trace", "run.slk"))
        check(done.returncode == 0, f"{name} ends")
        online, offline = test.result()["makespan_ns"], test.replayed()["result"]["makespan_ns"]
        check(online == offline, f"{name}: {online} ns on line, {offline} ns from its trace")
        if name == "lb_coll":
            # 25 steps, in which the last rank works 12 ms; messages take some 10 ms more.
            check(300e6 < online < 320e6, f"lb_coll takes {online} ns")
        first = done.stdout.splitlines()[0]
        check(test.simulate(8, test.example(name), options=("--compute", "none")).stdout.startswith(first),
              "the program prints the same again")
        check(test.result()["makespan_ns"] == online, "and takes the same time")
    del test.environment["EXAMPLE_WORK"]
    done = test.simulate(8, test.example("cg"), options=("--trace", "run.slk"))
    online, offline = test.result()["makespan_ns"], test.replayed()["result"]["makespan_ns"]
    check(done.returncode == 0 and online == offline, f"computing: {online} ns on line, {offline} ns from its trace")


def sampled(test):
    """Blocks are executed as often as asked and charged their mean then; what calls MPI is not skipped."""
    def simulate(program, what):
        done = test.simulate(3, test.program(program), what, options=("--trace", "run.slk"))
        check(done.returncode == 0, f"{what} ends")
        report = json.loads((test.folder / "run.json").read_text())
        check(report["result"]["makespan_ns"] == test.replayed()["result"]["makespan_ns"], f"{what}: the same date from its trace")
        blocks = report["result"].get("sampled_blocks", [])
        executed = int(done.stdout.split()[1])
        if what not in ("calls", "left", "names", "many"):
            makespan = report["result"]["makespan_ns"]
            # Barriers and what the kernel charges for changing processes come on top.
            check(0.4e9 < makespan < 0.42e9, f"{what}: 40 times 10 ms take {makespan} ns")
        return executed, blocks, {f["name"]: f["count"] for f in report["findings"]}

    for program in ("online_sampling", "online_sampling_cpp", "online_sampling_f90"):
        executed, blocks, findings = simulate(program, "local")
        check(executed == 3 * 4 and findings == {"sampled_blocks": 108}, f"{program}: {executed} executions, {findings}")
        check([(b["executed"], b["skipped"], b["ranks_together"]) for b in blocks] == [(12, 108, False)], f"{blocks}")
        check(abs(blocks[0]["charged_ns"] - 108 * 10e6) < 0.02 * 108 * 10e6, f"charged {blocks}")
    executed, blocks, _ = simulate("online_sampling", "global")
    check(executed == 5 and [(b["executed"], b["skipped"], b["ranks_together"]) for b in blocks] == [(5, 115, True)], f"{blocks}")
    executed, blocks, _ = simulate("online_sampling", "precise")
    check(3 * 2 <= executed < 3 * 40, f"{executed} times are enough to know the mean to a tenth")
    executed, blocks, findings = simulate("online_sampling", "nested")
    check(executed == 3 * 5 and sorted(b["executed"] for b in blocks) == [15, 60], f"{blocks}")
    for what, expected in (("calls", {"sampled_block_calls_mpi"}), ("left", set())):
        executed, blocks, findings = simulate("online_sampling", what)
        check(executed == 3 * 40 and findings.keys() == expected, f"{what}: {executed} executions, {findings}")
    executed, blocks, _ = simulate("online_sampling", "names")
    check(executed == 3 * 4 * 3 and len(blocks) == 3, f"names that differ at their end, and none: {executed} executions of {len(blocks)} blocks")
    executed, blocks, findings = simulate("online_sampling", "many")
    check(executed == 3 * (256 * 4 + 44 * 40) and len(blocks) == 256, f"{executed} executions of {len(blocks)} blocks")
    check(findings == {"sampled_blocks": 3 * 256 * 36, "unsampled_blocks": 3 * 44 * 40}, f"of 300 blocks: {findings}")
    done = test.simulate(3, test.program("online_sampling"), "later")
    check(done.returncode == 1 and "rank 0 in MPI_Recv (call 11 in main) waits for a message from rank 1, tag 0" in done.stderr, f"a message is skipped: {done.stderr}")
    check("Sampled blocks were skipped " in done.stderr, "which may be the reason")
    check(test.run(test.program("online_sampling_alone")).stdout == "6 3\n", "without MPI each block is executed once")
    launcher = (f"mpirun.{test.arguments.mpi}", "-n", "2")
    alone = test.run(*launcher, test.program("online_sampling"), "local")
    check(alone.stdout.startswith("executed 80 "), "without the simulator nothing is skipped")
    recorded = test.run(test.arguments.slackline, "record", "-o", "recorded", "--", *launcher,
                        test.program("online_sampling"), "local")
    check("executed 80 " in recorded.stdout, "nor by the recorder")
    printed = test.run(test.arguments.slackline, "print", "recorded").stdout
    check(re.search(r"[0-9] barrier", printed) and not re.search(r"[0-9] pcontrol|\b(enter|leave) ", printed), "which records no marks")


def sampled_functions(test):
    """Functions whose time is known are skipped without a mark, others are executed each time, and what is wrong with them is said."""
    program, times, ranks = test.program("online_functions"), 60, 2
    names = "steady status residual next_state allocates prints exchanges varies brief recursive jumps_out outer address wide".split()

    def simulate(*wanted, compute=()):
        options = [word for name in wanted for word in ("--sample-function", name)]
        done = test.simulate(ranks, program, options=(*options, *compute))
        words = done.stdout.split()  # and where the report is
        return " ".join(words[:len(names) + 1]), done, test.result() if done.returncode == 0 else {}, dict(zip(names, map(int, words[:len(names)])))

    def by_name(result):
        """Executions of both ranks, by the function: executed and skipped."""
        found = {}
        for block in result.get("sampled_blocks", []):
            counts = found.setdefault(block["block"].split(",")[0], [0, 0])
            counts[0] += block["executed"]
            counts[1] += block["skipped"]
        return found

    printed, done, plain, executed = simulate()
    check(printed.endswith(" ok") and set(executed.values()) == {times}, f"without the option: {printed}")
    check("sampling_error_ns" not in plain, "and there is nothing to be said of it")
    printed, done, result, executed = simulate("auto")
    check(done.returncode == 0 and printed.endswith(" ok"), f"auto: {printed} {done.stderr}")
    counts = by_name(result)
    for name in names:
        skipped = counts.get(name, [0, 0])[1]
        if name in ("steady", "status", "recursive", "outer"):
            check(executed[name] < times / 2 and sum(counts[name]) == ranks * times, f"{name} is skipped: {executed[name]}, {counts[name]}")
        else:
            check(executed[name] == times and skipped == 0, f"{name} is always executed: {executed[name]}, {skipped} skipped")
    check("brief" not in counts and "exchanges" not in counts, f"{counts}")
    findings = {f["name"]: f for f in json.loads((test.folder / "run.json").read_text())["findings"]}
    check({"sampled_functions", "functions_not_sampled"} <= findings.keys(), f"{findings}")
    error = abs(result["makespan_ns"] - plain["makespan_ns"])
    # Wide, as other work on this machine makes CPU times longer; the program of doc/online-simulation.md has the figures.
    check(error < 0.2 * plain["makespan_ns"], f"{result['makespan_ns']} ns, without sampling {plain['makespan_ns']} ns")
    check(0 < result["sampling_error_ns"] < 0.2 * plain["makespan_ns"], f"{result['sampling_error_ns']}")
    printed, done, result, executed = simulate("next_state", "varies")
    check(printed.endswith(" wrong") and executed["next_state"] < times / 2 and executed["varies"] < times / 2,
          f"what is named is skipped, whatever it returns: {printed}")
    check(executed["steady"] == times and by_name(result).keys() == {"next_state", "varies"}, f"and nothing else: {result}")
    site = next(n for n, line in enumerate((pathlib.Path(__file__).parent / "online_functions.c").read_text().splitlines(), 1) if "    varies(i)" in line)
    check(any(block["block"] == f"varies, called in main (online_functions.c:{site})" for block in result["sampled_blocks"]), f"{result['sampled_blocks']}")
    for wanted, compute, message in (("missing", (), "cannot sample 'missing': "), ("wide", (), "it returns more than a number"), ("main", (), "it is executed once"), ("auto", ("--compute", "none"), "cannot sample functions: ")):
        _, done, _, _ = simulate(wanted, compute=compute)
        check(done.returncode == 2 and message in done.stderr, f"{wanted}: {done.returncode} {done.stderr}")


def shared_processes(test):
    """Ranks that share a process have their own variables, and the dates of ranks that have one each."""
    def simulate(name, *words, each, options=()):
        return test.simulate(7, test.program(name), *words, options=("--compute", "none", "--ranks-per-process", str(each), *options))

    for name in ("online", "online_communicators", "online_topologies", "online_requests"):
        alone = simulate(name, each=1)
        expected = test.result()
        for each in (3, 7):
            done = simulate(name, each=each, options=("--trace", "run.slk"))
            check(done.returncode == 0 and done.stdout.startswith("ok\n"), f"{name}, {each} in a process: {done.stdout} {done.stderr}")
            check(test.result()["makespan_ns"] == expected["makespan_ns"] and test.result()["calls"] == expected["calls"], f"{name}, {each} in a process: the same run")
        check(alone.returncode == 0, f"{name} alone")
    for what in ("", "child"):
        for each in (1, 3):
            done = simulate("online_shared", *filter(None, [what]), each=each)
            check(done.returncode == 3 and "wrong" not in done.stdout, f"{what}, {each} in a process: {done.returncode} {done.stdout} {done.stderr}")
    for name, what, message in (("online_shared", "thread", "several ranks cannot share a process: each has one thread"), ("online_shared", "leave", "without MPI_Finalize (exit status 5)"),
                                ("online_windows", "", "several ranks cannot share a process: others cannot reach the global variables")):
        done = simulate(name, *filter(None, [what]), each=3)
        check(done.returncode == 1 and message in done.stderr, f"{name} {what}: {done.returncode} {done.stderr}")
    for option in ("--fold-above", "--sample-function"):
        done = test.simulate(2, test.program("online"), options=(option, "auto", "--ranks-per-process", "2"))
        check(done.returncode == 2 and f"cannot use {option}" in done.stderr, f"{done.stderr}")
    check(simulate("online", each=0).returncode == 2, "0 ranks in a process")
    test.check_none_left()


def folded(test):
    """A program of which each rank needs four times what a process may have runs, on one copy of its memory."""
    ranks, cap = 8, 64 << 20
    fold = ("--fold-above", "4MiB")
    program = test.program("online_fold")
    check("ok" not in test.simulate(ranks, program, "plain", data=cap).stdout, "it does not run with memory of its own")
    # Beside those of the case, each rank makes two before MPI_Init (where only malloc is folded), one behind it and two for messages.
    for what, allocations in (("plain", 4 + 2 * 200), ("shared", 4)):
        done = test.simulate(ranks, program, what, options=fold, data=cap)
        check(done.returncode == 0 and done.stdout.startswith("ok\n"), f"folded: {done.stdout}")
        folded_memory(test, ranks * (allocations + 5))
    check("ok" in test.simulate(2, program, "shared").stdout, "by the header alone")
    folded_memory(test, 2 * (4 + 1))
    alone = test.run(f"mpirun.{test.arguments.mpi}", "-n", "1", program, "shared")
    check(alone.stdout == "ok\n", "without the simulator it is malloc and free")
    # A rank's part of half of the memory holds two of its four allocations, or all; it asks for one more to be folded.
    for memory, few in (("768MiB", False), ("8GiB", True)):
        done = test.simulate(2, program, "plain", options=("--fold-above", "auto", "--memory", memory), data=None if few else cap + (192 << 20))
        counts = {f["name"]: f["count"] for f in json.loads((test.folder / "run.json").read_text())["findings"]}
        check(done.returncode == 0 and done.stdout.startswith("ok\n") and counts.keys() == {"folded_memory"}, f"{memory}: {done.stdout} {counts}")
        check((counts["folded_memory"] == 2) == few, f"what does not fit in {memory} is folded: {counts}")
    for size, why in (("1000", "too small"), ("unlimited", "too large"), ("1MX", "1MiB or auto")):
        done = test.simulate(2, program, options=("--fold-above", size))
        check(done.returncode == 2 and why in done.stderr, f"{size}: {done.stderr}")


def folded_memory(test, allocations):
    """Checks how many were folded, of which no more than all were in use at a time."""
    findings = {f["name"]: f for f in json.loads((test.folder / "run.json").read_text())["findings"]}
    check(findings.keys() == {"folded_memory"} and findings["folded_memory"]["count"] == allocations, f"{findings}")
    number, unit = re.search(r", ([0-9.]+) ([KMGTP])iB at a time", findings["folded_memory"]["examples"][0]).groups()
    at_a_time = float(number) * 1024 ** ("KMGTP".index(unit) + 1)
    check(at_a_time <= allocations * 4 * (64 << 20), f"{findings}")


def folded_anywhere(test):
    """Folded memory is allocated and freed by threads and children, before MPI_Init and after MPI_Finalize."""
    program, fold = test.program("online_fold"), ("--fold-above", "4MiB")
    for what, options, allocations in (("elsewhere", (), 3 + 1), ("elsewhere", fold, 3 + 5), ("relatives", fold, 1 + 5), ("beside", fold, None)):
        alone = test.run(f"mpirun.{test.arguments.mpi}", "-n", "1", program, what) if what == "elsewhere" else None
        check(alone is None or alone.stdout == "ok\n", f"{what} without the simulator: {alone and alone.stderr}")
        done = test.simulate(2, program, what, options=options)
        check(done.returncode == 0 and done.stdout.startswith("ok\n"), f"{what} {options}: {done.stdout}")
        folded_memory(test, 2 * allocations if allocations else 2 * 5 + 1)
    done = test.simulate(2, program, "child", options=fold)
    check(done.returncode == 0 and done.stdout.startswith("ok\n"), f"a rank that is a child: {done.stdout}")
    folded_memory(test, 2 * 3)
    for what in ("forks", "grows", "random"):
        done = test.simulate(1, program, what, options=fold, data=1 << 30)
        check(done.returncode == 0 and done.stdout.startswith("ok\n"), f"{what}: {done.stdout}")


def fortran(test):
    """mpif.h and mpi_f08: arguments are converted both ways."""
    for ranks in (2, 6):
        done = test.simulate(ranks, test.program("online_mpif"))
        check(done.returncode == 0 and done.stdout.startswith("ok\n"), done.stdout)
    done = test.simulate(4, test.example("heat_f08"), options=("--compute", "none", "--trace", "run.slk"))
    check(done.returncode == 0 and "heat_f08: 200000 points, 60 steps, total  1000.000000" in done.stdout, done.stdout)
    check(test.result()["makespan_ns"] == test.replayed()["result"]["makespan_ns"], "the same date from its trace")


def refused(test):
    """What cannot go on ends with the reason, and nothing is left running or written."""
    for what, status, text in (("abort", 1, "rank 1 called MPI_Abort with 7"),
                               ("exit", 1, "rank 1 ended without MPI_Finalize (exit status 4)"),
                               ("crash", 1, "rank 1 ended without MPI_Finalize (exit status 134)"),
                               ("overwrites", 1, "rank 1 has written over the memory that it shares with the simulator: a call that it handed over has an invalid list length"),
                               ("threads", 1, "threads of rank 0 call MPI at the same time (MPI_Send during MPI_Recv): on-line simulation provides MPI_THREAD_SERIALIZED at most"),
                               ("multiple", 1, "while one of them waits in MPI, no other can call it"),
                               ("spawn", 1, "MPI_Comm_spawn: it is not simulated"),
                               ("deadlock", 1, "\n  rank 1 in MPI_Recv (call 1 in main/receive_late) waits for a message from rank 0, tag 9, since"),
                               ("wait", 1, "\n  rank 1 in MPI_Wait (call 2 in main/wait_late) waits for a message from rank 2, tag 8, since"),
                               ("probe", 1, "1 of 3 ranks wait forever:\n  rank 1 in MPI_Probe (call 1 in main) waits for a message from any rank, tag 9"),
                               ("barrier", 1, "\n  rank 2 in MPI_Barrier (call 1 in main) waits for a message from rank")):
        done = test.simulate(3, test.program("online_refused"), what, options=("--trace", "run.slk"))
        check(done.returncode == status, f"{what}: exit status {done.returncode}")
        check(text in done.stderr, f"{what}: {done.stderr}")
        check(not list(test.folder.iterdir()), f"{what} leaves nothing")
    done = test.simulate(3, test.program("online_refused"), "status")
    check(done.returncode == 5, "the program's own exit status is kept")
    test.check_none_left()
    # Threads that take turns are all right.
    done = test.simulate(2, test.program("online_refused"), "turns")
    check(done.returncode == 0, done.stderr)
    check(200e6 < test.result()["makespan_ns"] < 210e6, "what another thread computes takes time")


def threads(test):
    """A rank's threads compute beside each other on the cores of its host; calls at the same time end the run at once."""
    one_core = test.folder / "one.xml"
    one_core.write_text(pathlib.Path(test.arguments.platform).read_text().replace('core="4"', 'core="1"'))
    platforms = {4: test.arguments.platform, 1: str(one_core)}
    compilers = [name for name in ("gcc", "clang") if pathlib.Path(test.program(f"online_threads_{name}")).exists()]
    # Milliseconds: the longest thread of each region and what is serial; all CPU time.
    for what, beside, together in (("regions", 50, 200), ("serial", 100, 250), ("longest", 50, 80), ("posix", 50, 140)):
        for cores, expected in ((4, beside), (1, together)):
            for compiler in compilers:
                test.arguments.platform = platforms[cores]
                done = test.simulate(2, test.program(f"online_threads_{compiler}"), what)
                check(done.returncode == 0, done.stderr)
                report = json.loads((test.folder / "run.json").read_text())
                took = report["result"]["makespan_ns"] / 1e6
                print(f"{what} by {compiler} on {cores} cores: {took} ms")
                check(0.99 * expected < took < 1.04 * expected, f"{what} by {compiler} on {cores} cores: {took} ms")
                findings = [f["name"] for f in report["findings"]]
                check(findings == (["threads_charged_as_one"] if cores == 1 else []), f"{findings}")
    # Two ranks on one host have two cores each.
    test.arguments.platform = platforms[4]
    (test.folder / "hosts").write_text("node-0\nnode-0\n")
    test.simulate(2, test.program("online_threads_gcc"), "regions", options=("--hostfile", "hosts"))
    took = test.result()["makespan_ns"] / 1e6
    check(99 < took < 104, f"on half of the cores: {took} ms")
    begin = time.monotonic()
    done = test.simulate(2, test.program("online_threads_gcc"), "exchange")
    check(done.returncode == 1 and time.monotonic() < begin + 2, f"calls at the same time end it: {done.stderr}")
    check(re.search(r"threads of rank [01] call MPI at the same time \(MPI_(Send|Recv) during MPI_(Send|Recv)\): ", done.stderr), done.stderr)
    test.check_none_left()


def interrupted(test):
    """A signal ends the run: report and trace are those of the run until then, and no process is left."""
    done = test.simulate(3, test.program("online_refused"), "interrupt",
                         options=("--compute", "none", "--trace", "run.slk"))
    check(done.returncode == 128 + 15, f"exit status {done.returncode}: {done.stderr}")
    report = json.loads((test.folder / "run.json").read_text())
    check([f["name"] for f in report["findings"]] == ["simulation_interrupted"], report["findings"])
    trace = test.run(test.arguments.slackline, "info", "run.slk", "--format", "json")
    calls = json.loads(trace.stdout)["input"]["calls"]
    check(3 * 400 < calls < 3 * 600, f"{calls} calls until the signal")
    test.check_none_left()


def several(test):
    """Several numbers of ranks and a sweep in one command: a table, each figure that of the single run."""
    test.environment["EXAMPLE_WORK"] = "pause"
    counts, factors = ("2", "4", "8"), ("0.5", "1")
    program, sweep = (test.example("stencil2d"), "512", "512", "20"), ("--compute", "none")

    def makespan(ranks, *options):
        check(test.simulate(ranks, *program, options=(*sweep, *options)).returncode == 0, "a single run")
        return test.result()["makespan_ns"]

    single = {(n, f): test.simulate(n, *program, options=(*sweep, "--sweep", f"bandwidth={f}")) and test.result()["cases"][0]["makespan_ns"]
              for f in factors for n in counts}
    check(all(single[n, "1"] == makespan(n) for n in counts), "a bandwidth of 1 is the platform's")
    done = test.simulate(",".join(counts), *program, options=(*sweep, "--sweep", f"bandwidth={','.join(factors)}"))
    check(done.returncode == 0, done.stderr)
    result = test.result()
    check(result["axes"] == ["ranks", "bandwidth"] and len(result["cases"]) == 6, f"{result}")
    for case in result["cases"]:
        n, factor = case["values"]
        check(case["makespan_ns"] == single[n, factor], f"{case} is {single[n, factor]} alone")
        check(abs(case["speedup"] - single["2", factor] / single[n, factor]) < 1e-12, f"{case}")
        check(abs(case["scaling_efficiency"] - case["speedup"] * 2 / int(n)) < 1e-12, f"{case}")
    for options, text in ((("--trace", "run.slk"), "several times"), (("--tolerance", "latency"), "tolerance of a program")):
        done = test.simulate("2,4", *program, options=options)
        check(done.returncode == 2 and text in done.stderr, done.stderr)


def paths(test):
    """The trace has the functions that call MPI and the program's regions, so that what is asked of a recording can be asked of it."""
    for program, name in (("online_paths", "exchange"), ("online_mpif", "online_mpif")):
        done = test.simulate(2, test.program(program), options=("--compute", "none", "--trace", "run.slk"))
        check(done.returncode == 0, done.stderr)
        printed = test.run(test.arguments.slackline, "print", "run.slk").stdout
        check(name in printed and "libslackline" not in printed, f"{program}: {printed[:2000]}")
        findings = [f["name"] for f in json.loads((test.folder / "run.json").read_text())["findings"]]
        check(not findings, f"{program}: {findings}")
    done = test.simulate(4, test.program("online_paths"), "compute", options=("--trace", "run.slk"))
    check(done.returncode == 0, done.stderr)
    # Rank r computes 10 + 10 r ms in solve, and 5 ms in the region "rest".
    check(abs(test.result()["makespan_ns"] / 1e6 - 10 * (40 + 5)) < 10, "the slowest rank")
    check(test.result()["makespan_ns"] == test.replayed()["result"]["makespan_ns"], "the same date from its trace, whatever is marked")

    def answer(*command):
        done = test.run(test.arguments.slackline, *command, "--platform", test.arguments.platform, "--format", "json")
        check(done.returncode == 0, done.stderr)
        return json.loads(done.stdout)["result"]

    hot = test.run(test.arguments.slackline, "hotspots", "run.slk").stdout
    check(re.search(r"solve +[0-9.]+ +[0-9.]+ %", hot) and "(online_paths." in hot, hot)
    for what in ("function=solve", "region=solve_region"):
        balanced = answer("whatif", "run.slk", "--set", f"balance {what}")
        check(abs(balanced["after"]["makespan_ns"] / 1e6 - 10 * (25 + 5)) < 10, f"{what}: {balanced}")


def adapts(test):
    """Where a program does as much as time allows, a trace keeps the number of steps of its machine; the program itself adapts."""
    near = pathlib.Path(test.arguments.platform)
    far = test.folder / "far.xml"
    text = near.read_text()
    trunk = 'id="trunk" bandwidth="1.25GBps" latency="'
    check(trunk + '24us"' in text, "the platform is the one that is known")
    far.write_text(text.replace(trunk + '24us"', trunk + '2ms"'))
    (test.folder / "hosts").write_text("".join(f"node-{n}\n" for n in (0, 1, 16, 17)))

    def run(platform):
        test.arguments.platform = str(platform)
        done = test.simulate(4, test.example("time_limited"), options=("--hostfile", "hosts", "--compute", "none",
                                                                      "--trace", f"{platform.stem}.slk"))
        check(done.returncode == 0, "the program ends")
        return int(done.stdout.split()[0]), test.result()["makespan_ns"]

    def replayed(trace):
        done = test.run(test.arguments.slackline, "simulate", trace, "--platform", str(far), "--hostfile", "hosts",
                        "--format", "json")
        return json.loads(done.stdout)["result"]["makespan_ns"]

    many, makespan = run(near)
    check(300 < many < 500 and 500e6 < makespan < 510e6, f"{many} steps of a millisecond and messages in half a second")
    few, adapted = run(far)
    check(few < many / 5 and 500e6 < adapted < 550e6, f"{few} steps of many milliseconds, and half a second again")
    check(replayed("far.slk") == adapted, "the trace of the far machine takes the same time there")
    check(replayed("graphene.slk") > 2.5e9, "that of the near one keeps its steps, and is wrong")


def python(test):
    """Programs of Python, and scripts, whose MPI is that of mpi4py."""
    interpreter = "/usr/bin/python3"
    there = subprocess.run([interpreter, "-c", "import mpi4py"], capture_output=True, check=False).returncode == 0
    if not there or test.arguments.mpi != "openmpi":
        print("SKIPPED: Debian's mpi4py, which is Open MPI's, is not here or not for this MPI")
        sys.exit(77)
    script = test.folder / "sum.py"
    script.write_text(f"#!{interpreter}\nfrom mpi4py import MPI\nprint(MPI.COMM_WORLD.allreduce(MPI.COMM_WORLD.rank))\n")
    script.chmod(0o755)
    for program in ((interpreter, str(script)), (str(script),)):
        done = test.simulate(4, *program)
        check(done.returncode == 0 and done.stdout.split()[:4] == ["6"] * 4, f"{program}: {done.stdout}")


def usage(test):
    """What is asked wrongly is said before anything runs."""
    for command, text in ((["simulate", "--platform", test.arguments.platform, "-n", "2"], "no program"),
                          (["simulate", "--platform", test.arguments.platform, "-n", "2", "--", "ls"],
                           "cannot tell the MPI library of 'ls'"),
                          (["simulate", "--platform", test.arguments.platform, "-n", "2", "--", "./missing"],
                           "cannot start './missing': no such program"),
                          (["simulate", "--platform", test.arguments.platform, "-n", "2", "--mpi",
                            test.arguments.mpi, "--", "ls"], "ended without MPI_Init"),
                          (["simulate", "--platform", test.arguments.platform, "run.slk", "--fold-above", "1MiB"],
                           "cannot use --fold-above for a trace"),
                          (["simulate", "--platform", test.arguments.platform, "run.slk", "--compute", "none"],
                           "cannot use --compute for a trace"),
                          (["simulate", "--platform", test.arguments.platform, "-n", "2", "--mpi",
                            test.arguments.mpi, "--", "./missing"], "cannot start './missing'")):
        done = test.run(test.arguments.slackline, *command)
        check(done.returncode in (1, 2), f"exit status {done.returncode}")
        check(text in done.stderr, done.stderr)
    libraries = pathlib.Path(test.arguments.slackline).parent / "lib" / "slackline"
    (test.folder / "lib").mkdir()
    for name in ("libslackline_preload.so", f"libslackline_online_{test.arguments.mpi}.so"):
        (test.folder / "lib" / name).symlink_to(libraries / name)
    test.environment["SLACKLINE_LIB"] = str(test.folder / "lib")
    check(test.simulate(2, test.program("online_refused")).returncode == 0, "the libraries are those of that folder")
    done = test.simulate(2, test.program("online_refused"), options=("--fold-above", "1MiB"))
    check(done.returncode == 1 and "libslackline_fold.so' was not built" in done.stderr, done.stderr)


def lammps(test):
    """A large program as it is packaged: LAMMPS under the MPI that it is linked with."""
    binary = shutil.which("lmp")
    if binary is None or test.arguments.mpi != "openmpi":
        print("SKIPPED: no LAMMPS here for this MPI")
        sys.exit(77)
    (test.folder / "in.melt").write_text("""units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
thermo 20
run 40
""")
    done = test.simulate(4, binary, "-in", "in.melt", "-log", "none")
    check(done.returncode == 0, "LAMMPS ends")

    def energies(text):
        return [line.split()[1:5] for line in text.splitlines() if line.split()[:1] in (["20"], ["40"])]

    real = test.run("mpirun.openmpi", "-n", "4", binary, "-in", "in.melt", "-log", "none")
    check(len(energies(real.stdout)) == 2, "LAMMPS runs here")
    check(energies(done.stdout) == energies(real.stdout), "energies and pressures are those of a real run")


def memory(test):
    """More processes than fit in memory are not started."""
    done = test.simulate(8, test.program("online_refused"), "status", options=("--memory", "1MiB"))
    check(done.returncode == 1, "as many are refused")
    refusal = re.search(r"cannot start 8 processes of '.*': about [0-9.]+ MiB of memory are needed "
                        r"\(([0-9.]+) [KM]iB each, as the first one has after MPI_Init\), and 1.0 MiB are available "
                        r"\(--memory\). Simulate fewer ranks, or allow more with --memory.", done.stderr)
    check(refusal, "with both numbers")
    # What is private to a rank: some 2 MiB under either MPI, and 4 MiB more where UCX has buffers for other processes.
    unit = 1 if re.search(r"[0-9.]+ MiB each", done.stderr) else 1 / 1024
    check(float(refusal[1]) * unit < 4, f"a rank takes {refusal[1]}")
    test.check_none_left()


CASES = {case.__name__: case for case in (kinds, beyond, children, windows, files, waits, same_dates, sampled, sampled_functions, shared_processes, folded, folded_anywhere, adapts, fortran, refused, interrupted, memory, threads, several, paths, python, usage, lammps)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=CASES)
    for name in ("--mpi", "--slackline", "--programs", "--examples", "--platform"):
        parser.add_argument(name, required=True)
    test = Test(parser.parse_args())
    try:
        CASES[test.arguments.case](test)
    finally:
        shutil.rmtree(test.folder)


if __name__ == "__main__":
    main()
