"""Traces from tables: what goes out of a trace and in again is the same, by every way in."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

import slackline


def printed(cli, path):
    """The trace as text, without what says who made it."""
    text = subprocess.run([cli.binary, "print", path], capture_output=True, text=True, check=True).stdout
    return [line for line in text.splitlines() if not line.startswith(("info", "finding"))]


RECORDED = ["stencil2d.slk", "lammps-melt.slk", "cg-mpich.slk", "unbalanced.slk", "heat_f08.slk"]


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_traces_come_back(cli, traces, tmp_path, name):
    trace = slackline.open(traces / name)
    members = [trace.members(comm)[0] for comm in trace.communicators()["comm"][2:].tolist()]
    made = slackline.from_arrow(trace.calls(), tmp_path / "again.slk", arguments=trace.arguments(),
                                regions=trace.regions(), communicators=members)
    operations = [[line.strip() for line in printed(cli, path) if line.strip().startswith(("@", "+"))]
                  for path in (traces / name, tmp_path / "again.slk")]
    assert operations[0] == operations[1]
    assert made.graph().predict(L="3us").makespan_ns == pytest.approx(
        trace.graph(network="shared-memory").predict(L="3us").makespan_ns, rel=0.2)


def test_holes_become_defaults():
    calls = slackline.from_arrow(Stream(_Holes())).calls()
    assert calls["peer"].tolist() == [-1, 0] and calls["tag"].tolist() == [0, 9]


class _Holes:
    """Two calls, of which the first has neither peer nor tag."""

    def __arrow_c_stream__(self, requested_schema=None):
        valid = np.array([False, True])
        column = slackline.Column
        return slackline.Table.of({
            "rank": column(np.array([0, 1], np.int32)), "begin_ns": column(np.array([0, 0])),
            "end_ns": column(np.array([5, 5])), "operation": column(np.array([0, 1]), ["barrier", "recv"]),
            "peer": column(np.array([7, 0], np.int32), None, valid),
            "tag": column(np.array([7, 9], np.int16), None, valid)}).__arrow_c_stream__()


class Stream:
    """A table that offers nothing but its Arrow stream."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("way", [Stream, dict, lambda table: table.to_pandas(), lambda table: table])
def test_a_trace_comes_back(cli, late_sender, tmp_path, way):
    trace = slackline.open(late_sender)
    members = [trace.members(2)[0]]
    made = slackline.from_arrow(way(trace.calls()), tmp_path / "again.slk", regions=way(trace.regions()),
                                communicators=members)
    expected = [line.replace(" host=n0", "").replace(' name=pair', '').replace(' name="pair"', "")
                for line in printed(cli, late_sender)]
    assert printed(cli, tmp_path / "again.slk") == expected
    assert made.wait_states()["wait_ns"].tolist() == trace.wait_states()["wait_ns"].tolist()


def test_requests_and_arguments(tmp_path):
    calls = {"rank": [0, 0, 0, 1], "operation": ["isend", "irecv", "waitall", "sendrecv"],
             "begin_ns": [0, 10, 20, 0], "end_ns": [5, 15, 100, 90], "peer": [1, 1, -1, 0], "tag": [7, 8, 0, 8],
             "bytes": [64, 32, 0, 32], "request": [1, 2, 0, 0],
             "args": [[], [], [1, 2], [0, 7, 64]]}
    messages = slackline.from_arrow(calls).messages()
    assert messages["source"].tolist() == [0, 1] and messages["tag"].tolist() == [7, 8]
    assert messages["send_done_call"].tolist() == [2, 0] and messages["receive_done_call"].tolist() == [0, 2]
    assert messages["bytes"].tolist() == [64, 32]


def test_a_temporary_trace_goes_with_its_object():
    trace = slackline.from_arrow({"rank": [0], "operation": ["barrier"], "begin_ns": [0], "end_ns": [1]}, ranks=2)
    path = pathlib.Path(trace.path)
    assert path.exists() and trace.ranks == 2
    del trace
    assert not path.exists()


