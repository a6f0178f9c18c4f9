#!/usr/bin/env python3
"""What programs do with processes, descriptors, threads, signals and libraries: the same as without the recorder, and
the recording is whole.

    habits_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

Exit status 77: cannot be tried here (said in words)."""
import contextlib
import ctypes
import os
import re
import shutil
import subprocess

from recording import calls, check, finding, run_case, skip


def library(test, name):
    return os.path.join(test.arguments.programs, test.arguments.mpi, name)


def bare(test, ranks, program, *words, before=(), **more):
    done = test.run([*test.launcher(ranks), *before, test.program(program), *words], **more)
    check(re.search(r"^talked \d+$", done.stdout, re.M), "the program runs to its end without the recorder")
    return done


def recorded(test, ranks, program, *words, before=(), **more):
    command = [*test.launcher(ranks), *before, test.program(program), *words]
    options = ["--sample=10000Hz", "--keep-raw", "-o", test.output]
    return test.slackline("record", *options, "--", *command, **more)


def check_same(test, without, done):
    # But for what MPI's own libraries print, with times and addresses.
    lines = lambda text: [line for line in text.splitlines() if line[:1] != "["]
    for one, other in zip(lines(without.stdout), lines(done.stdout)):
        check(one == other, f"'{one}' without the recorder, '{other}' with it")
    check(len(lines(without.stdout)) == len(lines(done.stdout)), "as many lines")
    check(without.returncode == done.returncode, f"status {without.returncode}, recorded {done.returncode}")


def check_whole(test, done):
    """All calls of the last job are there, and nothing is said that is not so."""
    talked = int(re.findall(r"^talked (\d+)$", done.stdout, re.M)[-1])
    text = test.text()
    found = calls(text, 0, "sendrecv")
    check(found == talked, f"{found} calls of {talked}")
    for kind in ("lost_calls", "damaged_record", "truncated_file", "abandoned_calls", "damaged_file"):
        check(finding(text, kind) == 0, f"finding {kind}")
    return text


def compare(test, *words):
    without = bare(test, 1, "habits", *words)
    done = recorded(test, 1, "habits", *words)
    check_same(test, without, done)
    return check_whole(test, done)


def case_together(test):
    """Children, threads, signals, and a library that lies where another one was, which has its own name."""
    text = compare(test, "children", "threads", "signals", "plugins", library(test, "alpha.so"),
                   library(test, "betas.so"))
    check(finding(text, "not_sampled") == 0, "children that reset signals end nothing")
    check(os.path.isdir(os.path.join(test.output, "job-2")), "a job that a child starts is recorded for itself")
    check(calls(text, 0, "barrier") == 42, "all calls of the libraries")
    for name in ("alpha_work", "betas_work"):
        frames = re.findall(rf'^frame (\d+) \d+ "{name}"', text, re.M)
        called = sum(len(re.findall(rf"^  \S+ \S+ barrier .*\bframe={frame}\b", text, re.M)) for frame in frames)
        check(called == 20, f"{called} of 20 calls in {name}")


def case_descriptors(test):
    """A program that closes what it does not know, and a rank that becomes another program, which has no handler for
    the recorder's signal."""
    compare(test, "descriptors", "becomes")
    for name in os.listdir(test.folder):
        if name.startswith("result-"):
            path = os.path.join(test.folder, name)
            with open(path, encoding="utf-8") as result:
                check(result.read() == "ten bytes\n", f"{name} has what the program wrote")


def case_unseen(test):
    """Calls that cannot be recorded are said."""
    done = recorded(test, 1, "habits", "file", "deep", library(test, "alpha.so"))
    text = check_whole(test, done)
    check(finding(text, "calls_missed") == 1 and "alpha.so" in text, "a library that goes past the recorder")
    check(finding(text, "unrecorded_calls") == 1, "calls that are not recorded")
    check("MPI_File_set_atomicity" in text, "they are named")


def case_limited(test):
    """A program that limits its own resources: it goes on as without the recorder, and what the recorder could not write
    is said."""
    for word in ("limits", "filtered", "confined", "unprivileged"):
        without = bare(test, 1, "habits", word)
        done = recorded(test, 1, "habits", word)
        check_same(test, without, done)
        found = calls(test.text(), 0, "sendrecv")
        said = re.search(r"incomplete|could not|not recorded|cannot create", done.stderr) is not None
        check(found == 8110 or said, f"{word}: {found} calls of 8110, and nothing is said: {done.stderr}")
        check(found >= 600, f"{word}: {found} calls of 8110")
        shutil.rmtree(test.output)


