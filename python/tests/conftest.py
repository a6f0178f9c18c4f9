"""What the tests share: the built command line, the recorded traces, and small traces written by hand."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

#: Rank 1 posts its receive at 200 ns, and rank 0 sends at 1200 ns: a late sender of 1000 ns.
LATE_SENDER = """slackline-trace 1 timed ranks=2
comm 2 members=1,0 name="pair"
region 0 "solve"
region 1 "halo"
rank 0 host=n0
  @0 +100 init
  @150 enter "solve"
  @1100 enter "halo"
  @1200 +500 send to=1 tag=3 bytes=8 comm=2
  @1900 leave "halo"
  @2350 leave "solve"
  @2600 +10 finalize
rank 1 host=n0
  @0 +100 init
  @150 enter "solve"
  @200 +1600 recv from=0 tag=3 bytes=8 comm=2
  @2350 leave "solve"
  @2600 +10 finalize
"""


class CommandLine:
    """The program beside the module, as an independent way to the same numbers."""

    def __init__(self, binary):
        self.binary = binary

    def json(self, *args):
        run = subprocess.run([self.binary, *map(str, args), "--format", "json"], capture_output=True, text=True,
                             check=True)
        return json.loads(run.stdout)

    def text(self, *args):
        return subprocess.run([self.binary, *map(str, args)], capture_output=True, text=True, check=True).stdout

    def complaint(self, *args):
        run = subprocess.run([self.binary, *map(str, args)], capture_output=True, text=True)
        assert run.returncode != 0
        return run.stderr.strip().removeprefix("slackline: ")


@pytest.fixture(scope="session")
def cli():
    return CommandLine(os.environ["SLACKLINE_BINARY"])


@pytest.fixture(scope="session")
def traces():
    return ROOT / "examples" / "traces"


@pytest.fixture
def late_sender(tmp_path):
    path = tmp_path / "late.slt"
    path.write_text(LATE_SENDER)
    return path
