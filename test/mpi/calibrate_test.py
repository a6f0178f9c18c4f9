#!/usr/bin/env python3
"""End-to-end tests of `slackline calibrate`: one case under one MPI.

    calibrate_test.py CASE --mpi openmpi|mpich --slackline BINARY

What is checked does not depend on how fast or how busy the machine is: thresholds that the MPI was told, files and
their use, and what is refused. Exit status 77: cannot be tried here (said in words)."""
import argparse
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from recording import check, skip

PARAMETERS = ("L_ns", "o_ns", "g_ns", "G_ns_per_byte", "S_bytes")


class Test:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slackline-calibrate-"))
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                OMPI_MCA_rmaps_base_oversubscribe="1")

    def slackline(self, *words, **more):
        done = subprocess.run(["timeout", "240", self.arguments.slackline, *words], cwd=self.folder,
                              env={**self.environment, **more}, capture_output=True, text=True, check=False)
        sys.stderr.write(done.stderr[-2000:])
        return done

    def launcher(self, ranks=2):
        return [f"mpirun.{self.arguments.mpi}", "-n", str(ranks)]

    def calibrate(self, *command, **more):
        return self.slackline("calibrate", "--seconds", "1", "--format", "json", "--", *command, **more)


def measured(done):
    check(done.returncode == 0, "calibrate failed")
    result = json.loads(done.stdout)["result"]
    for name in PARAMETERS:
        value = result["loggps"][name]
        check(value["low"] <= value["value"] <= value["high"], f"{name} lies in its interval")
        check(value["value"] >= 0, f"{name} is not negative")
    check(sorted(result["breakpoints_bytes"]) == result["breakpoints_bytes"], "breakpoints ascend")
    return result


def case_threshold(test):
    """The eager limit that the MPI is told is the S that is found."""
    if test.arguments.mpi == "mpich":
        for limit in (2000, 8192):
            result = measured(test.calibrate(*test.launcher(), UCX_RNDV_THRESH=str(limit)))
            found = result["loggps"]["S_bytes"]["value"]
            check(found == limit - 1, f"UCX_RNDV_THRESH={limit} makes {limit - 1} the last eager size, not {found}")
    else:
        for limit in (3000, 10000):
            result = measured(test.calibrate(*test.launcher(), "--mca", "pml", "ob1", "--mca", "btl", "vader,self",
                                             "--mca", "btl_vader_eager_limit", str(limit)))
            found = result["loggps"]["S_bytes"]["value"]
            check(limit - 128 <= found <= limit, f"the limit of {limit} holds a header and S, which is {found}")


def case_files(test):
    """The files that are written are those that other commands read; samples give the same again. A program behind the
    launcher's options is not run."""
    result = measured(test.calibrate(*test.launcher(), "/bin/false", "--option"))
    check(result["asynchronous_bytes"]["value"] <= result["detached_bytes"]["value"] == result["loggps"]["S_bytes"]["value"],
          "what leaves at once does not wait either")
    contention = result["contention"]
    check(contention["factor"]["low"] <= contention["factor"]["value"] <= contention["factor"]["high"], f"{contention}")
    check(contention["factor"]["value"] > 0 and contention["residual"] >= 0, f"{contention}")
    for name in ("machine.toml", "machine.smpi", "machine-platform.toml", "machine.samples"):
        check((test.folder / name).exists(), f"{name} is written")
    again = test.slackline("calibrate", "--samples", "machine.samples", "-o", "again.toml", "--report", "again.html")
    check(again.returncode == 0, "the samples can be fitted again")
    for name in ("toml", "smpi"):
        check((test.folder / f"machine.{name}").read_text() == (test.folder / f"again.{name}").read_text(),
              "the same samples give the same file")
    check("<html" in (test.folder / "again.html").read_text()[:2000].lower(), "the report is a page")
    trace = test.arguments.trace
    texts = [json.loads(test.slackline("predict", trace, "--machine", "machine.toml", "--buffers", buffers, "--format", "json").stdout)
             for buffers in ("written", "reused", "same")]
    check([text["options"]["machine"].rstrip(")").split("; buffers ")[1:] for text in texts] == [[], ["reused"], ["same"]],
          "each use of buffers is there")
    quantities = {p["quantity"] for p in result["pieces"]}
    check({"one_way", "one_way_reused", "one_way_same", "stream", "stream_reused"} <= quantities, f"{quantities}")
    check(result["spread"] >= 0, "the spread of the starts")
    reused = test.slackline("calibrate", "--samples", "machine.samples", "-o", "reused.toml", "--buffers", "reused", "--format", "json")
    check(reused.returncode == 0 and (test.folder / "reused.smpi").exists(), "options of SimGrid for reused buffers")
    check([p["measured_ns"] for p in json.loads(reused.stdout)["result"]["ping_pong"]] != [p["measured_ns"] for p in result["ping_pong"]],
          "the ping-pong is that of these buffers")
    predicted = test.slackline("predict", trace, "--machine", "machine.toml", "--format", "json")
    options = json.loads(predicted.stdout)["options"]
    check(options["machine"].startswith("machine.toml (measured 20"), "the report says where values come from")
    by_params = test.slackline("predict", trace, "--params", "machine.toml", "--format", "json")
    taken = json.loads(by_params.stdout)["options"]
    check(all(taken[name] == options[name] for name in ("L_ns", "o_ns", "G_ns_per_byte", "S_bytes")), "--params reads its parameters, too")