def case_beside(test):
    """Ranks below valgrind, and with a memory allocator that is preloaded as well."""
    ways = []
    if shutil.which("valgrind") is not None:
        ways.append(["valgrind", "-q", f"--log-file={test.folder}/valgrind.%p"])
    for name in ("libjemalloc.so.2", "libtcmalloc_minimal.so.4"):
        with contextlib.suppress(OSError):
            ctypes.CDLL(name)
            ways.append(["env", f"LD_PRELOAD={name}"])
    if not ways:
        skip("neither valgrind nor another memory allocator is installed")
    for before in ways:
        without = bare(test, 1, "habits", "threads", before=before)
        done = recorded(test, 1, "habits", "threads", before=before)
        check_same(test, without, done)
        check_whole(test, done)
        shutil.rmtree(test.output)


def case_container(test):
    """Ranks in a container that has the system's files, the programs and the recorder."""
    if shutil.which("ch-run") is None:
        skip("Charliecloud is not installed")
    image = os.path.join(test.folder, "image")
    runtime = os.path.join(os.path.dirname(test.arguments.slackline), "lib", "slackline")
    seen = ["/usr", runtime, os.path.join(test.arguments.programs, test.arguments.mpi)]
    for folder in [*seen, "/dev", "/etc", "/home", "/opt", "/proc", "/root", "/sys", "/tmp", "/var"]:
        os.makedirs(image + folder, exist_ok=True)
    for name in ("bin", "lib", "lib64", "sbin"):
        os.symlink(f"usr/{name}", os.path.join(image, name))
    for name in ("passwd", "group", "hosts", "resolv.conf"):
        with open(os.path.join(image, "etc", name), "w", encoding="utf-8"):
            pass
    into = ["ch-run", "--cd=/tmp", *(f"--bind={folder}:{folder}" for folder in seen), image, "--"]
    command = [*test.launcher(2), *into, test.program("habits")]
    user = {"USER": os.environ.get("USER", "root")}
    bare_job = test.run(command, **user)
    if bare_job.stdout.count("talked 10") != 2:
        skip(f"Charliecloud cannot start an MPI job here: {bare_job.stderr[-300:]}")
    done = test.slackline("record", "--keep-raw", "-o", test.output, "--", *command, **user)
    check(done.stdout.count("talked 10") == 2 and not finding(test.text(), "missing_ranks"), f"recorded: {done.stderr}")
    check(calls(test.text(), 1, "sendrecv") == 10, "all calls of a rank in the container")


def case_uneven(test):
    """Ranks whose collectives differ reach the end as they do without the recorder."""
    check_same(test, bare(test, 2, "habits", "uneven"), recorded(test, 2, "habits", "uneven"))


def case_sanitized(test):
    """A program whose sanitizer wants to be loaded first, and has options of its own."""
    if not os.path.exists(test.program("habits_address")):
        skip("the compiler has no address sanitizer")
    options = {"ASAN_OPTIONS": "detect_leaks=0"}
    without = bare(test, 1, "habits_address", "descriptors", **options)
    done = recorded(test, 1, "habits_address", "descriptors", **options)
    check_same(test, without, done)
    check_whole(test, done)


def case_other_libc(test):
    """What is preloaded asks nothing of a C library, so that programs of another one start."""
    preloaded = os.path.join(os.path.dirname(test.arguments.slackline), "lib", "slackline", "libslackline_preload.so")
    if shutil.which("readelf") is None:
        skip("there is no readelf")
    said = subprocess.run(["readelf", "--dynamic", "--dyn-syms", "--wide", preloaded], capture_output=True, text=True,
                          check=True).stdout
    check("(NEEDED)" not in said, "no library")
    check(not re.search(r" UND \w", said), "no function")
    check("Auxiliary library: [libslackline_entry.so]" in said, "the GNU C library's loader finds the recorder")


def case_launcher_of_other(test):
    """A program of one MPI library under the launcher of the other one: each process is a job of its own."""
    other = {"openmpi": "mpich", "mpich": "openmpi"}[test.arguments.mpi]
    program = os.path.join(test.arguments.programs, other, "habits")
    if not os.path.exists(program):
        skip("there is only one MPI library")
    done = test.slackline("record", "-o", test.output, "--", *test.launcher(2), program)
    if done.stdout.count("talked 10") != 2:
        skip("this launcher starts no programs of the other MPI library")
    check(done.stderr.count("is not the launcher's") == 2, "said of both")


if __name__ == "__main__":
    run_case(globals())
