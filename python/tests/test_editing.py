"""Scenarios and edits of one's own."""

import pathlib

import pytest

import slackline
from slackline import Scenario


def test_scenarios_are_the_texts_of_the_command_line():
    scenario = Scenario().edit("scale", factor=0.5, region="main loop").edit("remove_messages", max_bytes=0, tag=None)
    assert scenario.edits == ('scale factor=0.5 region="main loop"', "remove-messages max-bytes=0")
    assert (scenario + Scenario().edit("balance", ranks=range(3))).edits[-1] == "balance ranks=0,1,2"
    assert Scenario().edits == ()
    with pytest.raises(ValueError, match="quotes"):
        Scenario().edit("scale", region='a"b')


def test_whatif_is_that_of_the_command_line(cli, traces):
    scenario = Scenario().edit("balance").edit("scale", factor=0.5, ranks=[0, 1])
    report = slackline.whatif(traces / "stencil2d.slk", scenario, L="3us")
    expected = cli.json("whatif", traces / "stencil2d.slk", "--set", "balance", "--set", "scale factor=0.5 ranks=0-1",
                        "-L", "3us")
    for side in ("before", "after"):
        assert report.result[side]["makespan_ns"] == expected["result"][side]["makespan_ns"]
    assert report.result["after"]["makespan_ns"] < report.result["before"]["makespan_ns"]
    with pytest.raises(slackline.Error, match="nonsense"):
        slackline.whatif(traces / "stencil2d.slk", ["nonsense"])


@pytest.mark.parametrize("name", ["stencil2d.slk", "cg.slk", "lammps-melt.slk"])
def test_an_edit_that_changes_nothing_gives_the_same_calls(traces, name):
    trace = slackline.open(traces / name)
    same = trace.edited(lambda calls: {})
    for column in trace.calls():
        if column not in ("function", "region"):
            assert (trace.calls()[column] == same.calls()[column]).all(), column
    assert same.messages().rows == trace.messages().rows
    assert same.communicators()["members"].tolist() == trace.communicators()["members"].tolist()
    assert (same.regions()["region"] == trace.regions()["region"]).all()


def test_an_edit_keeps_all_that_it_does_not_change(cli, traces, tmp_path):
    """Call paths, pauses, counters, samples, arguments: the text form has everything."""
    everything = pathlib.Path(__file__).resolve().parents[2] / "test" / "corpus" / "everything.txt"
    for name in (everything, traces / "cg.slk"):
        same = tmp_path / "same.slk"
        slackline.open(name).edited(lambda calls: {}, same)
        before, after = cli.text("print", name).splitlines(), cli.text("print", same).splitlines()
        changed = [b for a, b in zip(before, after) if a != b]
        assert len(before) == len(after)
        assert [line.split()[0] for line in changed] in ([], ["info"])  # the recorder's name
    later = slackline.open(everything).edited(lambda calls: {"end_ns": calls["end_ns"] + 5})
    assert (later.calls()["function"] == slackline.open(everything).calls()["function"]).all()


def test_columns_that_say_which_call_it_is_do_not_change(traces):
    trace = slackline.open(traces / "cg.slk")
    with pytest.raises(KeyError, match="cannot change column rank"):
        trace.edited(lambda calls: {"rank": calls["rank"][::-1]})


def test_an_edit_of_ones_own_changes_its_column(traces):
    trace = slackline.open(traces / "stencil2d.slk")
    half = trace.edited(lambda calls: {"bytes": calls["bytes"] // 2})
    assert (half.calls()["bytes"] == trace.calls()["bytes"] // 2).all()
    assert half.comm_matrix()["bytes"].sum() * 2 == trace.comm_matrix()["bytes"].sum()
    with pytest.raises(KeyError, match="no column size"):
        trace.edited(lambda calls: {"size": calls["bytes"]})
    with pytest.raises(ValueError, match="one length"):
        trace.edited(lambda calls: {"bytes": calls["bytes"][1:]})


def test_traces_without_times_are_not_edited(tmp_path):
    program = tmp_path / "program.slt"
    program.write_text("slackline-trace 1 untimed ranks=1\nrank 0\n  init\n  finalize\n")
    with pytest.raises(slackline.Error, match="no timestamps"):
        slackline.open(program).edited(lambda calls: {})


@pytest.mark.parametrize("name", ["unbalanced.slk", "cg.slk", "stencil2d.slk"])
def test_an_edit_keeps_the_network(traces, name):
    """The hosts decide which parameters the model has by default."""
    trace = slackline.open(traces / name)
    same = trace.edited(lambda calls: {})
    assert same.graph().predict().makespan_ns == trace.graph().predict().makespan_ns


def test_an_edit_keeps_cpu_times(tmp_path):
    """The times off the processor are those of the gaps, wherever these move to; samples stand for the same CPU time."""
    program = tmp_path / "paused.slt"
    program.write_text("slackline-trace 1 timed ranks=2\n" + "".join(
        f"rank {rank}\n  @0 +100 init\n  @200 +300 pause no_processor\n  @1100 +100 allreduce bytes=8 elem=8\n"
        f"  @1300 +150 pause no_processor\n  @2200 +100 allreduce bytes=8 elem=8\n  @3000 +10 finalize\n" for rank in (0, 1)))
    trace = slackline.open(program)
    cpu = trace.graph(computation="cpu", network="ideal").predict().makespan_ns
    wall = trace.graph(computation="wall", network="ideal").predict().makespan_ns
    assert wall - cpu == 300 + 150
    later = trace.calls()["call"] >= 2
    for edit, more in ((lambda calls: {"bytes": calls["bytes"] * 2}, 0),
                       (lambda calls: {"begin_ns": calls["begin_ns"] + 10**6, "end_ns": calls["end_ns"] + 10**6}, 0),
                       (lambda calls: {"begin_ns": calls["begin_ns"] + 500 * later, "end_ns": calls["end_ns"] + 500 * later}, 500)):
        edited = trace.edited(edit)
        assert edited.graph(computation="cpu", network="ideal").predict().makespan_ns == cpu + more
        assert edited.graph(computation="wall", network="ideal").predict().makespan_ns == wall + more
