#!/usr/bin/env python3
"""The recorded call paths are those that gdb finds, functions and lines, at random calls.

    call_paths_gdb_test.py PROGRAM --mpi ... --slackline ... --print ... --programs DIR

PROGRAM calls MPI_Sendrecv, or mpi_sendrecv_ in Fortran, again and again. It runs twice, by itself:
once recorded, once under gdb, which stops at each of these calls. Exit status 77: there is no gdb."""
import json
import os
import random
import re
import shutil
import subprocess

from recording import check, run_case, skip

CALLS = 1000
# Run by gdb: the frames outside of the function, innermost first, one line a call. gdb leaves out functions that ended with
# a tail call where it is in doubt how they went on. That they were called is seen in the call instruction: then they are
# there without a line.
SCRIPT = """
import gdb, json
gdb.execute("set breakpoint pending on")
gdb.execute("set debuginfod enabled off")
gdb.execute("handle SIGUSR1 SIGUSR2 SIGPIPE nostop noprint pass")
out = open({output!r}, "w")
def begins_at(function, address):
    return function is not None and function.is_function and int(function.value().address) == address
def function_at(address):
    block, name = gdb.block_for_pc(address), None
    while block is not None and not block.is_static and not block.is_global:
        name = block.function.name if begins_at(block.function, address) else name
        block = block.superblock
    return name
def called_at(pc):
    code = gdb.selected_inferior().read_memory(pc - 5, 5).tobytes()
    return function_at(pc + int.from_bytes(code[1:], "little", signed=True)) if code[0] == 0xe8 else None
class Stop(gdb.Breakpoint):
    def stop(self):
        frames, inner = [], gdb.newest_frame()
        while inner.name() != "main" and inner.older() is not None:
            at = inner.older()
            if inner.type() == gdb.NORMAL_FRAME and at.type() != gdb.TAILCALL_FRAME:
                called = called_at(at.pc())
                own = inner.function()
                if called not in (None, own.name if own is not None else inner.name()):
                    frames.append([called, 0])
            frames.append([at.name() or "", at.find_sal().line])
            inner = at
        out.write(json.dumps(frames) + "\\n")
        return False
Stop({function!r})
gdb.execute("run")
out.close()
"""


def plain(function):
    """A function's name without its parameters, scopes that both sides write differently aside."""
    name = function.replace("(anonymous namespace)::", "").replace("operator()", "operator")
    name = re.sub(r"\{lambda\([^}]*\)#\d+\}", "lambda", name)
    while re.search(r"<[^<>]*>", name):
        name = re.sub(r"<[^<>]*>", "", name)
    return re.sub(r"\(.*$", "", name).split("::")[-1]


def paths_by_gdb(test, program, function):
    output = os.path.join(test.folder, "gdb.json")
    script = os.path.join(test.folder, "gdb.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT.format(output=output, function=function))
    test.run(["gdb", "-batch", "-nx", "-x", script, "--args", program, "--no-truth"])
    with open(output, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def recorded_paths(test, program):
    done = test.run([test.arguments.slackline, "record", "-o", test.output, "--", program,
                     "--no-truth"])
    check(done.returncode == 0, "the program failed")
    text = subprocess.run([test.arguments.slackline, "print", test.output], capture_output=True,
                          text=True, check=True).stdout
    frames = {0: []}
    for line in text.splitlines():
        match = re.match(r'frame (\d+) (\d+) "((?:[^"\\]|\\.)*)"(.*)', line)
        if match:
            source = re.search(r" line=(\d+)", match[4])
            own = [match[3], int(source[1]) if source else 0]
            frames[int(match[1])] = [own] + frames[int(match[2])]
    return [frames[int(number)] for number in
            re.findall(r"^ .* sendrecv .*frame=(\d+)", text, re.M)]


def compare(program_and_function):
    """A case for run_case: the program's paths at its calls of the function."""
    program, function = program_and_function

    def case(test, *_parameter):
        if shutil.which("gdb") is None:
            skip("there is no gdb")
        path = test.program(program)
        ours, its = recorded_paths(test, path), paths_by_gdb(test, path, function)
        check(len(ours) == len(its) > 500, f"{len(ours)} recorded calls, {len(its)} under gdb")
        random.seed(1)
        for call in sorted(random.sample(range(len(ours)), min(CALLS, len(ours)))):
            mine = [[plain(name), line] for name, line in ours[call]]
            true = [[plain(name), line] for name, line in its[call]]
            same = len(mine) == len(true) and all(name == its_name and its_line in (line, 0)
                                                  for (name, line), (its_name, its_line) in zip(mine, true))
            check(same, f"call {call}: recorded {mine}, gdb {true}")
    return case


FUNCTIONS = {"where": "MPI_Sendrecv", "frames_cpp": "MPI_Sendrecv", "frames_fortran": "mpi_sendrecv_"}

if __name__ == "__main__":
    run_case({f"case_{program}_{level}": compare((f"{program}_{level}", function))
              for program, function in FUNCTIONS.items() for level in ("O0", "O3")})
