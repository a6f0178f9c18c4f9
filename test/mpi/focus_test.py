#!/usr/bin/env python3
"""Tests of traces that are reduced to the focus regions of their run (slackline record --keep focus)."""
import os
import re

from recording import answer, check, run_case, skip, succeeded

LOOP = 300  # iterations of one reduction on each of 2 ranks, in focus.c


def case_regions(test):
    """The second loop is like the first one and is dropped; what is kept has the figures that it had in the whole run."""
    program = test.program("focus")
    done = test.run([test.arguments.slackline, "record", "--keep-raw", "--keep", "focus", "-o", test.output, "--",
                     *test.launcher(2), program])
    succeeded(done)
    whole = os.path.join(test.output, "raw")

    def of(trace, *command):
        return answer(test, *command, trace=trace)["result"]
    calls = {trace: of(trace, "info")["calls"] for trace in (whole, test.output)}
    dropped = sum(f["count"] for f in answer(test, "info")["findings"] if f["name"] == "calls_outside_of_focus")
    check(calls[whole] - calls[test.output] == dropped, f"{calls}, {dropped} dropped")
    regions = [region for region in of(whole, "phases")["regions"] if region["representative"]]
    said = re.search(rf"reduced to (\d+) focus regions?: {dropped} of", done.stderr)
    check(said and 0 < int(said[1]) <= len(regions), done.stderr)
    check(said.start() < done.stderr.index("next: slackline report"), "the next step comes last")
    for region in regions:
        interval = f"{region['begin_ns']}ns..{region['end_ns']}ns"
        before, after = (of(trace, "efficiency", "--interval", interval)["runs"][0]["analysed"]
                         for trace in (whole, test.output))
        for factor, value in before["multiplicative"].items():
            check(abs(value - after["multiplicative"][factor]) < 1e-3, f"{factor} of {interval}: {before}, {after}")
        waits = [of(trace, "waits", "--interval", interval)["waiting_ns"] for trace in (whole, test.output)]
        check(waits[0] == waits[1], f"waiting in {interval}: {waits}")
    for command in ("report", "path", "phases", "predict", "hotspots", "info"):
        done = test.slackline(command, test.output, "--format", "json")
        check(done.returncode == 0, f"{command}: {done.stderr}")
        check("unmatched" not in done.stdout.split('"findings"')[-1], f"{command}: messages are complete")
    if len(regions) != 2:
        skip("other programs took the processors: the loops differ")
    check(2 * (LOOP - 20) <= dropped <= 2 * LOOP, f"one loop of {2 * LOOP} calls: {dropped}")


def case_refused(test):
    for words in (["--keep", "half"], ["--keep", ""], ["--analyse", "--keep", "focus"]):
        done = test.slackline("record", *words, "--", "true")
        check(done.returncode == 2 and "keep" in done.stderr, done.stderr)


if __name__ == "__main__":
    run_case(globals())
