#!/usr/bin/env python3
"""Laws of answers on recordings as people make them today: with call paths, samples, and CPU times of ranks that share
processors.

    identity_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

same: what changes nothing changes nothing (test/corpus/identity.py). functions: an edit of a function changes the run by
what `gains` says of it. commands: every command answers or says why not (test/corpus/every_command.py)."""
import os
import subprocess
import sys

from recording import answer, check, run_case

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "corpus"))
from identity import laws  # noqa: E402

EVERY_COMMAND = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "corpus", "every_command.py")


def record(test, ranks, *options):
    test.output = os.path.join(test.folder, "recorded.slk")
    command = [test.arguments.slackline, "record", "--force", "-o", test.output, *options]
    if test.arguments.mpi == "mpich":
        command.append("--yield")
    done = test.run([*command, "--", *test.launcher(ranks), test.program("hot_O2"), "late"])
    check(done.returncode == 0, f"the program ended with {done.returncode}")


def case_same(test, ranks):
    record(test, int(ranks), "--sample")
    count, failures = laws(test.arguments.slackline, test.output)
    check(count > 10 and not failures, "\n".join(failures))


def case_functions(test):
    record(test, 2, "--sample")
    gains = answer(test, "gains")["result"]
    named = [g for g in gains["gains"] if g["kind"] == "function"]
    check(named, "gains names no function")
    for gain in named[:3]:
        edit = f'scale function="{gain["name"]}" factor=0.5'
        result = answer(test, "whatif", "--set", edit)["result"]
        run = result["measured_run"]
        saved = run["before_ns"] - run["after_ns"]
        wanted = gain["gain_ns"]["50%"]
        check(abs(saved - wanted) <= 1e-3 * run["before_ns"],
              f"{gain['name']} at half saves {saved} by whatif and {wanted} ns by gains")
    for edit, status in (("scale function=no_such_function factor=0.5", 2), ("remove operation=scan", 1)):
        refused = test.slackline("whatif", test.output, "--set", edit)
        check(refused.returncode == status and refused.stderr.count("\n") == 1, f"'{edit}' is not refused")


def case_commands(test):
    record(test, 2, "--sample")
    done = subprocess.run([sys.executable, EVERY_COMMAND, "--slackline", test.arguments.slackline, test.output],
                          capture_output=True, text=True, check=False)
    check(done.returncode == 0, done.stdout)


if __name__ == "__main__":
    run_case(globals())
