#!/usr/bin/env python3
"""Programs of MPI and OpenMP: what their threads measured is what a recording says.

    openmp_test.py CASE:COMPILER --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

Exit status 77: cannot be tried here (said in words)."""
import glob
import os
import re

from recording import check, finding, rank_section, result, run_case, skip, succeeded

RANKS, STEPS = 2, 6
THREADS = 2


def recorded(test, compiler, case, threads=THREADS, ranks=RANKS, **more):
    """The recording's text and what the program printed: {word: {(rank[, thread]): ns}}."""
    program = test.program(f"hybrid_{compiler}")
    if not os.path.exists(program):
        skip(f"{program} was not built: clang or its OpenMP runtime (libomp-dev) is missing")
    # Threads that wait leave the processors to those that work.
    environment = {"OMP_WAIT_POLICY": "passive", **more}
    done = test.record([*launcher(test, ranks), program, case, str(threads)], **environment)
    succeeded(done)
    said = {word: {} for word in ("work", "region", "serial", "length", "blocked", "inside")}
    for word, rank, rest in re.findall(rf"^({'|'.join(said)}) (\d+) ([\d ]+)$", done.stdout, re.M):
        *thread, ns = map(int, rest.split())
        said[word][(int(rank), *thread)] = ns
    return test.text(), said


def launcher(test, ranks=RANKS):
    """More threads than a processor has: Open MPI would bind each rank to one."""
    bind = ["--bind-to", "none"] if test.arguments.mpi == "openmpi" else []
    return [*test.launcher(ranks), *bind]


def openmp(test):
    return result(test, "efficiency")["runs"][0]["openmp"]


def regions(text, rank):
    """(instances, length, busy, waiting) of each record of parallel regions."""
    found = []
    for line in rank_section(text, rank).splitlines():
        if not re.match(r"\s+@-?\d+ \+\d+ parallel ", line):
            continue
        keys = dict(re.findall(r"(\w+)=([\d,]+)", line))
        length = keys.get("length") or re.search(r"\+(\d+)", line)[1]
        found.append((int(keys.get("instances", 1)), int(length),
                      [int(ns) for ns in keys["busy"].split(",")],
                      [int(ns) for ns in keys["waiting"].split(",")]))
    return found


def close(measured, expected, what, share=0.05, slack_ns=20_000_000):
    """Within some per cent, and what the scheduler takes between two readings of the clock."""
    check(abs(measured - expected) <= share * expected + slack_ns,
          f"{what}: {measured} ns, expected {expected} ns")


def check_times(text, said, threads=THREADS):
    """Each thread's work and the regions' length are what the program measured."""
    for rank in range(RANKS):
        of_rank = regions(text, rank)
        close(sum(r[1] for r in of_rank), said["region"][(rank,)], f"rank {rank}'s regions")
        for thread in range(threads):
            busy = sum(r[2][thread] for r in of_rank if thread < len(r[2]))
            close(busy, said["work"].get((rank, thread), 0), f"rank {rank}, thread {thread}")


def check_two_levels(test):
    """The levels multiply, and the MPI level is the run's parallel efficiency, but that a thread's
    work contains what it waits for a processor."""
    shares = result(test, "report")["measured"]["time_shares"]
    f = openmp(test)["hybrid_factors"]
    check(abs(f["mpi_parallel"] * f["openmp_parallel"] - f["hybrid_parallel"]) < 1e-9, f"{f}")
    parts = f["openmp_serial"] * f["openmp_load_balance"] * f["openmp_synchronisation"]
    check(abs(parts - f["openmp_parallel"]) < 1e-9, f"a product: {f}")
    plain = shares["compute"]
    most = plain + shares["beside"]["no_processor"] + shares["beside"]["blocked"]
    check(plain - 0.02 <= f["mpi_parallel"] <= most + 0.02,
          f"{f['mpi_parallel']}, without threads {plain} to {most}")


def check_limit(test, planted, **more):
    """What limits the run, apart from a lack of processors: two ranks may have more threads. Skips
    the test where that hides everything, as other programs took most of them."""
    diagnosis = result(test, "report")["diagnosis"]
    first = next(limit for limit in [diagnosis, *diagnosis["alternatives"]]
                 if limit["limit"] != "processors")
    fits = first["limit"] == planted and all(first[key] == value for key, value in more.items())
    if not fits and diagnosis["limit"] == "processors" and diagnosis["share"] > 0.5:
        skip("other programs took the processors for most of the time")
    crowded = RANKS * THREADS > len(os.sched_getaffinity(0))
    check(fits and (crowded or first is diagnosis), f"the planted fault: {diagnosis}")
    return first


