"""Tables of a trace, against a trace written by hand and against the command line."""

import os
import pathlib

import numpy as np
import pandas
import pytest

import slackline

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_calls_are_those_of_the_text(late_sender):
    calls = slackline.open(late_sender).calls()
    assert calls["rank"].tolist() == [0, 0, 0, 1, 1, 1]
    assert calls["call"].tolist() == [0, 1, 2, 0, 1, 2]
    assert calls["operation"].tolist() == ["MPI_Init", "MPI_Send", "MPI_Finalize", "MPI_Init", "MPI_Recv",
                                           "MPI_Finalize"]
    assert calls["begin_ns"].tolist() == [0, 1200, 2600, 0, 200, 2600]
    assert calls["end_ns"].tolist() == [100, 1700, 2610, 100, 1800, 2610]
    assert calls["peer"].tolist() == [-1, 1, -1, -1, 0, -1]
    assert calls["tag"].tolist() == [0, 3, 0, 0, 3, 0]
    assert calls["comm"].tolist() == [0, 2, 0, 0, 2, 0]
    assert calls["bytes"].tolist() == [0, 8, 0, 0, 8, 0]
    assert calls["region"].tolist() == ["", "solve/halo", "", "", "solve", ""]


@pytest.mark.parametrize("filters, expected", [
    ({"ranks": 1}, [(1, 0), (1, 1), (1, 2)]),
    ({"ranks": [1, 0], "operation": ["MPI_Send", "recv"]}, [(1, 1), (0, 1)]),
    ({"interval": (1700, 2600)}, [(1, 1)]),
    ({"interval": (100, 1201)}, [(0, 1), (1, 1)]),
    ({"region": "halo"}, [(0, 1)]),
    ({"region": "solve"}, [(0, 1), (1, 1)]),
    ({"operation": "MPI_Init", "interval": (500, 600)}, []),
])
def test_filters_are_applied(late_sender, filters, expected):
    calls = slackline.open(late_sender).calls(**filters)
    assert list(zip(calls["rank"].tolist(), calls["call"].tolist())) == expected
    assert calls.rows == len(expected)


def test_columns_of_one_rank_are_the_traces_own_memory(traces):
    trace = slackline.open(traces / "stencil2d.slk")
    once, again = trace.calls(ranks=2), trace.calls(ranks=2)
    for name in ("begin_ns", "end_ns", "bytes", "peer", "tag", "comm", "request", "flags"):
        assert np.shares_memory(once[name], again[name]), name
        assert not once[name].flags.writeable
    begins = once["begin_ns"]
    del trace, once, again  # the array keeps the trace's memory alive
    assert (np.diff(begins) >= 0).all()


@pytest.mark.parametrize("name", ["stencil2d.slk", "lammps-melt.slk"])
def test_columns_of_all_ranks_are_the_traces_own_memory(traces, name):
    trace = slackline.open(traces / name)
    whole, one, some = trace.calls(), trace.calls(ranks=1), trace.calls(ranks=[1, 2])
    begin = trace.calls(ranks=0).rows
    for column in ("begin_ns", "end_ns", "bytes", "peer", "tag", "comm", "request", "flags"):
        assert np.shares_memory(whole[column], one[column]) and np.shares_memory(some[column], one[column]), column
        assert (whole[column][begin:begin + some.rows] == some[column]).all(), column
    frame = whole.to_pandas()
    assert np.shares_memory(frame["end_ns"].to_numpy(), one["end_ns"])
    assert trace.calls(ranks=[2, 1])["begin_ns"].tolist() == [*trace.calls(ranks=2)["begin_ns"], *one["begin_ns"]]


def test_columns_of_text_traces_and_of_other_times_are_in_one_piece(late_sender):
    for trace in (slackline.open(late_sender), slackline.open(late_sender, on="predicted")):
        assert np.shares_memory(trace.calls()["begin_ns"], trace.calls(ranks=1)["begin_ns"])


def test_columns_of_one_value_cost_one(traces):
    calls = slackline.open(traces / "stencil2d.slk").calls()
    assert calls["thread"].strides == (0,) and calls["thread"].tolist() == [0] * calls.rows
    assert calls.to_pandas()["thread"].sum() == 0
    assert set(calls.to_pandas()["function"]) == {""}


