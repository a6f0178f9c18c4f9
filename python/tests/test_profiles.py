"""Profiles of a trace, against a trace written by hand and against sums over other tables."""

import numpy as np
import pytest

import slackline


def rows_of(table):
    return list(zip(*(table[name].tolist() for name in table)))


def test_flat_profile_of_a_trace_written_by_hand(late_sender):
    assert sorted(rows_of(slackline.open(late_sender).flat_profile())) == [
        (0, "MPI_Finalize", True, 1, 10), (0, "MPI_Init", True, 1, 100), (0, "MPI_Send", True, 1, 500),
        (0, "computation", False, 2, 300), (0, "halo", False, 2, 300), (0, "solve", False, 2, 1400),
        (1, "MPI_Finalize", True, 1, 10), (1, "MPI_Init", True, 1, 100), (1, "MPI_Recv", True, 1, 1600),
        (1, "computation", False, 2, 300), (1, "solve", False, 2, 600)]


def test_imbalance_and_idle_time(late_sender):
    profile = slackline.open(late_sender).flat_profile()
    imbalance = {row[0]: row[1:] for row in rows_of(profile.load_imbalance())}
    assert imbalance["solve"] == (1000, 1400, 0, 1.4)
    assert imbalance["MPI_Recv"] == (1600, 1600, 1, 1)
    assert next(iter(imbalance)) == "MPI_Recv"
    assert rows_of(profile.idle_time()) == [(0, 0), (1, 1600)]
    assert rows_of(profile.idle_time(["MPI_Send"])) == [(0, 500), (1, 0)]


def test_times_of_calls_are_those_of_the_calls(traces):
    trace = slackline.open(traces / "lammps-melt.slk")
    profile, calls = trace.flat_profile(), trace.calls()
    time = calls["end_ns"] - calls["begin_ns"]
    for name in np.unique(calls["operation"]):
        in_calls, in_profile = calls["operation"] == name, profile["name"] == name
        assert profile["mpi"][in_profile].all()
        assert profile["time_ns"][in_profile].sum() == time[in_calls].sum()
        assert profile["count"][in_profile].sum() == in_calls.sum()


def test_windows_add_up_to_the_profile(traces):
    trace = slackline.open(traces / "stencil2d.slk")
    profile, windows = trace.flat_profile(), trace.time_profile(13)
    assert windows.rows == 13
    assert (windows["begin_ns"][1:] == windows["end_ns"][:-1]).all()
    for name in np.unique(profile["name"]):
        assert windows[name].sum() == profile["time_ns"][profile["name"] == name].sum(), name


def test_call_tree_has_what_the_calls_have(traces):
    trace = slackline.open(traces / "stencil2d.slk")
    tree, calls = trace.call_tree(), trace.calls()
    codes = calls.column("region").values
    assert (np.bincount(codes, minlength=tree.rows) == tree["calls"]).all()
    assert (calls["region"] == tree["path"][codes]).all()
    for path, name, parent, depth in zip(tree["path"], tree["name"], tree["parent"], tree["depth"]):
        assert (parent == -1) == (depth == 0)
        assert path == (name if depth < 2 else f"{tree['path'][parent]}/{name}")
    total = trace.flat_profile()["time_ns"].sum()
    assert tree["mpi_ns"].sum() + tree["computation_ns"].sum() == total


@pytest.mark.parametrize("name", ["lammps-melt.slk", "stencil2d.slk", "cg.slk"])
def test_messages_by_pair_size_and_time(traces, name):
    trace = slackline.open(traces / name)
    messages = trace.messages()
    matrix = np.zeros((trace.ranks, trace.ranks), dtype=np.int64)
    np.add.at(matrix, (messages["source"], messages["destination"]), messages["bytes"])
    assert (trace.comm_matrix().to_numpy() == matrix).all()
    by_rank = trace.comm_matrix().by_rank()
    assert (by_rank["sent"] == matrix.sum(axis=1)).all() and (by_rank["received"] == matrix.sum(axis=0)).all()
    sizes = trace.message_histogram(20)
    counts, edges = np.histogram(messages["bytes"].astype(float), 20)
    assert (sizes["messages"] == counts).all()
    assert np.allclose(sizes["begin_bytes"], edges[:-1]) and sizes["end_bytes"][-1] == edges[-1]
    over_time = trace.comm_over_time(17)
    sent, _ = np.histogram(messages["send_begin_ns"], 17, range=trace.span()["whole"], weights=messages["bytes"])
    assert (over_time["bytes"] == sent).all() and over_time["messages"].sum() == messages.rows


def test_profiles_say_what_they_cannot_do(late_sender, tmp_path):
    trace = slackline.open(late_sender)
    with pytest.raises(slackline.Error, match="0 bins"):
        trace.time_profile(0)
    with pytest.raises(slackline.Error, match="interval: it is empty"):
        trace.comm_over_time(3, interval=(5, 5))
    program = tmp_path / "program.slt"
    program.write_text("slackline-trace 1 untimed ranks=1\nrank 0\n  init\n  finalize\n")
    with pytest.raises(slackline.Error, match="no timestamps"):
        slackline.open(program).flat_profile()


FRAMES = """slackline-trace 1 timed ranks=1
region 0 "phase"
frame 1 0 main line=3
frame 2 1 relax line=7
rank 0
  @0 +5 init frame=1
  @6 enter "phase"
  @10 +5 barrier frame=2
  @20 leave "phase"
  @30 +5 barrier frame=1
  @50 +5 finalize frame=1
"""


def test_functions_filter_calls_whether_or_not_there_are_regions(tmp_path):
    path = tmp_path / "frames.slt"
    path.write_text(FRAMES)
    trace = slackline.open(path)
    assert trace.calls()["function"].tolist() == ["main", "relax", "main", "main"]
    assert trace.calls()["region"].tolist() == ["", "phase", "", ""]
    assert trace.calls(function="relax")["call"].tolist() == [1]
    assert trace.calls(function="main", operation="MPI_Barrier")["call"].tolist() == [1, 2]
    assert trace.calls(function="main", region="phase")["call"].tolist() == [1]
    with pytest.raises(slackline.Error, match="unknown function 'solve'"):
        trace.calls(function="solve")
