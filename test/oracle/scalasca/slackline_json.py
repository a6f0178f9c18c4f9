"""What `slackline waits` says of a trace, and the same by Slackline's rules here.

Nanoseconds by what they are of: ("short_term", kind, rank, activity), ("direct", pattern) ...
"""
import collections
import json
import subprocess

import delays
import rules
import sync_points


def ask(binary, trace):
    run = subprocess.run([binary, "wait-states", trace, "--interval", "run", "--format", "json"], capture_output=True,
                         text=True, check=True)
    return numbers(json.loads(run.stdout)["result"])


def numbers(result):
    found = {}
    for d in result["delays"]:
        for term in ("short_term", "long_term"):
            for kind, ns in d[f"{term}_ns"].items():
                found[term, kind, d["rank"], d["call_path"], d["activity"]] = ns
    for p in result["patterns"]:
        for rank, ns in enumerate(p["by_rank_ns"]):
            found["waiting", p["pattern"], rank] = ns
        if p["worst"]["cause_rank"] is None:
            continue  # a completion, which no rank causes
        for part in ("direct", "indirect", "propagating"):
            found[part, p["pattern"]] = p[f"{part}_ns"]
    return found


def reckon(run):
    sync = sync_points.SyncPoints(run, rules.SLACKLINE)
    costs = delays.Delays(run, sync, rules.SLACKLINE)
    found = collections.Counter()
    for term, by_key in (("short_term", costs.short_term), ("long_term", costs.long_term)):
        for (kind, rank, (path, operation)), ns in by_key.items():
            found[term, kind, rank, path, operation] += ns
    for pattern, call, length in sync.completions:
        found["waiting", pattern, call.rank] += length
    for wait in sync.waits:
        origin = costs.origins[wait]
        found["direct", wait.pattern] += origin.direct
        found["indirect", wait.pattern] += origin.indirect
        found["propagating", wait.pattern] += origin.propagating
        found["waiting", wait.pattern, wait.call.rank] += wait.length
    return found
