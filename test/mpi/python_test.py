#!/usr/bin/env python3
"""Call paths and samples of Python programs have Python's functions as frames.

    python_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

CASE is frames:VERSION, where VERSION is mpi4py (Debian's Python, and Open MPI) or that of a Python that
pyenv has installed, which calls MPI by ctypes; or another of the cases below."""
import glob
import os
import re
import shutil
import subprocess

from call_paths_test import raw_records
from recording import check, finding, rank_section, result, run_case, skip

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python")
REC_PYTHON, REC_PYTHON_CODE = 246, 247
SYSTEM_PYTHON = "/usr/bin/python3"


def python_of(version):
    """Path of a Python of that version; skips the test where there is none."""
    root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    found = sorted(glob.glob(f"{root}/versions/{version}.*/bin/python{version}"))
    named = shutil.which(f"python{version}") if not found else found[0]
    if named is None or subprocess.run([named, "-c", "import ctypes"], capture_output=True, check=False).returncode != 0:
        skip(f"there is no Python {version} here")
    return named


def system_python():
    """Python, and how it calls MPI: by mpi4py if that is for this MPI."""
    has_mpi = subprocess.run([SYSTEM_PYTHON, "-c", "import mpi4py"], capture_output=True, check=False)
    return SYSTEM_PYTHON, has_mpi.returncode == 0


def record(test, python, kind, script, *arguments, ranks=2, options=()):
    """Runs a program of the folder python/ with the recorder. kind: mpi4py or the name of an MPI."""
    shutil.rmtree(test.output, ignore_errors=True)
    command = [test.arguments.slackline, "record", "--keep-raw", *options, "-o", test.output]
    if test.arguments.mpi == "mpich":
        command.append("--yield")
    done = test.run([*command, "--", *test.launcher(ranks), python, os.path.join(HERE, script), *arguments],
                    PYTHON_MPI=kind, PYTHONDONTWRITEBYTECODE="1")
    check(done.returncode == 0, f"the program ended with {done.returncode}")


def frames_of(text):
    """By number: (function, line, module) of each frame of the path, outermost first."""
    frames = {0: []}
    for number, parent, function, rest in re.findall(r'^frame (\d+) (\d+) "([^"]*)"(.*)$', text, re.M):
        line = re.search(r"line=(\d+)", rest)
        module = re.search(r'module="?([^" ]*)', rest)
        frame = (function, int(line[1]) if line else 0, module[1] if module else "")
        frames[int(number)] = frames[int(parent)] + [frame]
    return frames


def of_python(path):
    return [frame for frame in path if frame[2].endswith(".py") or frame[2].startswith("<")]


def barrier_paths(text, rank):
    """The Python frames of each MPI_Barrier of the program, as frames.py writes them."""
    frames = frames_of(text)
    for line in rank_section(text, rank).splitlines():
        if re.match(r" +\S+ \S+ barrier\b", line):
            number = re.search(r"frame=(\d+)", line)
            path = of_python(frames[int(number[1])]) if number else []
            yield " ".join(f"{function}:{at}" for function, at, _ in path)


def check_frames(test, python, kind, ranks=2, repeats=3, options=()):
    truth = os.path.join(test.folder, "truth")
    record(test, python, kind, "frames.py", truth, str(repeats), ranks=ranks, options=options)
    text = test.text()
    for rank in range(ranks):
        with open(f"{truth}.{rank}", encoding="utf-8") as file:
            expected = file.read().splitlines()
        recorded = list(barrier_paths(text, rank))
        check(len(recorded) == len(expected) > 70 * repeats, f"{len(recorded)} barriers of {len(expected)}")
        for number, (ours, its) in enumerate(zip(recorded, expected)):
            check(ours == its, f"rank {rank}, barrier {number}: {ours}, and not {its}")
    check(finding(text, "interpreted_code") == 0, "the interpreter is known")
    return text


def case_frames(test, version):
    """Each call has the frames that Python itself shows, whatever kind of frame they are."""
    python, kind = system_python() if version == "mpi4py" else (python_of(version), True)
    if version == "mpi4py" and (not kind or test.arguments.mpi != "openmpi"):
        skip("there is no mpi4py for this MPI here")
    kind = "mpi4py" if version == "mpi4py" else test.arguments.mpi
    text = check_frames(test, python, kind)
    frames = frames_of(text)
    paths = [frames[int(number)] for number in re.findall(r"^ +\S+ \S+ barrier\b.* frame=(\d+)", text, re.M)]
    others = {frame for path in paths for frame in path if frame not in of_python(path)}
    check(len(paths) > 400 and not others, f"nothing of the interpreter: {others}")
    check_frames(test, python, kind, options=["--sample", "1000Hz"])


