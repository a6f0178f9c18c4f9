#!/usr/bin/env python3
"""The recorder for aarch64: compiled by a cross compiler, and its parts that need no MPI run under qemu.

    run.py --source ROOT --build FOLDER --mpi openmpi|mpich...

- All of the recorder and the preloaded library compile without warnings, with the headers of the MPIs named.
- The unit tests of the walk over the stack pass: also with signed return addresses, and in code without frame pointers.
- The preloaded library's entry points hand on all arguments.

Exit status 77, with a reason: there is no cross compiler, no qemu or no source of GoogleTest here. What was compiled
before and has not changed is kept in FOLDER."""
import argparse
import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import sys

CXX = "aarch64-linux-gnu-g++"
CC = "aarch64-linux-gnu-gcc"
QEMU = "qemu-aarch64"
SYSROOT = "/usr/aarch64-linux-gnu"
GOOGLETEST = "/usr/src/googletest/googletest"
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wcast-qual", "-Wformat=2", "-Werror"]
UNIT_TESTS = ["call_path_cache_test.cc", "memory_reader_test.cc"]
# Of the code that is walked through and of the walk itself, by the name of the tests' program.
VARIANTS = {"unit": ["-O1"], "unit_signed": ["-O2", "-fomit-frame-pointer", "-mbranch-protection=standard"]}
# It walks 40,000 stacks, which is slow under emulation.
LEFT_OUT = "-CallPathCache.WalksOnlySoManyStacksThatAreAlwaysNew"


def skip(reason):
    print(f"SKIPPED: {reason}: the recorder was not tried for aarch64")
    sys.exit(77)


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"FAILED: {' '.join(command)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


class Compiler:
    def __init__(self, source, build):
        self.recorder = os.path.join(source, "runtime", "record")
        calls = os.path.join(source, "runtime", "calls")
        self.build = build
        self.generated = os.path.join(build, "generated")
        os.makedirs(self.generated, exist_ok=True)
        for what in ("wrappers", "stubs"):
            run([sys.executable, "-B", os.path.join(calls, "generate.py"), os.path.join(calls, "mpi_calls.txt"),
                 what, os.path.join(self.generated, f"{what}.inc")])
        self.includes = [f"-I{folder}" for folder in (self.recorder, self.generated, os.path.join(source, "src"))]

    def object(self, file, flags):
        """The object file of a source file; compiled unless what the preprocessor makes of it has been before."""
        compiler = [CC, "-std=gnu11"] if file.endswith(".c") else [CXX, "-std=c++20"]
        path = file if os.path.isabs(file) else os.path.join(self.recorder, file)
        command = [*compiler, *flags, *self.includes, path]
        text = run([*command, "-E", "-P"])
        name = hashlib.sha256(" ".join(command).encode() + text.encode()).hexdigest()[:24] + ".o"
        output = os.path.join(self.build, name)
        if not os.path.exists(output):
            run([*command, "-c", "-o", output + ".new"])
            os.replace(output + ".new", output)
        return output

    def objects(self, files, flags):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(lambda file: self.object(file, flags), files))


def sources_of(recorder):
    """The recorder's own sources, and those that also its unit test has."""
    with open(os.path.join(recorder, "CMakeLists.txt"), encoding="utf-8") as file:
        text = file.read()
    shared = re.findall(r"\S+\.cc", re.search(r"set\(call_path_sources(.*?)\)", text, re.S)[1])
    own = re.findall(r"\S+\.cc", re.search(r"add_library\(\$\{target\} SHARED(.*?)\)", text, re.S)[1])
    return own, shared


def emulated(program, *words, processor="max", **variables):
    hand_on = [part for name, value in variables.items() for part in ("-E", f"{name}={value}")]
    return run([QEMU, "-cpu", processor, "-L", SYSROOT, *hand_on, program, *words])


def compile_recorder(compiler, own, shared, mpis):
    for mpi in mpis:
        shown = run([f"mpicc.{mpi}", "-show"])
        headers = [part for folder in re.findall(r" -I(\S+)", shown) for part in ("-isystem", folder)]
        flags = ["-O0", "-fPIC", *WARNINGS, "-fno-exceptions", "-fno-rtti", "-fvisibility=hidden", "-DOMPI_SKIP_MPICXX",
                 "-DMPICH_SKIP_MPICXX", f"-DSLK_OPENMPI={int(mpi == 'openmpi')}", f"-DSLK_MPICH={int(mpi == 'mpich')}"]
        count = len(compiler.objects(own + shared, flags + headers))
        print(f"the recorder for {mpi}: {count} files compile")


def run_unit_tests(compiler, shared):
    flags = [f"-I{GOOGLETEST}/include", f"-I{GOOGLETEST}"]
    google = compiler.objects([f"{GOOGLETEST}/src/gtest-all.cc", f"{GOOGLETEST}/src/gtest_main.cc"], ["-O0", *flags])
    for name, variant in VARIANTS.items():
        program = os.path.join(compiler.build, name)
        objects = compiler.objects(shared + UNIT_TESTS, [*variant, *WARNINGS, "-isystem", f"{GOOGLETEST}/include"])
        run([CXX, "-o", program, *objects, *google])
        said = emulated(program, f"--gtest_filter={LEFT_OUT}")
        passed = re.search(r"\[  PASSED  \] (\d+) tests", said)
        if passed is None or int(passed[1]) < 10:
            sys.exit(f"FAILED: too few tests ran\n{said}")
        print(f"{name}: {passed[1]} tests pass")


def call_through_entry_points(compiler, source):
    preload = os.path.join(compiler.build, "libslackline_preload.so")
    objects = compiler.objects(["preload.c", "blocking.c", "exec.c", "openmp_gnu.c", "openmp_threads.c", "openmp_tool.c"], ["-O2", "-fPIC", *WARNINGS])
    run([CC, "-shared", "-o", preload, *objects])
    calls = os.path.join(source, "test", "aarch64", "calls.c")
    library = os.path.join(compiler.build, "libmpi_calls.so")
    program = os.path.join(compiler.build, "calls")
    run([CC, "-O2", "-shared", "-fPIC", "-DLIBRARY", "-o", library, calls])
    run([CC, "-O2", "-o", program, calls, library])
    said = emulated(program, LD_PRELOAD=preload).split()
    if said != ["12", "12", "12", preload]:
        sys.exit(f"FAILED: of 12 arguments arrive {said}")
    print("entry points hand on all arguments")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--mpi", nargs="*", default=[])
    arguments = parser.parse_args()
    for program in (CXX, CC, QEMU):
        if shutil.which(program) is None:
            skip(f"there is no {program} (packages g++-aarch64-linux-gnu, qemu-user)")
    if not os.path.exists(os.path.join(GOOGLETEST, "src", "gtest-all.cc")):
        skip(f"there is no {GOOGLETEST} (package libgtest-dev)")
    compiler = Compiler(arguments.source, os.path.abspath(arguments.build))
    own, shared = sources_of(compiler.recorder)
    run_unit_tests(compiler, shared)
    call_through_entry_points(compiler, arguments.source)
    compile_recorder(compiler, own, shared, arguments.mpi)


if __name__ == "__main__":
    main()