def case_one_thread(test, compiler):
    """The last thread works three times as long: 45 against 15 ms."""
    text, said = recorded(test, compiler, "one_thread")
    check(finding(text, "openmp_not_observed") == 0, "its threads were observed")
    check_times(text, said)
    check_two_levels(test)
    limit = check_limit(test, "openmp_imbalance")
    check("one_thread" in (limit["function"] or ""), f"its function: {limit}")
    place = openmp(test)["parallel_regions"][0]
    check(place["late_thread"] == THREADS - 1, f"the late thread: {place}")
    check("one_thread" in place["code"], f"its function: {place}")
    if compiler == "gcc":
        check("hybrid.c" in place["code"], f"its line: {place}")
    work = [sum(said["work"][(r, t)] for r in range(RANKS)) for t in range(THREADS)]
    expected = work[-1] / (sum(work) / THREADS)  # 1.5, unless others took the processors
    check(abs(place["late_work"] - expected) < 0.05, f"{expected} times the mean: {place}")
    waits = sum(said["region"][(r,)] - said["work"][(r, 0)] for r in range(RANKS))
    close(place["barrier_ns"], waits, "what thread 0 waits")


def case_inner_barrier(test, compiler):
    text, said = recorded(test, compiler, "inner_barrier")
    check_times(text, said)
    waiting = sum(r[3][0] for r in regions(text, 0))
    close(waiting, said["region"][(0,)] - said["work"][(0, 0)], "thread 0 at both barriers")


def case_serial(test, compiler):
    """45 ms serial, then 15 ms on all threads."""
    text, said = recorded(test, compiler, "serial")
    check_times(text, said)
    check_two_levels(test)
    check_limit(test, "openmp_serial")
    times = result(test, "report")["measured"]["time_shares"]["ranks"]
    for rank, use in enumerate(openmp(test)["ranks"]):
        lacking = times[rank]["no_processor_ns"] + times[rank]["blocked_ns"]
        serial, expected = use["serial_ns"], said["serial"][(rank,)]
        check(expected - lacking - 5e6 <= serial <= expected + 5e6,
              f"rank {rank}'s serial part: {serial}, expected {expected} less up to {lacking}")


def case_phases(test, compiler):
    """30 iterations on all threads, and 30 on one: a change point, and the efficiency of threads before and after."""
    _, said = recorded(test, compiler, "phases", ranks=1)  # as many threads as most machines have processors
    found = result(test, "phases")
    regions = [r for r in found["regions"] if r["phase"] is not None]
    parallel = max(said["region"].values())
    serial = max(said["serial"].values())
    middle = regions[0]["begin_ns"] + (regions[-1]["end_ns"] - regions[0]["begin_ns"]) * parallel / (parallel + serial)
    near = 0.1 * (regions[-1]["end_ns"] - regions[0]["begin_ns"])

    def mean(begin, end):
        values = [w["openmp_parallel"] for w in found["windows"] if w["begin_ns"] >= begin and w["end_ns"] <= end]
        return sum(values) / len(values)
    first, second = mean(0, middle - near), mean(middle + near, regions[-1]["end_ns"])
    expected = sum(said["work"].values()) / (THREADS * sum(said["region"].values()))
    check(abs(first - expected) < 0.1 and abs(second - 1 / THREADS) < 0.1, f"{first}, expected {expected}; and {second}")
    if first < 0.85:
        skip("other programs took the processors: the phases hardly differ")
    check(any(abs(r["begin_ns"] - middle) < near for r in regions[1:]), f"a change at {middle}: {regions}")
    check("OpenMP" in test.slackline("phases", test.output).stdout, "the text")