def case_site(test):
    """The calling function only: that of Python, too."""
    record(test, SYSTEM_PYTHON, test.arguments.mpi, "solver.py", options=["--call-paths", "site"])
    paths = {tuple(frame[0] for frame in of_python(path)) for path in frames_of(test.text()).values()}
    check(("solve",) in paths and ("Library.exchange",) in paths, f"paths {paths}")
    check(all(len(path) < 2 for path in paths), f"paths {paths}")


def case_depth(test):
    record(test, SYSTEM_PYTHON, test.arguments.mpi, "frames.py", os.path.join(test.folder, "truth"),
           options=["--call-path-depth", "4", "--sample", "off"])
    text = test.text()
    longest = max(len(of_python(path)) for path in frames_of(text).values())
    check(longest == 4, f"{longest} frames")
    check(finding(text, "cut_call_paths") > 0, "which is said")


def line_of(script, mark):
    with open(os.path.join(HERE, script), encoding="utf-8") as source:
        return 1 + [mark in line for line in source].index(True)


def is_late_line(place):
    loop = line_of("solver.py", "the late loop")
    return (place["function"] == "assemble" and place["file"].endswith("solver.py") and
            place["line"] in (loop, loop + 1))


def check_solver(test, python, kind):
    """Rank 0 assembles more than the other, which waits for it."""
    record(test, python, kind, "solver.py")
    waits = [w for w in result(test, "waits")["waits"] if w["operation"] == "MPI_Sendrecv"]
    check(waits and waits[0]["rank"] == 1, f"who waits: {waits}")
    check(waits[0]["function"].endswith(".exchange") and waits[0]["file"].endswith("job.py") and
          waits[0]["call_path"][:3] == ["<module>", "solve", "exchange"], f"where: {waits[0]}")
    check(waits[0]["cause"]["rank"] == 0 and is_late_line(waits[0]["cause"]), f"cause {waits[0]['cause']}")
    spots = result(test, "hotspots")["hotspots"]
    computed = {}
    for spot in spots:
        computed[spot["function"]] = computed.get(spot["function"], 0) + spot["computation_ns"]
    check(computed["assemble"] + computed["relax"] > 0.8 * sum(computed.values()), f"{computed}")
    check(computed["assemble"] > 3 * computed["relax"], f"{computed}")
    check(any(is_late_line(spot) for spot in spots), f"the line: {spots[:5]}")
    path = result(test, "path", "--on", "measured")["by_function"]
    check(is_late_line(path[0]), f"critical path: {path[:3]}")
    report = test.slackline("report", test.output).stdout
    check("assemble" in report, "the report names it")


def case_solver(test):
    python, has_mpi = system_python()
    check_solver(test, python, "mpi4py" if has_mpi and test.arguments.mpi == "openmpi" else test.arguments.mpi)


def case_solver_without_samples(test):
    record(test, SYSTEM_PYTHON, test.arguments.mpi, "solver.py", options=["--sample", "off"])
    cause = [w for w in result(test, "waits")["waits"] if w["operation"] == "MPI_Sendrecv"][0]["cause"]
    # Without samples it is known between which calls of which function it computed.
    check(cause["rank"] == 0 and cause["function"] == "solve" and cause["file"].endswith("solver.py"), f"{cause}")


def case_unknown(test):
    """A version whose structures are not known: its frames are missing, which is said."""
    record(test, python_of("3.8"), test.arguments.mpi, "frames.py", os.path.join(test.folder, "truth"))
    text = test.text()
    check(finding(text, "interpreted_code") > 0, "which is said")
    check("Python 3.8" in text, "with the version")
    check(not any(of_python(path) for path in frames_of(text).values()), "there are none")


def case_repeated(test):
    """Functions that are dropped, interrupted at all times: the program always ends as it should."""
    for run in range(20):
        check_frames(test, SYSTEM_PYTHON, test.arguments.mpi, repeats=2 + run % 3, options=["--sample", "9000Hz"])


def case_other_programs(test):
    """A program without Python has no records of Python."""
    done = test.record(test.launcher(2) + [test.program("where_O3"), os.path.join(test.folder, "truth")])
    check(done.returncode == 0, "the program failed")
    files = glob.glob(os.path.join(test.output, "raw", "rank-*"))
    ops = {head[-1] for file in files for head, _ in raw_records(file)}
    check(len(files) >= 2 and ops and not ops & {REC_PYTHON, REC_PYTHON_CODE}, f"records {ops}")


if __name__ == "__main__":
    run_case(globals())
