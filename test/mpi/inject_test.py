#!/usr/bin/env python3
"""End-to-end tests of `slackline inject`: one case under one MPI.

    inject_test.py [ofi_]CASE --mpi openmpi|mpich --slackline BINARY --programs DIR

Cases are those of UCX; with ofi_, those of libfabric's provider tcp;ofi_rxm under Open MPI.
A message that arrives too early is a fault at any time, so every single sample has to keep the lower bound. How exact
the delays are at best (cases exact_...) is told by the fastest of many samples, as ranks of a busy machine wait for a
processor, too; such a case passes, or is skipped. Exit status 77: skipped (said in words)."""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
TOLERANCE = 0.02
PATIENCE = 150  # seconds in which the fastest sample has to be found
FABRIC = ["--mca", "pml", "cm", "--mca", "mtl", "ofi", "--mca", "mtl_ofi_provider_include", "tcp;ofi_rxm"]
BUSY_NS = {"ucx": 3000, "ofi": 20_000}  # the fastest message without injection is faster on every machine that is not
COARSE_NS = 10_000_000  # a latency beside which the delays of a busy machine are short
# How many latencies each sample takes.
PING_PONG = {"round 8": 1, "one_way 8": 1, "round 4000": 1, "one_way 4000": 1}
TWO_SENDS = {"first 8": 1, "second 8": 1, "sender 8": 0}


def check(condition, what):
    if not condition:
        raise AssertionError(what)


class Test:
    def __init__(self, arguments):
        self.arguments = arguments
        self.transport = "ofi" if arguments.case.startswith("ofi_") else "ucx"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slackline-inject-"))
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1")

    def program(self):
        return str(pathlib.Path(self.arguments.programs) / self.arguments.mpi / "inject")

    def run(self, *command):
        done = subprocess.run(["timeout", "200", *command], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, check=False)
        sys.stderr.write(done.stderr[-2000:])
        return done

    def launcher(self, ranks=2, *options):
        fabric = FABRIC if self.transport == "ofi" else []
        return [f"mpirun.{self.arguments.mpi}", *fabric, *options, "-n", str(ranks)]

    def inject(self, options, *command):
        return self.run(self.arguments.slackline, "inject", *options, "--", *command)

    def samples(self, options, pattern, repetitions=200):
        """Values in ns by name and size."""
        done = self.inject(options, *self.launcher(), self.program(), pattern, str(repetitions))
        check(done.returncode == 0, "the program failed")
        check("nothing was injected" not in done.stderr, "injection took hold")
        values = collections.defaultdict(list)
        for line in done.stdout.splitlines():
            name, size, _, value = line.split()
            values[f"{name} {size}"].append(int(value))
        return values


def compare(test, pattern, expected):
    """`expected`: name -> how many latencies it takes. Every sample takes at least that. The fastest of some messages
    that take 10 ms is nearer to that number of latencies than to the next, on a busy machine, too."""
    for latency, repetitions in ((0, 200), (10_000, 200), (100_000, 200), (COARSE_NS, 20)):
        values = {name: min(of_name) for name, of_name in
                  test.samples(["--latency", f"{latency}ns"], pattern, repetitions).items() if name in expected}
        check(set(values) == set(expected), f"samples of {sorted(expected)}, not of {sorted(values)}")
        for name, value in values.items():
            check(value >= latency * expected[name],
                  f"{name}: {value} ns is earlier than {expected[name]} times {latency} ns")
            check(latency < COARSE_NS or value < (expected[name] + 0.5) * latency,
                  f"{name}: the fastest takes {value} ns, {expected[name]} times {latency} ns are injected")


def compare_exactly(test, pattern, expected):
    """The fastest sample is within the tolerance of the latency plus what it takes without injection."""
    base = {}
    fastest = {}
    end = time.monotonic() + PATIENCE
    missing = []
    while time.monotonic() < end:
        for latency in (0, 10_000, 100_000):
            for name, values in test.samples(["--latency", f"{latency}ns"], pattern).items():
                if name not in expected:
                    continue
                known = base if latency == 0 else fastest.setdefault(latency, {})
                known[name] = min(values + [known.get(name, values[0])])
        missing = [f"{name} at {latency} ns: {value} ns, without injection {base[name]} ns"
                   for latency, values in fastest.items() for name, value in values.items()
                   if value > (1 + TOLERANCE) * (latency * expected[name] + min(base[name], BUSY_NS[test.transport]))]
        if not missing:
            print(base, fastest)
            return
    print("SKIPPED: the machine is too busy:", missing)
    sys.exit(SKIPPED)


def case_ping_pong(test):
    """One latency each way."""
    compare(test, "ping_pong", PING_PONG)


