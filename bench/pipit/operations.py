"""pipit's operations and the equal ones of slackline, each as a pair of functions of a trace, with how their results
are compared.

pipit measures times from the first event on in floating point, so that times may differ by rounding.
"""
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

#: What pipit calls idle in MPI.
IDLE = ["MPI_Wait", "MPI_Waitall", "MPI_Recv"]
BINS = 50


@dataclasses.dataclass
class Operation:
    name: str
    theirs: Callable[[Any], Any]
    ours: Callable[[Any], Any]
    #: Raises AssertionError unless both results are equal; None where pipit has no result to compare with.
    compare: Callable[[Any, Any, Any, Any], None] | None = None


def same(ours, theirs, tolerance=0.0):
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
    difference = np.abs(ours - theirs).max(initial=0)
    assert difference <= tolerance, f"differs by {difference:g}"


def compare_profile(ours, theirs, our_trace, their_trace):
    times = dict(zip(zip(ours["name"].tolist(), ours["rank"].tolist()), ours["time_ns"].tolist()))
    compared = 0
    for (name, rank), row in theirs.iterrows():
        if (name, rank) not in times:
            assert name.startswith("MPI_"), f"{name} of rank {rank} is missing"
            continue  # MPI_Comm_rank and its like are no calls here
        if name.startswith("MPI_"):
            calls = ours["count"][(ours["name"] == name) & (ours["rank"] == rank)].sum()
            same(times[name, rank], row["time.exc"], 2.0 * calls)
            compared += 1
    assert compared > 0


def interval_of_all_events(our_trace, their_trace):
    """What pipit divides into bins, in the time of our trace: from its first to its last event of any kind."""
    events = their_trace.events
    times = events["Timestamp (ns)"]
    first_call = times[(events["Event Type"] == "Enter") & events["Name"].isin(np.unique(our_trace.calls()["operation"]))]
    zero = our_trace.calls()["begin_ns"].min() - first_call.min()
    return round(times.min() + zero), round(times.max() + zero)


def compare_time_profile(ours, theirs, our_trace, their_trace):
    interval = interval_of_all_events(our_trace, their_trace)
    windows = our_trace.time_profile(BINS, interval)
    compared = 0
    for name in (name for name in windows if name.startswith("MPI_")):
        same(windows[name], theirs[name], 2.0 + 2.0 * our_trace.calls(operation=name).rows)
        compared += 1
    assert compared > 0


def compare_tree(ours, theirs, our_trace, their_trace):
    """pipit's nodes are the paths to every function, those of MPI included."""
    tree, region, operation = ours
    paths, names = tree["path"], operation.categories
    expected = set(paths.tolist()) - {""}
    for code, name in set(zip(region.values.tolist(), operation.values.tolist())):
        expected.add("/".join(filter(None, [paths[code], names[name]])))
    entered = their_trace.events[their_trace.events["Event Type"] == "Enter"]
    name_of = {node._pipit_nid: name for node, name in zip(entered["Graph_Node"], entered["Name"])}

    def path_of(node):
        return [*(path_of(node.parent) if node.parent else []), name_of[node._pipit_nid]]

    nodes = {node._pipit_nid: node for node in entered["Graph_Node"]}
    found = {"/".join(path) for path in map(path_of, nodes.values())
             if not path[-1].startswith("MPI_") or path[-1] in names}
    assert found == expected, found ^ expected


def compare_sizes(ours, theirs, our_trace, their_trace):
    counts, edges = theirs
    same(ours["messages"], counts)
    same([*ours["begin_bytes"], ours["end_bytes"][-1]], edges, 1e-6 * edges[-1])


def compare_over_time(ours, theirs, our_trace, their_trace):
    sent, _ = theirs
    ours = our_trace.comm_over_time(BINS, interval_of_all_events(our_trace, their_trace))
    same(ours["bytes"].sum(), sent.sum())
    # pipit's messages begin when the library sends them, somewhere in the call.
    moved = np.abs(np.cumsum(ours["bytes"]) - np.cumsum(sent)).max()
    largest = float(our_trace.messages()["bytes"].max())
    assert moved <= our_trace.ranks * largest, moved


def compare_idle(ours, theirs, our_trace, their_trace):
    by_rank = dict(zip(theirs["Process"].tolist(), theirs["Idle Time"].tolist()))
    same(ours["time_ns"], [by_rank[rank] for rank in ours["rank"].tolist()], 2.0 * our_trace.calls(operation=IDLE[-1]).rows)


def compare_imbalance(ours, theirs, our_trace, their_trace):
    """pipit's own load_imbalance fails in pandas; what it says it computes is the largest time divided by the mean."""
    by_name = theirs["time.exc"].groupby(level=0, observed=True)
    ratio = by_name.max() / by_name.mean()
    compared = 0
    for name, value in zip(ours["name"].tolist(), ours["imbalance"].tolist()):
        if name.startswith("MPI_"):
            same(value, ratio[name], 1e-3)
            compared += 1
    assert compared > 0


def compare_means(ours, theirs, our_trace, their_trace):
    means = theirs.iloc[0]
    compared = 0
    for name, mean in zip(ours["name"].tolist(), ours["mean_ns"].tolist()):
        if name.startswith("MPI_"):
            same(mean, means[name], 2.0 + 2.0 * our_trace.calls(operation=name).rows)
            compared += 1
    assert compared > 0


def idle_time(trace):
    # The default argument of pipit's idle_functions grows with every call.
    return trace.idle_time(idle_functions=list(IDLE))


def call_tree(trace):
    """The tree, and the node of each call."""
    calls = trace.calls()
    return trace.call_tree(), calls.column("region"), calls.column("operation")


OPERATIONS = [
    Operation("`comm_matrix()`", lambda t: t.comm_matrix(), lambda t: t.comm_matrix().to_numpy(),
              lambda a, b, *_: same(a, b)),
    Operation('`comm_matrix("count")`', lambda t: t.comm_matrix("count"), lambda t: t.comm_matrix().to_numpy("messages"),
              lambda a, b, *_: same(a, b)),
    Operation("`comm_by_process()`", lambda t: t.comm_by_process(), lambda t: t.comm_matrix().by_rank(),
              lambda a, b, *_: same([a["sent"], a["received"]], [b["Sent"], b["Received"]])),
    Operation("`message_histogram(20)`", lambda t: t.message_histogram(20), lambda t: t.message_histogram(20),
              compare_sizes),
    Operation("`comm_over_time(bins=50)`", lambda t: t.comm_over_time(bins=BINS), lambda t: t.comm_over_time(BINS),
              compare_over_time),
    Operation("`flat_profile(per_process=True)`", lambda t: t.flat_profile(per_process=True), lambda t: t.flat_profile(),
              compare_profile),
    Operation("`load_imbalance()`", lambda t: t.flat_profile(per_process=True),
              lambda t: t.flat_profile().load_imbalance(), compare_imbalance),
    Operation("`multirun_analysis([trace])`", lambda t: type(t).multirun_analysis([t]),
              lambda t: t.flat_profile().load_imbalance(), compare_means),
    Operation("`idle_time(mpi_events=True)`", idle_time, lambda t: t.flat_profile().idle_time(IDLE), compare_idle),
    Operation("`time_profile(50)`", lambda t: t.time_profile(BINS), lambda t: t.time_profile(BINS),
              compare_time_profile),
    Operation("`create_cct()`", lambda t: t.create_cct(), call_tree, compare_tree),
]