def test_results_without_rows_have_columns(tmp_path, late_sender):
    graph = slackline.open(late_sender).graph()
    path = tmp_path / "empty.slt"
    path.write_text("slackline-trace 1 untimed ranks=1\nrank 0\n  init\n  finalize\n")
    empty = slackline.open(path)
    for table in (empty.graph().gains(), graph.gains(), empty.graph().critical_path(), graph.critical_path(),
                  graph.tolerance(degrade=[]), slackline.report(late_sender).findings):
        assert table.columns, table
        assert list(table.to_pandas().columns) == table.columns
    assert empty.graph().gains().columns == graph.gains().columns
    assert empty.graph().critical_path().columns == graph.critical_path().columns


def test_messages_collectives_and_communicators(late_sender):
    trace = slackline.open(late_sender)
    messages = trace.messages()
    assert {name: messages[name].tolist() for name in messages} == {
        "message": [0], "source": [0], "destination": [1], "bytes": [8], "tag": [3], "comm": [2], "send_call": [1],
        "send_done_call": [1], "receive_call": [1], "receive_done_call": [1], "send_begin_ns": [1200],
        "send_end_ns": [1700], "receive_begin_ns": [200], "receive_end_ns": [1800]}
    assert trace.messages(interval=(0, 1200)).rows == 0
    collectives = trace.collectives()
    assert collectives["operation"].tolist() == ["MPI_Init", "MPI_Finalize"]
    assert collectives["last_end_ns"].tolist() == [100, 2610]
    communicators = trace.communicators()
    assert communicators["name"].tolist() == ["MPI_COMM_WORLD", "MPI_COMM_SELF", "pair"]
    assert communicators["members"].tolist() == [2, 1, 2]
    assert trace.members(2) == ([1, 0], [])


def test_regions_are_visits(late_sender):
    regions = slackline.open(late_sender).regions()
    assert regions["region"].tolist() == ["solve", "halo", "solve"]
    assert regions["depth"].tolist() == [0, 1, 0]
    assert regions["begin_ns"].tolist() == [150, 1100, 150]
    assert regions["end_ns"].tolist() == [2350, 1900, 2350]


def test_wait_states_name_the_late_sender(late_sender):
    waits = slackline.open(late_sender).wait_states().to_pandas()
    late = waits[waits.pattern == "late_sender"].iloc[0]
    assert (late["rank"], late["wait_ns"], late["cause_rank"], late["cause_call"]) == (1, 1000, 0, 1)
    assert late["effective"] and late["region"] == "solve"


@pytest.mark.parametrize("name", ["stencil2d.slk", "lammps-melt.slk", "unbalanced.slk", "cg-mpich.slk"])
def test_sums_are_those_of_the_command_line(cli, traces, name):
    trace = slackline.open(traces / name)
    info = cli.json("info", traces / name)["result"]
    calls = trace.calls().to_pandas()
    by_operation = (calls.end_ns - calls.begin_ns).groupby(calls.operation).sum()
    assert len(calls) == info["calls"]
    assert by_operation.to_dict() == {row["operation"]: row["time_ns"] for row in info["operations"]}
    matrix = trace.comm_matrix()
    assert matrix.to_numpy("messages").sum() == trace.messages().rows
    assert matrix.to_numpy().sum() == trace.messages()["bytes"].sum()

    waits = trace.wait_states().to_pandas()
    summary = cli.json("wait-states", traces / name, "--interval", "run")["result"]
    assert waits.wait_ns[waits.effective].sum() == summary["waiting_ns"]
    by_pattern = waits.groupby("pattern").wait_ns.sum()
    assert by_pattern.to_dict() == {row["pattern"]: row["sum_ns"] for row in summary["patterns"]}
    path = trace.critical_path()
    segments = cli.json("critical-path", traces / name)["result"]["segments"]
    assert path.rows == len(segments)
    assert path["rank"].tolist() == [segment["rank"] for segment in segments]
    assert path["begin_ns"].tolist() == [segment["begin_ns"] for segment in segments]

    factors = trace.efficiency().to_pandas().set_index(["interval", "variant", "factor"]).value
    expected = cli.json("efficiency", traces / name)["result"]["runs"][0]
    assert factors["analysed", "multiplicative"].to_dict() == expected["analysed"]["multiplicative"]
    assert factors["whole", "additive"].to_dict() == expected["additive"]
    phases = trace.phases()
    assert phases["end_ns"].tolist() == [r["end_ns"] for r in cli.json("monitor", traces / name)["result"]["regions"]]