def case_exact_ping_pong(test):
    compare_exactly(test, "ping_pong", PING_PONG)


def case_two_sends(test):
    """The latencies of two messages overlap, and the sender is not held up."""
    compare(test, "two_sends", TWO_SENDS)


def case_exact_two_sends(test):
    compare_exactly(test, "two_sends", TWO_SENDS)


def case_overlap(test):
    """60 us of computation of the receiver are over before 100 us of latency, which begin at the send."""
    check(min(test.samples(["--latency", "100us"], "overlap")["overlap 8"]) >= 100_000, "never early")


def case_exact_overlap(test):
    end = time.monotonic() + PATIENCE
    fastest = []
    while time.monotonic() < end:
        fastest.append(min(test.samples(["--latency", "100us"], "overlap")["overlap 8"]))
        if fastest[-1] <= 102_000:
            return
    print("SKIPPED: the machine is too busy:", min(fastest))
    sys.exit(SKIPPED)


def case_allreduce(test):
    """Two ranks exchange their values: one latency."""
    compare(test, "allreduce", {"allreduce 8": 1})


def case_one_sided(test):
    """The data of a put takes one latency to its target, and the target's answer another one."""
    values = test.samples(["--latency", f"{COARSE_NS}ns"], "one_sided", 5)
    check(min(values["lock 8"]) >= 2 * COARSE_NS, f"a lock, a put and an unlock: {values['lock 8']} ns")
    check(min(values["fence 8"]) >= COARSE_NS, f"a put between fences: {values['fence 8']} ns")
    done = test.inject(["--latency", "1ms"], *test.launcher(), test.program(), "one_sided_multiple", "2")
    check(done.returncode == 0, "the job goes on")
    said = "one-sided communication, if there is any, was not delayed" in done.stderr
    check(said == (test.arguments.mpi == "openmpi"), "what is not delayed is said")


def case_rendezvous(test):
    """A message with a rendezvous crosses the network three times; the sender has it back after two."""
    latency = 5 * COARSE_NS  # so that polls of a busy machine are short beside it
    values = test.samples(["--latency", f"{latency}ns"], "ping_pong", 16)
    for name in ("round 1000000", "one_way 1000000"):
        check(3 * latency <= min(values[name]) < 3.9 * latency, f"{name}: {values[name]}")
    check(2 * latency <= min(values["send 1000000"]) < 2.9 * latency, f"sender: {values['send 1000000']}")
    check(min(values["send 64000"]) < latency / 2, f"sender without a rendezvous: {values['send 64000']}")


def case_posted_late(test):
    """A message with a rendezvous that waits for its receive takes two latencies from then on."""
    latency = 10 * COARSE_NS
    values = test.samples(["--latency", f"{latency}ns"], "posted_late", 8)["posted_late 1000000"]
    check(2 * latency <= min(values) < 2.9 * latency, f"after the receive: {values}")


def case_stream(test):
    """Many messages in a row take about one latency, also when the sender computes after them."""
    values = min(test.samples(["--latency", f"{COARSE_NS}ns"], "stream", 5)["stream 8"])
    check(COARSE_NS <= values < 3 * COARSE_NS, f"50 messages take {values} ns")


def case_self(test):
    """Messages of a rank to itself are left alone, and a message that is looked for is found and claimed."""
    values = test.samples(["--latency", f"{COARSE_NS}ns"], "itself", 5)
    check(min(values["itself 8"]) < COARSE_NS / 2, f"to itself: {values['itself 8']} ns")
    check(min(values["claimed 8"]) >= COARSE_NS, f"claimed: {values['claimed 8']} ns")


def case_buffers(test):
    """Buffers of several messages, and receives without a completion, keep their meaning."""
    library = pathlib.Path(test.arguments.slackline).resolve().parent / "lib/slackline/libslackline_inject.so"
    program = str(pathlib.Path(test.arguments.programs) / test.arguments.mpi / "fabric")
    link = f"{30 * COARSE_NS}"
    for provider in (["shm"], ["tcp;ofi_rxm", "127.0.0.1"]):
        plain = test.run(program, *provider)
        if plain.returncode == SKIPPED:
            print("SKIPPED: libfabric has no provider", provider[0])
            continue
        begin = time.monotonic_ns()
        done = test.run("env", f"LD_PRELOAD={library}", f"SLACKLINE_INJECT_INTRA={link}",
                        f"SLACKLINE_INJECT_INTER={link}", program, *provider)
        check(plain.stdout == done.stdout == "wrong 0\n", f"{provider}: {plain.stdout}, injected {done.stdout}")
        check(time.monotonic_ns() - begin >= 30 * COARSE_NS, "the messages are delayed")