def case_ranks(test, compiler):
    """Rank 1 works three times as long on each of its threads: MPI's imbalance, not OpenMP's. With
    as many threads as there are processors, whose lack would hide it."""
    threads = max(1, min(THREADS, len(os.sched_getaffinity(0)) // RANKS))
    text, said = recorded(test, compiler, "ranks", threads)
    check_times(text, said, threads)
    check_two_levels(test)
    factors = openmp(test)["hybrid_factors"]
    check(factors["openmp_parallel"] > 0.8, f"the threads are balanced: {factors}")
    longest = [max(said["work"][(r, t)] for t in range(threads)) for r in range(RANKS)]
    expected = sum(longest) / RANKS / max(longest)  # 2/3, unless others took the processors
    check(abs(factors["mpi_load_balance"] - expected) < 0.1, f"{expected}: {factors}")
    check_limit(test, "imbalance", ranks=[1])


def case_crowded(test, compiler):
    """More threads than processors are said."""
    processors = len(os.sched_getaffinity(0))
    text, _ = recorded(test, compiler, "even", threads=processors // RANKS + 2)
    check(finding(text, "oversubscribed_threads") > 0, "more threads than processors")


def check_same_times(test, compiler, case):
    text, said = recorded(test, compiler, case)
    check_times(text, said)


def case_loop(test, compiler):
    check_same_times(test, compiler, "loop")


def case_single(test, compiler):
    check_same_times(test, compiler, "single")


def case_tasks(test, compiler):
    """What is executed at a barrier is work."""
    check_same_times(test, compiler, "tasks")


def case_task_in_task(test, compiler):
    """Waiting in a task that is executed at a barrier is waiting."""
    check_same_times(test, compiler, "task_in_task")


def case_task_dependence(test, compiler):
    check_same_times(test, compiler, "task_dependence")


def case_task_reduction(test, compiler):
    check_same_times(test, compiler, "task_reduction")


def case_taskloop(test, compiler):
    check_same_times(test, compiler, "taskloop")


def case_funneled(test, compiler):
    """MPI inside of a region is MPI."""
    text, said = recorded(test, compiler, "funneled")
    for rank in range(RANKS):
        locations = openmp(test)["ranks"][rank]["locations"]
        for thread in range(THREADS):
            close(locations[thread]["work_ns"], said["work"][(rank, thread)],
                  f"rank {rank}, thread {thread}")
    check(len(regions(text, 0)) == STEPS, "a region each step")


def check_blocked(test, compiler, policy):
    """Sleeping is blocked time, in a region or not; waiting for other threads is none, whether the
    runtime spins or sleeps."""
    text, said = recorded(test, compiler, "blocked", OMP_WAIT_POLICY=policy)
    if policy == "active" and compiler == "gcc":
        check("[waiting for OpenMP threads]" in text, "samples of a thread that spins are named")
    check_times(text, said)
    times = result(test, "report")["measured"]["time_shares"]["ranks"]
    for rank in range(RANKS):
        blocked = times[rank]["blocked_ns"]
        # What the program measured contains waiting for a processor after the sleep.
        least, most = STEPS * 30e6, said["blocked"][(rank,)]
        check(0.95 * least <= blocked <= most + 20e6,
              f"rank {rank}'s blocked time: {blocked}, expected {least} to {most}")


def case_blocked(test, compiler):
    check_blocked(test, compiler, "active")


def case_blocked_passive(test, compiler):
    check_blocked(test, compiler, "passive")


def case_varying(test, compiler):
    """Teams of one, two and three threads by turns."""
    text, said = recorded(test, compiler, "varying")
    teams = [len(r[2]) for r in regions(text, 0)]
    check(teams == [1 + i % 3 for i in range(STEPS)], f"their sizes: {teams}")
    check_times(text, said, threads=3)
    locations = openmp(test)["ranks"][0]["locations"]
    check(len(locations) == 3, f"three locations: {locations}")


def case_nested(test, compiler):
    """Counted, and work of the threads that have them."""
    text, said = recorded(test, compiler, "nested")
    check(finding(text, "nested_parallel_regions") == RANKS * STEPS * 2, "all nested regions")
    check(len(regions(text, 0)) == STEPS, "the outer ones")
    check_times(text, said)


def case_nested_alone(test, compiler):
    """Teams of one thread, as where nesting is not allowed, are none."""
    text, said = recorded(test, compiler, "nested_alone")
    check(finding(text, "nested_parallel_regions") == 0, "no nested team of several threads")
    check(len(regions(text, 0)) == STEPS, "the outer ones")
    check_times(text, said)


def case_other_thread(test, compiler):
    text, said = recorded(test, compiler, "other_thread")
    check(finding(text, "regions_of_other_threads") == RANKS * STEPS, "regions of another thread")
    check(len(regions(text, 0)) == STEPS, "those of the main thread")
    check_times(text, said)


def case_tiny(test, compiler):
    """Many regions that do nothing: exact in number, bounded in memory, and cheap."""
    text, said = recorded(test, compiler, "tiny")
    of_rank = regions(text, 0)
    check(sum(r[0] for r in of_rank) == STEPS * 20_000, "every region is counted")
    size = sum(os.path.getsize(p) for p in glob.glob(test.output + "*/**/*.slkraw", recursive=True))
    check(size < 4e6, f"the recording is small: {size} bytes")
    length = sum(r[1] for r in of_rank)
    check(0 < length <= said["region"][(0,)], f"their length: {length} of {said['region'][(0,)]}")


def case_gnu_on_llvm(test, compiler):
    """A program built by gcc runs on LLVM's runtime: told by one of both, once."""
    libraries = sorted(glob.glob("/usr/lib/llvm-*/lib/libomp.so.5"))
    if not libraries:
        skip("LLVM's OpenMP runtime is missing (libomp-dev)")
    os.symlink(libraries[-1], os.path.join(test.folder, "libgomp.so.1"))
    text, said = recorded(test, "gcc", "one_thread", LD_LIBRARY_PATH=test.folder)
    check(len(regions(text, 0)) == STEPS, "a region each step")
    check_times(text, said)


def case_other_tool(test, compiler):
    """The program's own tool of the runtime is left alone."""
    text, _ = recorded(test, compiler, "one_thread", OMP_TOOL_LIBRARIES="/nowhere.so")
    check(not regions(text, 0), "the place of the tool is taken")
    check(finding(text, "openmp_not_observed") == RANKS, "what is missing is said")


if __name__ == "__main__":
    run_case(globals())