def test_pandas_gets_the_arrays_themselves(traces):
    calls = slackline.open(traces / "stencil2d.slk").calls()
    frame = calls.to_pandas()
    assert np.shares_memory(frame["begin_ns"].to_numpy(), calls["begin_ns"])
    assert isinstance(frame["operation"].dtype, pandas.CategoricalDtype)
    assert list(frame.columns) == calls.columns
    assert list(calls.to_pandas(["rank", "bytes"]).columns) == ["rank", "bytes"]


def test_a_frame_of_its_own_can_be_changed(late_sender):
    calls = slackline.open(late_sender).calls()
    with pytest.raises(ValueError, match="read-only"):
        calls.to_pandas()["begin_ns"] -= 5
    frame = calls.to_pandas(copy=True)
    frame["begin_ns"] -= 5
    frame.loc[0, ["thread", "end_ns"]] = 7
    assert frame["begin_ns"][0] == -5 and frame["thread"].tolist() == [7, 0, 0, 0, 0, 0]
    assert calls["begin_ns"][0] == 0 and calls["thread"].tolist() == [0] * 6


def test_a_message_that_nobody_receives_has_holes(tmp_path):
    path = tmp_path / "lost.slt"
    path.write_text("slackline-trace 1 timed ranks=2\nrank 0\n  @5 +5 send to=1 bytes=4\nrank 1\n  @5 +5 barrier comm=self\n")
    messages = slackline.open(path).messages()
    assert messages["receive_call"].mask.tolist() == [True]
    assert messages.to_pandas()["receive_begin_ns"].isna().all()


def test_predicted_and_simulated_times(cli, traces):
    trace = slackline.open(traces / "stencil2d.slk", on="predicted", L="10us")
    assert trace.on == "predicted"
    waits = trace.wait_states().to_pandas()
    expected = cli.json("wait-states", traces / "stencil2d.slk", "--on", "predicted", "-L", "10us", "--interval", "run")
    assert waits.wait_ns[waits.effective].sum() == expected["result"]["waiting_ns"]
    assert trace.efficiency()["value"].size > 0


def test_errors_are_the_command_lines_sentences(cli, late_sender, tmp_path):
    with pytest.raises(slackline.Error) as error:
        slackline.open(tmp_path / "missing.slk")
    assert str(error.value) == cli.complaint("info", tmp_path / "missing.slk")
    with pytest.raises(slackline.Error, match="rank 9 does not exist: the trace has 2 ranks"):
        slackline.open(late_sender).calls(ranks=9)
    with pytest.raises(slackline.Error, match="unknown operation 'MPI_Foo'"):
        slackline.open(late_sender).calls(operation="MPI_Foo")
    with pytest.raises(slackline.Error, match="unknown region 'x'"):
        slackline.open(late_sender).calls(region="x")
    with pytest.raises(TypeError, match="no argument 'nonsense'"):
        slackline.open(late_sender, nonsense=1)
    with pytest.raises(KeyError):
        slackline.open(late_sender).calls()["nonsense"]


def test_an_untimed_trace_has_no_waits(tmp_path):
    path = tmp_path / "program.slt"
    path.write_text("slackline-trace 1 untimed ranks=1\nrank 0\n  compute 100\n  barrier\n")
    with pytest.raises(slackline.Error, match="the trace has no timestamps"):
        slackline.open(path).wait_states()
    assert slackline.open(path, on="predicted").wait_states().rows == 0


@pytest.mark.parametrize("analysis", ["efficiency", "phases"])
def test_no_analysis_replaces_missing_times_unasked(tmp_path, analysis):
    path = tmp_path / "program.slt"
    path.write_text("slackline-trace 1 untimed ranks=1\nrank 0\n  compute 100\n  barrier\n")
    with pytest.raises(slackline.Error, match="the trace has no timestamps"):
        getattr(slackline.open(path), analysis)()
    assert getattr(slackline.open(path), analysis)(on="predicted").rows > 0
    assert getattr(slackline.open(path, on="predicted"), analysis)().rows > 0


