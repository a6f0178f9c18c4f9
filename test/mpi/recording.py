"""What tests of recording share: a folder to record in, the two launchers, and a recording's text."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

SKIPPED = 77


class Test:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = tempfile.mkdtemp(prefix="slackline-test-")
        self.output = os.path.join(self.folder, "trace")
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                OMPI_MCA_rmaps_base_oversubscribe="1",
                                OMPI_MCA_mpi_yield_when_idle="1",
                                OMPI_MCA_btl_vader_single_copy_mechanism="none")

    def program(self, name):
        return os.path.join(self.arguments.programs, self.arguments.mpi, name)

    def launcher(self, ranks):
        return [f"mpirun.{self.arguments.mpi}", "-n", str(ranks)]

    def run(self, command, **more):
        # Asked to end, not killed, after four minutes: the launcher then ends its ranks.
        done = subprocess.run(["timeout", "240", *command], env={**self.environment, **more},
                              cwd=self.folder, capture_output=True, text=True, check=False)
        sys.stderr.write(done.stdout[-3000:] + done.stderr[-3000:])
        return done

    def slackline(self, *words, **more):
        return self.run([self.arguments.slackline, *words], **more)

    def record(self, command, **more):
        record = [self.arguments.slackline, "record", "--keep-raw", "-o", self.output]
        if self.arguments.mpi == "mpich":
            record.append("--yield")
        return self.run([*record, "--", *command], **more)

    def text(self):
        """The recording in the text form."""
        return subprocess.run([self.arguments.print, self.output], capture_output=True, text=True,
                              check=True).stdout


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def finding(text, name):
    """The count of a finding; 0 when it is not there."""
    match = re.search(rf"^finding {name} \w+ (\d+)", text, re.M)
    return int(match[1]) if match else 0


def rank_section(text, rank):
    return re.split(r"^rank ", text, flags=re.M)[rank + 1]


def answer(test, *command, trace=None):
    """What a command says of the recording, as JSON."""
    ran = subprocess.run([test.arguments.slackline, *command, trace or test.output, "--format",
                          "json"], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


def result(test, *command):
    """The result of a command on the recording, as JSON."""
    return answer(test, *command)["result"]


def calls(text, rank, operation):
    """How many have returned."""
    made = re.findall(rf"^  \S+ \S+ {operation}(?: .*|$)", rank_section(text, rank), re.M)
    return sum(" unfinished" not in call for call in made)


def skip(reason):
    """Ends the test: it cannot be tried here."""
    print(f"SKIPPED: {reason}")
    sys.exit(SKIPPED)


def succeeded(done, lacking="what the program calls"):
    """The program ran to its end; skips the test where the program said that MPI lacks something."""
    if done.returncode == SKIPPED:
        skip(f"this MPI has no {lacking}")
    check(done.returncode == 0, "the program failed")


def run_case(cases, run=lambda case, *arguments: case(*arguments)):
    """Runs the test that the command line names, CASE or CASE:PARAMETER, in a new folder.
    cases: by name, as globals() has them. run: calls a case, which raises AssertionError."""
    parser = argparse.ArgumentParser()
    parser.add_argument("case")
    for name in ("mpi", "slackline", "print", "programs"):
        parser.add_argument(f"--{name}", required=True)
    arguments = parser.parse_args()
    case, _, parameter = arguments.case.partition(":")
    test = Test(arguments)
    try:
        run(cases[f"case_{case}"], *[test, parameter][:2 if parameter else 1])
    except AssertionError as wrong:
        print(f"FAILED: {wrong}")
        sys.exit(1)
    finally:
        shutil.rmtree(test.folder, ignore_errors=True)
    print("passed")
