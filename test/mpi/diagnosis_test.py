#!/usr/bin/env python3
"""What the synthetic examples put into a run is what the diagnosis finds in its recording.

    diagnosis_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

Where there are more ranks than processors, work is a pause, so that shares and orders hold; where
efficiency counts, it is CPU time. No check is by absolute times. Work has to be long beside what other
jobs take from a processor at a time, which differs from machine to machine: what is not found is
looked for in longer runs."""
import os
import re
import shutil
import sys

from recording import answer, check, result, run_case, skip

# Steps, and a unit of work in us, from short runs to long ones.
RUNS = (("30", "8000"), ("30", "25000"), ("30", "80000"))


def require(condition, what):
    """What no longer run can mend."""
    if not condition:
        sys.exit("FAILED: " + what)


def recorded(test, name, run, ranks=4, **environment):
    shutil.rmtree(test.output, ignore_errors=True)
    done = test.record(test.launcher(ranks) + [test.program(name), *run], **environment)
    require(done.returncode == 0, "the program failed")


def share_of(waits, pattern, operation, path):
    """Of the waiting with a cause: what lies in one place."""
    own = [p for p in waits["places"] if p["pattern"] == pattern and p["operation"] == operation
           and p["call_path"].endswith(path)]
    return own, sum(p["sum_ns"] for p in own) / waits["waiting_ns"]


def causes(waits):
    """Delay costs by activity and call path, each by rank."""
    table = {}
    for d in waits["delays"]:
        by_rank = table.setdefault((d["activity"], d["call_path"]), [0.0] * 4)
        by_rank[d["rank"]] += d["total_ns"]
    return table


def largest(table):
    return max(table, key=lambda key: sum(table[key]))


def evidence_is_there(report):
    """Every evidence of the judgement is an id in the report."""
    def ids(sections):
        for section in sections:
            yield section["id"]
            for item in section.get("items", []):
                yield item.get("id")
            yield from ids(section.get("children", []))
    known = set(ids(report["sections"])) | {"findings"}
    for sentence in report["result"]["judgement"]:
        require(sentence["evidence"] and set(sentence["evidence"]) <= known,
                f"evidence of: {sentence['sentence']}")


def sentences(test):
    report = answer(test, "report")
    if "sections" in report:
        evidence_is_there(report)
    return {j["aspect"]: j["sentence"] for j in report["result"]["judgement"]}


def case_lb_coll(test, run):
    recorded(test, "lb_coll", run, EXAMPLE_WORK="pause")
    waits = result(test, "wait-states")
    places, share = share_of(waits, "wait_at_nxn", "MPI_Allreduce", "")
    check(share > 0.7, f"{share:.0%} of the waiting is in the reduction")
    by_rank = [sum(p["by_rank_ns"][r] for p in places) for r in range(4)]
    check(by_rank[0] > by_rank[2] > by_rank[3], f"who has less to do waits longer: {by_rank}")
    table = causes(waits)
    check(largest(table) == ("computation", "foo"), f"the cause is {largest(table)}")
    by_rank = table["computation", "foo"]
    check(max(by_rank) == by_rank[3], f"the last rank's: {by_rank}")
    said = sentences(test)
    check("foo" in said["cause"] and "MPI_Allreduce" in said["cause"], said["cause"])


def case_lb_p2p(test, run):
    recorded(test, "lb_p2p", run, EXAMPLE_WORK="pause")
    waits = result(test, "wait-states")
    places, share = share_of(waits, "late_sender", "MPI_Recv", "even to odd")
    check(share > 0.35, f"{share:.0%} of the waiting is of the odd ranks for the even ones")
    by_rank = [sum(p["by_rank_ns"][r] for p in places) for r in range(4)]
    check(by_rank[0] == by_rank[2] == 0 < min(by_rank[1], by_rank[3]), f"odd ranks wait: {by_rank}")
    table = causes(waits)
    check(largest(table) == ("computation", "foo"), f"the cause is {largest(table)}")
    by_rank = table["computation", "foo"]
    check(by_rank[0] + by_rank[2] > 0.8 * sum(by_rank), f"of the even ranks: {by_rank}")
    check("foo" in sentences(test)["cause"], "the judgement names it")


def case_heat_phases(test, run):
    processors = len(os.sched_getaffinity(0))
    if processors < 2:
        skip("two ranks need two processors")
    recorded(test, "heat_phases", run, ranks=4 if processors >= 4 else 2)
    phases = ("even", "uneven", "whole", "in turn")
    printed = test.text()
    ranks = re.split(r"^rank ", printed, flags=re.M)[1:]
    begins = {name: max(int(re.search(rf'@(-?\d+) enter "{name}"', r)[1]) for r in ranks)
              for name in phases}
    monitor = result(test, "monitor")
    regions = [r for r in monitor["regions"] if r["phase"] is not None]
    length = regions[-1]["end_ns"] - regions[0]["begin_ns"]
    start = min(int(re.search(r"@(-?\d+) \+\d+ init", r)[1]) for r in ranks)

    def efficiency(name):
        """Of the longest region that begins in that phase."""
        at = phases.index(name)
        end = begins[phases[at + 1]] if at + 1 < len(phases) else begins[name] + length
        inside = [r for r in regions if begins[name] - 0.03 * length <= r["begin_ns"] + start <
                  end - 0.03 * length]
        check(inside, f"a region begins with phase '{name}'")
        longest = max(inside, key=lambda r: r["end_ns"] - r["begin_ns"])
        return longest["efficiency"], longest["kind"]

    for name in phases[1:]:
        nearest = min(abs(r["begin_ns"] + start - begins[name]) for r in regions)
        check(nearest < 0.03 * length,
              f"phase '{name}' begins {nearest / length:.1%} of the run away")
    found = {name: efficiency(name) for name in phases}
    print({name: (kind, {k: v if v is None else round(v, 3) for k, v in e.items()})
           for name, (e, kind) in found.items()}, file=sys.stderr)
    check(max(found, key=lambda name: found[name][0]["parallel"]) == "even", "even is best")
    check(found["uneven"][0]["load_balance"] < 0.8, "uneven lacks balance")
    check(found["whole"][1] == "transfer", "whole is held back by transfer")
    check(found["in turn"][1] == "serialisation", "in turn is held back by serialisation")


def in_some_run(case, test):
    """What no run shows is not found."""
    for run in RUNS:
        try:
            return case(test, run)
        except AssertionError as wrong:
            print(f"FAILED with work of {run[1]} us: {wrong}", flush=True)
    raise AssertionError("not found in any run")


if __name__ == "__main__":
    run_case(globals(), in_some_run)