SHARED = pathlib.Path(os.environ.get("SLACKLINE_SHARED", ROOT.parent / "shared")) / "traces" / "pingpong-otf2"


@pytest.mark.skipif(not SHARED.exists(), reason=f"{SHARED} is not there")
def test_ping_pong_has_the_messages_that_others_find():
    """Its authors' own figures: 8 messages each way, 4,177,920 bytes."""
    trace = slackline.open(SHARED / "traces.otf2")
    matrix = trace.comm_matrix()
    assert matrix.to_numpy().tolist() == [[0, 4177920], [4177920, 0]]
    assert matrix.to_numpy("messages").tolist() == [[0, 8], [8, 0]]
    messages = trace.messages()
    calls = trace.calls()
    sent, _ = np.histogram(messages["send_begin_ns"], bins=5, weights=messages["bytes"],
                           range=(calls["begin_ns"].min(), calls["end_ns"].max()))
    assert sent.sum() == 2 * 4177920


def test_html_is_short_and_says_when_it_is_empty():
    records = [{"ratio": 1.0248163112933066, "time_ns": 315750290.5, "tiny": 0.00012345, "zero": 0.0, "count": 7}]
    shown = slackline.Table.of_records(records)._repr_html_()
    assert [f"<td>{text}</td>" in shown for text in ("1.0248", "315750290.5", "0.0001234", "0", "7")] == [True] * 5, shown
    assert "<p>0 rows</p>" in slackline.Table.of_records([])._repr_html_()
    assert "rows</p>" not in shown


COUNTED = """slackline-trace 1 timed ranks=2
counter 0 instructions
counter 1 cycles
frame 1 0 main line=3 file=a.c
frame 2 1 relax line=7 file=a.c
rank 0
  counted 100 200
  @10 +1 init frame=1
  @15 sample cpu=5 frame=2
  @18 sample cpu=4 frame=2 thread=3
  counted 7 9
  @20 +1 finalize frame=1
rank 1
  @10 +1 init
  @20 +1 finalize
"""


def test_counters_and_samples(tmp_path):
    path = tmp_path / "counted.slt"
    path.write_text(COUNTED)
    trace = slackline.open(path)
    counters = trace.counters(ranks=0)
    assert list(counters) == ["rank", "before_call", "instructions", "cycles"]
    assert counters["before_call"].tolist() == [0, 1, 2]
    assert counters["instructions"].tolist() == [100, 7, 0] and counters["cycles"].tolist() == [200, 9, 0]
    assert trace.counters().rows == 6 and trace.counters(ranks=1)["cycles"].tolist() == [0, 0, 0]
    samples = trace.samples()
    assert {name: samples[name].tolist() for name in samples} == {
        "rank": [0, 0], "thread": [0, 3], "time_ns": [15, 18], "cpu_ns": [5, 4], "before_call": [1, 1],
        "frame": ["relax (a.c:7)"] * 2}
    assert trace.samples(ranks=1).rows == 0


def test_findings_are_those_of_the_command_line(cli, tmp_path):
    path = tmp_path / "unmatched.slt"
    path.write_text("slackline-trace 1 timed ranks=2\nrank 0\n  @0 +9 send to=1 tag=0 bytes=8\n"
                    "rank 1\n  @0 +9 recv from=0 tag=5 bytes=8\n")
    report = slackline.report(path)
    expected = cli.json("report", path)["findings"]
    assert expected and report.findings["name"].tolist() == [finding["name"] for finding in expected]
    assert report.findings["count"].tolist() == [finding["count"] for finding in expected]


def test_the_length_of_a_table_is_its_rows(traces):
    calls = slackline.open(traces / "stencil2d.slk").calls()
    assert len(calls) == calls.rows == len(calls["rank"]) == len(calls.to_pandas())
    assert len(calls.keys()) == len(calls.items()) == len(calls.values()) == len(calls.columns) == len(dict(calls))
    assert list(calls.keys()) == list(calls) == calls.columns and "rank" in calls and "nonsense" not in calls


def test_bytes_and_counts_are_signed(traces):
    trace = slackline.open(traces / "unbalanced.slk")
    for table in (trace.calls(), trace.messages(), trace.comm_matrix(), trace.flat_profile(), trace.call_tree()):
        assert not [name for name in table if table[name].dtype == np.uint64]
    assert (trace.calls()["bytes"] - 1).min() == -1