def case_refused(test):
    """What cannot be measured is refused with its reason."""
    done = test.calibrate(*test.launcher(1))
    check(done.returncode == 1 and "1 rank" in done.stderr, "one rank")
    if shutil.which("taskset"):
        done = test.slackline("calibrate", "--seconds", "1", "--", "taskset", "-c", "0", *test.launcher(),
                              *(["--bind-to", "none"] if test.arguments.mpi == "openmpi" else []))
        check(done.returncode == 1 and "one processor" in done.stderr, "two ranks on one processor")
    done = test.slackline("calibrate", "--", "true")
    check(done.returncode == 2 and "no launcher" in done.stderr, "no launcher")
    check(not (test.folder / "machine.toml").exists(), "nothing is left of it")


def case_busy(test):
    """Beside four other processes, the measurement ends all the same, and says what it had no time for."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    try:
        done = test.calibrate(*test.launcher())
    finally:
        for other in others:
            other.kill()
            other.wait()
    samples = (test.folder / "machine.samples").read_text()
    check(samples.count("# slackline calibration samples") == 3 and samples.count("# seconds ") == 3, "three starts, each to its end")
    if done.returncode == 0:
        missing = any(line.startswith("# unmeasured ") for line in samples.splitlines())
        check(("calibration_incomplete" in done.stdout) == missing, "what was not measured is said")
        measured(done)
    else:
        check("never measured" in done.stderr or "less than two rounds" in done.stderr, "why nothing can be fitted")


def case_pairs(test):
    """Of more than two ranks each pair is measured, and the matrices are those that predictions read."""
    done = test.slackline("calibrate", "--seconds", "1", "--report", "report.json", "-o", "four.toml", "--", *test.launcher(4))
    check(done.returncode == 0 and "four-latency.csv" in done.stderr, "the matrices are written and named")
    report = json.loads((test.folder / "report.json").read_text())
    result = report["result"]
    pairs = {(p["from"], p["to"]): p for p in result["pairs"]}
    check(sorted(pairs) == [(a, b) for a in range(4) for b in range(a + 1, 4)], "each pair once")
    check(all(p["L_ns"] >= 0 and p["G_ns_per_byte"] >= 0 for p in pairs.values()), "nothing is negative")
    check(any(p["G_ns_per_byte"] > 0 for p in pairs.values()), "bytes take time")
    together = result["pairs_at_once"]
    if together["placed"] < 2:
        check(not together["points"] and together["factor"] is None, "pairs that share processors are not measured")
        check("pairs_share_processors" in json.dumps(report["findings"]), "which is said")
    else:
        check([p["pairs"] for p in together["points"]] == [1, 2], f"{together}")
    first = pairs[(0, 1)]
    check(first["L_ns"] == result["loggps"]["L_ns"]["value"], "ranks 0 and 1 have the machine's L")
    for name, key, unit in (("latency", "L_ns", "ns"), ("gap", "G_ns_per_byte", "ns/B")):
        lines = [line for line in (test.folder / f"four-{name}.csv").read_text().splitlines() if line[0] != "#"]
        cells = [line.split(",") for line in lines]
        check(len(cells) == 4 and all(len(row) == 4 for row in cells), "a row and a column for each rank")
        for (a, b), p in pairs.items():
            check(cells[a][b] == cells[b][a] and cells[a][b].endswith(unit), "both directions alike")
            check(abs(float(cells[a][b].removesuffix(unit)) - p[key]) <= 1e-5 * p[key], "the reported value")
    predicted = test.slackline("predict", test.arguments.trace, "--machine", "four.toml", "--latency-matrix", "four-latency.csv",
                               "--gap-matrix", "four-gap.csv", "--format", "json")
    if predicted.returncode != 0:
        check("the job needs" in predicted.stderr, "a job of more ranks is refused in words")
        predicted = test.slackline("predict", test.arguments.trace, "--machine", "four.toml", "--latency-matrix",
                                   "four-latency.csv", "--ranks-per-node", "64", "--format", "json")
    check(json.loads(predicted.stdout)["options"]["pairs_of_ranks"]["topology"].startswith("matrix:four-latency.csv"), "predict uses it")
    again = test.slackline("calibrate", "--seconds", "1", "-o", "four.toml", "--", *test.launcher(2))
    check("four-latency.csv is of an earlier calibration" in again.stderr, "matrices that are not of this machine file are named")


def planted_samples(bandwidth_factor, asynchronous, eager, more=0):
    """`more` is what messages in both directions take longer than by bandwidth. Samples of a network of which everything is known, in ns: 900 of latency, 300 and 200 of overheads, 0.2 a byte."""
    lines = ["# slackline calibration samples 1", "# mpi made up", "# host0 a", "# host1 b", f"# eager {eager}", f"# synchronous {eager + 1}"]
    size, sizes = 1, []
    while size < 1 << 22:
        sizes.append(size)
        size = math.ceil(size * 1.17)
    for number in range(12):
        for place, size in enumerate(sizes):
            def add(quantity, ns, count=1):
                ns *= 1 + 0.001 * ((7 * number + 3 * place) % 5 - 2)
                lines.append(f"{quantity} {number} {size} {count} {ns:.0f}")
            one_way = 1400 + 0.2 * size
            add("rtt", 2 * one_way)
            add("stream", 2 * one_way + 15 * (400 + 0.2 * size), 16)
            add("send", 300)
            add("isend", 330)
            if size <= eager:
                add("recv", 200 if size <= asynchronous else one_way - 300)
            if size >= 64 << 10:
                add("sendrecv", more + 1400 + 2 / bandwidth_factor * 0.2 * size)
    return "\n".join(lines) + "\n"


def case_modes(test):
    """The modes of sending and the contention of a planted network are found and simulated."""
    (test.folder / "exchange.txt").write_text("slackline-trace 1 untimed ranks=2\n" + "".join(
        f"rank {r}\n  init\n  sendrecv to={1 - r} bytes=4194304 from={1 - r} rbytes=4194304\n  finalize\n" for r in (0, 1)))
    (test.folder / "made.samples").write_text(planted_samples(1.5, 9000, 65536))
    done = test.slackline("calibrate", "--samples", "made.samples", "-o", "made.toml", "--format", "json")
    check(done.returncode == 0, "the samples can be fitted")
    check("contention_residual" not in done.stdout, "what bandwidth explains")
    result = json.loads(done.stdout)["result"]
    check(result["detached_bytes"]["value"] == 65536, "S is as it was found")
    threshold = result["asynchronous_bytes"]
    check(threshold["low"] <= 9000 <= threshold["high"], f"the planted 9000 bytes lie in {threshold}")
    factor = result["contention"]["factor"]
    check(abs(factor["value"] - 1.5) < 0.01 and result["contention"]["residual"] < 0.01, f"1.5 is {result['contention']}")
    options = dict(line.split(":", 1) for line in (test.folder / "made.smpi").read_text().splitlines() if line[0] != "#")
    check(abs(int(options["smpi/async-small-thresh"]) - 9000) < 0.2 * 9000, "SimGrid's option")
    check(options["smpi/send-is-detached-thresh"] == "65537", "and the other one")
    done = test.slackline("simulate", "exchange.txt", "--platform", "made-platform.toml", "--options", "made.smpi", "--format", "json")
    makespan = json.loads(done.stdout)["result"]["makespan_ns"]
    planted = 1400 + 2 / 1.5 * 0.2 * 4194304
    check(abs(makespan / planted - 1) < 0.01, f"the exchange of {planted} ns takes {makespan} ns in the simulation")

    # Four pairs, which together have 2.5 times the bandwidth of one; what bytes do not take is not slowed.
    pairs = "".join(f"# pairs_at_once {k} 1048576 {2 * (1400 + 0.2 * 1048576 * max(1, k / 2.5)):.0f} 0\n" for k in (1, 2, 3, 4))
    (test.folder / "pairs.samples").write_text(planted_samples(2, 9000, 65536) + "# pairs_placed 4 4\n" + pairs)
    done = test.slackline("calibrate", "--samples", "pairs.samples", "-o", "pairs.toml", "--format", "json")
    together = json.loads(done.stdout)["result"]["pairs_at_once"]
    check(abs(together["factor"] - 2.5) < 0.01 and together["residual"] < 0.001, f"2.5 is {together}")
    for count in (1, 2, 3, 4):
        (test.folder / "pairs.txt").write_text(f"slackline-trace 1 untimed ranks={2 * count}\n" + "".join(
            f"rank {r}\n  init\n  " + (f"recv from={r - 1}" if r % 2 else f"send to={r + 1}") + " bytes=4194304\n  finalize\n"
            for r in range(2 * count)))
        done = test.slackline("simulate", "pairs.txt", "--platform", "pairs-platform.toml", "--options", "pairs.smpi", "--format", "json")
        makespan = json.loads(done.stdout)["result"]["makespan_ns"]
        planted = 1400 + 0.2 * 4194304 * max(1, count / 2.5)
        check(abs(makespan / planted - 1) < 0.01, f"{count} pairs at once: {makespan} ns of {planted}")

    (test.folder / "other.samples").write_text(planted_samples(1.5, 9000, 65536, more=600e3))
    done = test.slackline("calibrate", "--samples", "other.samples", "-o", "other.toml", "--format", "json")
    check("contention_residual" in done.stdout, "a delay of any size is no bandwidth")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case")
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--slackline", required=True)
    parser.add_argument("--trace", required=True)
    arguments = parser.parse_args()
    if len(os.sched_getaffinity(0)) < 2 and arguments.case != "refused":
        skip("there is one processor only")
    test = Test(arguments)
    globals()[f"case_{arguments.case}"](test)
    shutil.rmtree(test.folder)


if __name__ == "__main__":
    main()
