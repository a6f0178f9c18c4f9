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
    """pipit's messages begin when the library sends them, here when the call begins: the bins of the former's calls,
    by pipit's own events, are compared."""
    sent, edges = theirs
    interval = interval_of_all_events(our_trace, their_trace)
    ours = our_trace.comm_over_time(BINS, interval)
    same(ours["bytes"].sum(), sent.sum())
    events = their_trace.events
    begins, sizes = [], []
    for _, of_process in events.groupby("Process"):
        calls = of_process[(of_process["Event Type"] == "Enter") & of_process["Name"].isin(["MPI_Send", "MPI_Isend"])]
        messages = of_process[of_process["Name"].isin(["MpiSend", "MpiIsend"])]
        assert len(calls) == len(messages)
        begins += calls["Timestamp (ns)"].tolist()
        sizes += [attributes["msg_length"] for attributes in messages["Attributes"]]
    # pipit's times count from its first event, and are rounded; ours are exact.
    shift = interval[0] - events["Timestamp (ns)"].min()
    expected, _ = np.histogram(np.round(np.array(begins) + shift), bins=BINS, weights=sizes, range=interval)
    same(ours["bytes"], expected)


def compare_idle(ours, theirs, our_trace, their_trace):
    by_rank = dict(zip(theirs["Process"].tolist(), theirs["Idle Time"].tolist()))
    same(ours["time_ns"], [by_rank[rank] for rank in ours["rank"].tolist()], 2.0 * our_trace.calls(operation=IDLE[-1]).rows)


def exclusive_times(events):
    """By name and process the time in it and in nothing called from it, with a stack of what was entered."""
    times = {}
    for process, of_process in events.groupby("Process"):
        stack, before = [], 0.0
        for name, kind, time in zip(of_process["Name"], of_process["Event Type"], of_process["Timestamp (ns)"]):
            if kind not in ("Enter", "Leave"):
                continue
            if stack:
                key = (stack[-1], process)
                times[key] = times.get(key, 0.0) + time - before
            before = time
            if kind == "Enter":
                stack.append(name)
            else:
                stack.pop()
    return times


def compare_imbalance(ours, theirs, our_trace, their_trace):
    """pipit's own load_imbalance fails in pandas, so that what it says it computes is computed from its events: the
    largest exclusive time of a process divided by the mean, and which process that is."""
    by_name = {}
    for (name, process), time in exclusive_times(their_trace.events).items():
        by_name.setdefault(name, {})[process] = time
    compared = 0
    for name, imbalance, rank in zip(ours["name"].tolist(), ours["imbalance"].tolist(), ours["max_rank"].tolist()):
        if name == "computation" or not name.startswith("MPI_") and "MPI_Comm_rank" in by_name:
            continue  # calls that are none here belong to what is around them
        largest = max(by_name[name].values())
        same(imbalance, largest / (sum(by_name[name].values()) / len(by_name[name])), 1e-6 * imbalance)
        assert by_name[name][rank] >= largest - 2.0 * our_trace.calls().rows, (name, rank)
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
