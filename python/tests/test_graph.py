"""Graphs, against the command line and against what the LogGPS model must give."""

import dataclasses

import numpy as np
import pytest

import slackline

#: Two ranks and one message of 1 byte: T = 1000 + 2 o + L (the gap is paid for bytes beyond the first).
ONE_MESSAGE = """slackline-trace 1 untimed ranks=2
rank 0
  compute 1000
  send to=1 bytes=1
rank 1
  recv from=0 bytes=1
"""


@pytest.fixture
def one_message(tmp_path):
    path = tmp_path / "one.slt"
    path.write_text(ONE_MESSAGE)
    return slackline.open(path)


def test_one_message_costs_what_loggps_says(one_message):
    graph = one_message.graph(slackline.LogGPS(L_ns=500, o_ns=50, G_ns_per_byte=0))
    first = graph.predict()
    assert (first.makespan_ns, first.lambda_L, first.lambda_o) == (1600, 1, 2)
    assert graph.predict(L="2us").makespan_ns == 3100
    assert graph.predict(L_ns=500.5, o="0ns").makespan_ns == 1500.5
    assert graph.predict().makespan_ns == 1600  # a question changes nothing for the next one
    assert graph.tolerance("10%")["value_ns"].tolist() == [660]
    assert graph.tolerance(["10%", "20%"])["value_ns"].tolist() == [660, 820]
    envelope = graph.sensitivity("L", to="5us")
    assert envelope(1000) == 2100
    assert envelope([0, 5000]).tolist() == [1100, 6100]
    with pytest.raises(ValueError):
        envelope(6000)


@pytest.mark.parametrize("name", ["stencil2d.slk", "lammps-melt.slk", "allreduce16.slk"])
def test_graph_says_what_the_commands_print(cli, traces, name):
    path = traces / name
    graph = slackline.open(path).graph(collectives="allreduce=ring")
    rules = ("--collectives", "allreduce=ring")
    for latency in ("1us", "20us"):
        printed = cli.json("predict", path, "-L", latency, *rules)
        assert graph.predict(L=latency).report == printed
        assert dataclasses.asdict(graph.predict(L=latency))["makespan_ns"] == printed["result"]["makespan_ns"]
    assert graph.sensitivity(to="10us").report == cli.json("sensitivity", path, "--to", "10us", *rules)
    assert graph.tolerance(L="2us").to_dict()["value_ns"].tolist() == [
        row["value_ns"] for row in cli.json("tolerance", path, "-L", "2us", *rules)["result"]["tolerance"]]
    gains = cli.json("gains", path, *rules)["result"]["gains"]
    assert graph.gains()["gain_25"].tolist() == [row["gain_ns"]["25%"] for row in gains]
    segments = cli.json("critical-path", path, "--on", "predicted", *rules)["result"]["segments"]
    assert graph.critical_path()["end_ns"].tolist() == [segment["end_ns"] for segment in segments]


def test_a_graph_with_a_topology_follows_its_latency(cli, traces):
    path = traces / "allreduce16.slk"
    options = {"ranks_per_node": 4}
    graph = slackline.open(path).graph(**options)
    printed = cli.json("predict", path, "--ranks-per-node", 4, "-L", "9us")
    assert graph.predict(L="9us").report == printed


def test_envelope_equals_predictions(traces):
    graph = slackline.open(traces / "allreduce8.slk").graph()
    envelope = graph.sensitivity(to="20us")
    for latency in np.linspace(0, 20_000, 5):
        assert envelope(latency) == pytest.approx(graph.predict(L_ns=latency).makespan_ns, abs=1e-3)


def test_what_a_graph_cannot_change_is_refused(one_message):
    with pytest.raises(TypeError, match="a graph has its S"):
        one_message.graph().predict(slackline.LogGPS(S_bytes=4096))
    with pytest.raises(slackline.Error, match="latency L"):
        one_message.graph().predict(L="soon")
    with pytest.raises(TypeError, match="no argument 'nonsense'"):
        one_message.graph(nonsense=1)
    with pytest.raises(TypeError, match="'predict' has no argument 'nonsense'"):
        one_message.graph().predict(nonsense=1)


def test_numbers_without_unit_are_refused(one_message, traces):
    graph = one_message.graph()
    for refused in (lambda: graph.predict(L=5e-6), lambda: graph.predict(o=np.float64(3)), lambda: graph.gains(G=0.02),
                    lambda: graph.tolerance(degrade=5), lambda: graph.tolerance(degrade=["1%", 0.05]),
                    lambda: graph.sensitivity(to=20_000), lambda: slackline.LogGPS(S=4096),
                    lambda: slackline.open(traces / "cg.slk", on="predicted", latency=3000),
                    lambda: slackline.run("predict", traces / "cg.slk", L=3000),
                    lambda: slackline.run("efficiency", traces / "cg.slk", rendezvous_from=4096)):
        with pytest.raises(TypeError, match="it has no unit. Example: "):
            refused()
    assert graph.predict(L_ns=2000).report == graph.predict(L="2us").report
    with pytest.raises(TypeError, match="'L_ns' is a number"):
        graph.predict(L_ns="2us")
    with pytest.raises(TypeError, match="two values for L"):
        slackline.LogGPS(L="2us", L_ns=2000)
    # A single parameter replaces the model's, however each is given.
    assert graph.predict(slackline.LogGPS(L="9us"), L_ns=2000).report == graph.predict(L="2us").report