def case_counts(test):
    """Which transport took how many messages is said: two of 8 bytes with the answer, and the rendezvous."""
    done = test.inject(["--latency", "0us"], *test.launcher(), test.program(), "ping_pong", "4")
    check(done.returncode == 0, "the program failed")
    found = re.search(r"through (\S+) \(\S+\): ([\d,]+) messages? eager with .*, ([\d,]+) of rendezvous", done.stderr)
    check(found, "a summary")
    eager, rendezvous = (int(found[k].replace(",", "")) for k in (2, 3))
    check(found[1] == ("tcp;ofi_rxm" if test.transport == "ofi" else "posix"), found[1])
    # Of 1 MB: two repetitions, one message each way. Smaller ones: 3 sizes of 4 repetitions each, and barriers.
    check(eager >= 24 and (rendezvous == 4 if test.transport == "ofi" else rendezvous > 4), f"{eager} and {rendezvous}")


def case_order(test):
    """Jitter delays messages, but none overtakes another or changes, with more ranks than processors, too."""
    for ranks in (2, 5):
        done = test.inject(["--latency", "20us", "--jitter", "50us", "--eager-limit", "16KiB"], *test.launcher(ranks),
                           test.program(), "order")
        check(done.returncode == 0 and done.stdout.split() == ["wrong_bytes", "0", "0", "0"], "messages arrive intact")
        check("nothing was injected" not in done.stderr and f"between {ranks} ranks" in done.stderr, "all ranks are delayed")


def case_bandwidth(test):
    """64,000 bytes at 100 MB/s take 640 us, eager and with a rendezvous."""
    for limit in ("128KiB", "16KiB"):
        values = test.samples(["--bandwidth", "100MB/s", "--eager-limit", limit], "ping_pong", 20)["one_way 64000"]
        check(min(values) >= 640_000, f"{min(values)} ns is less than the link takes")


def case_status(test):
    """Output and exit status are the job's."""
    command = [*test.launcher(1), "sh", "-c", "echo out; echo err >&2; exit 3"]
    plain = test.run(*command)
    done = test.inject(["--latency", "10us"], *command)
    check(done.returncode == plain.returncode == 3, "exit status")
    check(done.stdout == plain.stdout == "out\n", "output")
    check("nothing was injected: no rank was seen" in done.stderr, "a program without MPI")
    done = test.inject(["--latency", "10us"], *test.launcher(), test.program(), "allreduce", "1", "7")
    check(done.returncode == 7, "the program's own status")
    check(not list(test.folder.glob(".slackline-inject*")), "nothing is left behind")


def case_not_held(test):
    """A job whose messages go another way is said not to be delayed."""
    done = test.inject(["--latency", "10us", "--between", "inter"], *test.launcher(), test.program(), "allreduce", "1")
    check(done.returncode == 0 and "nothing was injected: the ranks communicate neither" in done.stderr, "transports left alone")
    if test.arguments.mpi == "openmpi":
        done = test.inject(["--latency", "10us"], *test.launcher(2, "--mca", "pml", "ob1"), test.program(),
                           "allreduce", "1")
        check("switched to its UCX" in done.stderr and "nothing was" not in done.stderr, "the job's own layer gives way")


def case_record(test):
    """A recording of a job with injection has the messages' times."""
    done = test.inject(["--latency", "2ms"], test.arguments.slackline, "record", "-o", "trace", "--", *test.launcher(),
                       test.program(), "two_sends", "5")
    check(done.returncode == 0 and "nothing was injected" not in done.stderr, "recorded with injection")
    info = test.run(test.arguments.slackline, "info", "trace", "--format", "json")
    check(info.returncode == 0 and json.loads(info.stdout), "a trace")


def case_usage(test):
    """What cannot be injected is refused."""
    check(test.inject([], *test.launcher(), test.program()).returncode == 2, "nothing to inject")
    check(test.inject(["--latency", "10"], *test.launcher(), test.program()).returncode == 2, "no unit")
    check(test.run(test.arguments.slackline, "inject", "--latency", "1us").returncode == 2, "no command")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case")
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--slackline", required=True)
    parser.add_argument("--programs", required=True)
    arguments = parser.parse_args()
    if arguments.case.startswith("ofi_"):
        components = subprocess.run(["ompi_info"], capture_output=True, text=True, check=False).stdout
        if arguments.mpi != "openmpi" or "MCA mtl: ofi" not in components:
            print("SKIPPED: no Open MPI with the component mtl ofi, whose libfabric could be used")
            return SKIPPED
    if len(os.sched_getaffinity(0)) < 2:
        print("SKIPPED: there is one processor only")
        return SKIPPED
    test = Test(arguments)
    globals()[f"case_{arguments.case.removeprefix('ofi_')}"](test)
    shutil.rmtree(test.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