def test_what_cannot_be_a_trace_is_refused(tmp_path):
    good = {"rank": [0], "operation": ["barrier"], "begin_ns": [0], "end_ns": [1]}
    with pytest.raises(slackline.Error, match="unknown operation 'fly'"):
        slackline.from_arrow({**good, "operation": ["fly"]})
    with pytest.raises(slackline.Error, match="rank 3 does not exist"):
        slackline.from_arrow({**good, "peer": [3]})
    with pytest.raises(slackline.Error, match="rank -1 does not exist"):
        slackline.from_arrow({**good, "rank": [-1]})
    with pytest.raises(slackline.Error, match="there is no communicator 5"):
        slackline.from_arrow({**good, "comm": [5]})
    with pytest.raises(TypeError, match="no column end_ns"):
        slackline.from_arrow({name: good[name] for name in ("rank", "operation", "begin_ns")})
    with pytest.raises(ValueError, match="one length"):
        slackline.from_arrow({**good, "begin_ns": np.array([0, 1])})
    with pytest.raises(TypeError, match="a table has"):
        slackline.from_arrow(7)
    with pytest.raises(slackline.Error):
        slackline.from_arrow(good, os.path.join(tmp_path, "no", "such", "folder.slk"))


@pytest.mark.parametrize("change", [{"end_ns": [10, 110, 10, 99]}, {"begin_ns": [11, 100, 0, 100]}])
def test_calls_end_after_they_begin(change):
    with pytest.raises(slackline.Error, match=r"cannot use row \d: it ends \(\d+ ns\) before it begins"):
        slackline.from_arrow({**SMALL, **change})


def test_regions_end_after_they_begin():
    regions = {"rank": [0, 0], "region": ["a", "b"], "begin_ns": [0, 50], "end_ns": [50, 49]}
    with pytest.raises(slackline.Error, match="cannot use row of regions 1: it ends"):
        slackline.from_arrow(SMALL, regions=regions)


def test_bytes_below_zero_are_refused(traces):
    trace = slackline.open(traces / "stencil2d.slk")
    with pytest.raises(ValueError, match="column bytes has values beyond"):
        trace.edited(lambda calls: {"bytes": calls["bytes"] - 1})


SMALL = {"rank": [0, 0, 1, 1], "operation": ["MPI_Init", "MPI_Finalize"] * 2, "begin_ns": [0, 100, 0, 100],
         "end_ns": [10, 110, 10, 110]}


@pytest.mark.parametrize("change, what", [
    ({"args": [[], [], []]}, "one length"),
    ({"args": []}, "one length"),
    ({"rank": np.zeros((4, 100))}, "one dimension"),
    ({"rank": np.array([2**32, 2**32, 1, 1])}, "beyond"),
    ({"peer": np.array([2**32 + 1, 0, 0, 0])}, "beyond"),
    ({"bytes": np.array([-1, 0, 0, 0])}, "beyond"),
    ({"thread": np.array([70000, 0, 0, 0])}, "beyond"),
    ({"rank": [0.5, 0, 1, 1]}, "whole numbers"),
    ({"rank": np.ma.MaskedArray([0, 0, 1, 1], [True, False, False, False])}, "has nulls"),
    ({"operation": ["MPI_Init", None, "MPI_Init", "MPI_Finalize"]}, "has nulls")])
def test_columns_that_make_no_calls_are_refused(change, what):
    with pytest.raises(ValueError, match=what):
        slackline.from_arrow({**SMALL, **change})


def test_regions_of_unequal_columns_are_refused():
    regions = {"rank": [0] * 3, "region": ["a"], "begin_ns": [0], "end_ns": [50]}
    with pytest.raises(ValueError, match="one length"):
        slackline.from_arrow(SMALL, regions=regions)


def test_columns_of_one_name_are_refused():
    import pandas

    frame = pandas.DataFrame(SMALL)
    with pytest.raises(ValueError, match="one dimension"):
        slackline.from_arrow(frame[["rank", "rank", "operation", "begin_ns", "end_ns"]])


def test_arguments_keep_their_digits():
    made = slackline.from_arrow({**SMALL, "args": [None, [2**53 + 1], [], []]})
    assert made.arguments()["value"].tolist() == [2**53 + 1]


def test_a_stream_is_read_once(traces):
    class Once:
        def __init__(self, capsule):
            self.capsule = capsule

        def __arrow_c_stream__(self, requested_schema=None):
            return self.capsule

    once = Once(slackline.open(traces / "unbalanced.slk").calls().__arrow_c_stream__())
    slackline.from_arrow(once, ranks=4)
    with pytest.raises(slackline.Error, match="read already"):
        slackline.from_arrow(once, ranks=4)
