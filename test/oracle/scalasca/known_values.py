"""What Scalasca itself said of a trace, and the same by its rules here.

The known values are text: a line for each metric (its name, how it counts, `sum=SECONDS`), and
after some of them lines with a region and seconds by rank.
"""
import collections
import re

import delays
import paths
import rules
import sync_points

COST_NAMES = {"late_sender": "latesender", "late_receiver": "latereceiver", "all_to_all": "n2n",
              "one_to_all": "12n", "all_to_one": "n21", "barrier": "barrier"}
WAIT_NAMES = {"late_sender": "mpi_latesender", "late_receiver": "mpi_latereceiver",
              "wait_at_nxn": "mpi_wait_nxn", "late_broadcast": "mpi_latebroadcast",
              "early_reduce": "mpi_earlyreduce", "wait_at_finalize": "mpi_finalize_wait",
              "wait_at_barrier": "mpi_barrier_wait", "early_scan": "mpi_earlyscan",
              "nxn_completion": "mpi_nxn_completion", "init_completion": "mpi_init_completion",
              "barrier_completion": "mpi_barrier_completion"}
ALL_OF = ("delay_", "critical_", "non_critical_", "mpi_wait_indirect_", "mpi_wait_propagating_")


def can_tell(metric):
    return metric in WAIT_NAMES.values() or metric.startswith(ALL_OF)


def read(path):
    """Of each metric: (sum, {region: [by rank]})."""
    known, rows = {}, None
    for line in path.read_text().splitlines():
        words = line.split()
        if not line.startswith(" "):
            rows = {}
            known[words[0]] = (float(re.search(r"sum=(\S+)", line)[1]), rows)
        else:
            rows[words[0]] = [float(word) for word in words[1:]]
    return known


def reckon(run):
    """By Scalasca's rules: seconds by metric and (region, rank)."""
    sync = sync_points.SyncPoints(run, rules.SCALASCA)
    costs = delays.Delays(run, sync, rules.SCALASCA)
    sums = collections.defaultdict(collections.Counter)
    _add_waits(sums, sync, costs)
    for suffix, by_key in (("", costs.short_term), ("_longterm", costs.long_term)):
        for (kind, rank, (_, region)), ticks in by_key.items():
            sums[f"delay_{COST_NAMES[kind]}{suffix}"][region, rank] += ticks
    path = paths.critical_path(run, sync, costs.own)
    impact = paths.impact(path, paths.own_times_by_rank(costs.own))
    for name, by_key in (("critical_path", path),
                         ("critical_path_activities", impact.critical_path_activities),
                         ("critical_imbalance_impact", impact.critical_imbalance_impact),
                         ("non_critical_path_activities", impact.non_critical_path_activities)):
        for (rank, (_, region)), ticks in by_key.items():
            sums[name][region, rank] += ticks
    return {name: {key: ticks / run.per_second for key, ticks in of.items()}
            for name, of in sums.items()}


def _add_waits(sums, sync, costs):
    messages = {"late_sender": ("latesender", "ls"), "late_receiver": ("latereceiver", "lr")}
    for pattern, call, length in sync.completions:
        sums[WAIT_NAMES[pattern]][call.region, call.rank] += length
    for wait in sync.waits:
        at, origin = (wait.call.region, wait.call.rank), costs.origins[wait]
        sums[WAIT_NAMES[wait.pattern]][at] += wait.length
        if wait.pattern in messages:
            name, short = messages[wait.pattern]
            sums[f"mpi_wait_indirect_{name}"][at] += origin.indirect
            sums[f"mpi_wait_propagating_{short}"][at] += origin.propagating
