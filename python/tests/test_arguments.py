"""What arguments mean: models, names given twice, and values that the command line refuses."""

import copy
import pickle
import re
import subprocess

import numpy as np
import pytest

import slackline

TRACE = "stencil2d.slk"


def test_models_are_arguments_of_every_command(cli, traces):
    path = traces / TRACE
    model = slackline.LogGPS(L="7us", G_ns_per_byte=0.02)
    assert slackline.run("predict", path, model=model) == cli.json("predict", path, "-L", "7us", "-G", "0.02ns/B")
    assert slackline.open(path).run("gains", model=model)["options"]["L_ns"] == 7000
    machine = traces.parents[1] / "test" / "golden" / "inputs" / "fat_tree.toml"
    assert slackline.run("simulate", path, model=slackline.Platform(str(machine))) == cli.json(
        "simulate", path, "--platform", machine)
    with pytest.raises(slackline.Error, match="'nonsense' as model"):
        slackline.run("predict", path, model="nonsense")


def test_no_argument_is_given_twice(traces):
    path, other = traces / TRACE, traces / "cg.slk"
    trace = slackline.open(path)
    with pytest.raises(TypeError, match="'trace'"):
        trace.graph(trace=other)
    with pytest.raises(TypeError, match="two values for 'trace'"):
        slackline.run("predict", path, trace=other)
    with pytest.raises(TypeError, match="two values for 'trace'"):
        trace.run("info", trace=other)
    with pytest.raises(TypeError, match="two values for 'traces'"):
        slackline.run("efficiency", path, traces=[other])
    with pytest.raises(TypeError, match="first one is the path"):
        slackline.open(path, trace=other)
    assert slackline.run("info", trace=path)["input"]["path"] == str(path)


CHOICE = re.compile(r"^ +(?:-\w,)?--([\w-]+)[^\n]*?:\{([^}]*)\}", re.MULTILINE)
RANGE = re.compile(r"^ +(?:-\w,)?--([\w-]+)[^\n]*?:(POSITIVE|NONNEGATIVE|INT in \[(\d+) - (\d+)\])", re.MULTILINE)
PRINTING = {"format", "colour", "color"}


#: What the command line has alone: what it does with the answer, and programs that it starts itself.
ONLY_COMMAND_LINE = {"help", "help_all", "output", "format", "colour", "color", "csv_table", "quiet", "strict"}
STARTS_PROGRAMS = {"simulate": {"command", "ranks", "compute", "processors", "mpi", "fold_above", "sample_function", "ranks_per_process"}, "report": {"all", "open"},
                   "advise": {"command", "verify", "repeat", "retries", "mpi", "yield"}}
#: What Python has alone: predictions take the options with which their trace was opened.
CLOCKS = {"fix_clocks", "keep_clocks"}
ONLY_PYTHON = {"predict": CLOCKS, "sensitivity": CLOCKS, "tolerance": CLOCKS, "place": CLOCKS, "efficiency": {"trace"}}


def declared_options(text):
    """The first long name of each option in a help, and the names of positional arguments."""
    options = re.findall(r"^  (?:-\w,)?--([\w-]+)", text, re.MULTILINE)
    positionals = re.search(r"Positionals:\n(.*?)\n\n", text, re.DOTALL)
    positional_names = re.findall(r"^  (\w+)", positionals.group(1), re.MULTILINE) if positionals else []
    return {name.replace("-", "_") for name in options + positional_names}


@pytest.mark.parametrize("command", slackline.commands())
def test_keywords_are_the_options_of_the_command_line(cli, command):
    expected = declared_options(cli.text(command, "--help-all")) - ONLY_COMMAND_LINE - STARTS_PROGRAMS.get(command, set())
    expected = {"from_" if name == "from" else name for name in expected}
    short = {"L", "o", "G", "S", "g"}
    assert slackline._core.arguments_of(command) - short - ONLY_PYTHON.get(command, set()) == expected


def test_every_command_that_reports_is_there(cli):
    """Those that start jobs of their own belong to the command line, as does what opens a browser."""
    names = re.findall(r"^(?:[A-Z][a-z]+)? +([a-z]+)  ", cli.text("--help"), re.MULTILINE)
    reporting = [name for name in names if "--strict" in cli.text(name, "--help")]
    assert set(reporting) - {"view", "calibrate", "replay"} | {"convert"} == set(slackline.commands())


def refused(command, trace, name, value):
    args = {"diff": (trace, trace), "convert": (trace, "out.slt"), "query": (trace, "SELECT 1"),
            "platform": ("show", trace)}.get(command, (trace,))
    needed = {"simulate": {"platform": trace}, "whatif": {"set": ["balance"]}}.get(command, {})
    with pytest.raises(slackline.Error) as error:
        slackline.run(command, *args, **{**needed, name: value})
    return str(error.value)


@pytest.mark.parametrize("command", slackline.commands())
def test_values_that_the_command_line_refuses_are_refused(cli, traces, command):
    text = subprocess.run([cli.binary, command, "--help"], capture_output=True, text=True, check=True).stdout
    for option, values in CHOICE.findall(text):
        if option not in PRINTING and not (command == "simulate" and option in ("compute", "mpi", "processors")):
            assert "nonsense" in refused(command, traces / TRACE, option.replace("-", "_"), "nonsense"), option
    for option, kind, least, most in RANGE.findall(text):
        if command == "simulate" and option == "ranks":
            continue  # programs are started by the command line only
        low = {"POSITIVE": 0, "NONNEGATIVE": -1}.get(kind) if not least else int(least) - 1
        for value in [low] + ([int(most) + 1] if most else []):
            assert str(value) in refused(command, traces / TRACE, option.replace("-", "_"), value), option


@pytest.mark.parametrize("command, options", [
    ("simulate", {"tolerance": "latency", "sweep": "latency=1,2"}), ("tolerance", {"region": "L,G", "param": "L"}),
    ("waits", {"keep_clocks": True, "fix_clocks": True})])
def test_options_that_exclude_each_other_are_refused(cli, traces, command, options):
    given = [text for name, value in options.items()
             for text in (["--" + name.replace("_", "-")] + ([] if value is True else [value]))]
    needed = {"simulate": {"platform": traces / TRACE}}.get(command, {})
    assert "excludes" in cli.complaint(command, traces / TRACE, *given, *(["--platform", "p"] if needed else []))
    first, second = options
    with pytest.raises(slackline.Error, match=f"cannot use {first} with {second}: one excludes the other"):
        slackline.run(command, traces / TRACE, **options, **needed)


def test_a_flag_that_is_off_excludes_nothing(traces):
    path = traces / TRACE
    assert slackline.run("info", path, keep_clocks=True, fix_clocks=False) == slackline.run("info", path, keep_clocks=True)


@pytest.mark.parametrize("command, option, value", [
    ("sensitivity", "points", "many"), ("sensitivity", "points", [3]), ("monitor", "windows", 20.5),
    ("predict", "seed", object()), ("predict", "seed", -1), ("advise", "count", 2**70), ("monitor", "rank", "first")])
def test_values_of_another_kind_are_named(traces, command, option, value):
    with pytest.raises(TypeError, match=f"argument '{option}' cannot be "):
        slackline.run(command, traces / TRACE, **{option: value})


def test_numbers_may_be_text_and_lists_of_one_a_value(cli, traces):
    path = traces / TRACE
    assert slackline.run("monitor", path, windows="64") == cli.json("monitor", path, "--windows", "64")
    assert slackline.run("tolerance", path, degrade="3%") == slackline.run("tolerance", path, degrade=["3%"])


@pytest.mark.parametrize("method", ["calls", "messages", "collectives", "regions", "arguments", "counters", "samples",
                                    "plot"])
@pytest.mark.parametrize("rank", [4, -1, 2**40])
def test_ranks_that_do_not_exist_are_refused(traces, method, rank):
    trace = slackline.open(traces / TRACE)
    with pytest.raises(slackline.Error, match=f"rank {rank} does not exist"):
        getattr(trace, method)(ranks=[0, rank])
    with pytest.raises(TypeError):
        getattr(trace, method)(ranks="0-3")


def test_monitor_refuses_ranks_that_do_not_exist(cli, traces):
    with pytest.raises(slackline.Error) as error:
        slackline.run("monitor", traces / TRACE, rank=99)
    assert str(error.value) == cli.complaint("monitor", traces / TRACE, "--rank", 99)


def test_wrong_arguments_of_tables_are_explained(traces):
    trace = slackline.open(traces / TRACE)
    for method in (trace.message_histogram, trace.time_profile, trace.comm_over_time):
        with pytest.raises(slackline.Error, match="cannot divide into -1 bins"):
            method(-1)
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            method("many")
    with pytest.raises(slackline.Error, match="cannot use -1 as the eager threshold"):
        trace.wait_states(-1)
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        trace.wait_states("1KiB")
    with pytest.raises(IndexError, match="no such communicator"):
        trace.members(-1)
    with pytest.raises(TypeError, match="names"):
        trace.calls(operation=[3])
    with pytest.raises(slackline.Error, match="0 ranks"):
        slackline.from_arrow({"rank": [], "operation": [], "begin_ns": [], "end_ns": []}, ranks=0)


def test_intervals_may_be_unbounded(traces):
    trace = slackline.open(traces / TRACE)
    assert trace.calls(interval=(-np.inf, np.inf)).rows == trace.calls().rows
    assert trace.calls(interval=(0, 2**70)).rows == trace.calls().rows


@pytest.mark.parametrize("name", ["Opened", "Graph", "Report", "CallSelection"])
def test_objects_of_the_core_come_from_it_only(name):
    kind = getattr(slackline._core, name)
    for make in (lambda: kind.__new__(kind), lambda: kind(), lambda: object.__new__(kind),
                 lambda: type("Derived", (kind,), {})()):
        with pytest.raises(TypeError):
            make()


def test_objects_of_the_core_cannot_be_copied(late_sender):
    with pytest.raises(TypeError):
        copy.copy(slackline.open(late_sender)._opened)


def test_tables_and_traces_are_pickled(late_sender):
    trace = slackline.open(late_sender)
    for table in (trace.calls(operation="MPI_Send"), trace.messages(), trace.comm_matrix(), trace.flat_profile()):
        again = pickle.loads(pickle.dumps(table))
        assert type(again) is type(table) and again.rows == table.rows
        assert {name: again[name].tolist() for name in again} == {name: table[name].tolist() for name in table}
    assert pickle.loads(pickle.dumps(trace.comm_matrix())).to_numpy().tolist() == [[0, 8], [0, 0]]
    assert pickle.loads(pickle.dumps(trace)).calls().rows == 6


def test_times_of_the_file_are_not_taken_for_others(traces, tmp_path):
    path = traces / TRACE
    predicted = slackline.open(path, on="predicted", L="50us")
    with pytest.raises(slackline.Error, match="predicted times"):
        predicted.run("info")
    predicted.run("convert", out=tmp_path / "slow.slk")
    assert (slackline.open(tmp_path / "slow.slk").calls()["end_ns"] == predicted.calls()["end_ns"]).all()
    machine = traces.parents[1] / "test" / "golden" / "inputs" / "fat_tree.toml"
    simulated = slackline.open(path, on="simulated", model=slackline.Platform(str(machine)))
    with pytest.raises(slackline.Error, match="simulated times"):
        simulated.run("convert", out=tmp_path / "simulated.slk")


def test_a_trace_stands_for_its_file_and_options(traces):
    path = traces / TRACE
    trace = slackline.open(path, L="50us", on="predicted")
    assert slackline.run("predict", trace) == slackline.run("predict", path, L="50us")
    assert slackline.whatif(trace, ["balance"]).result == slackline.whatif(path, ["balance"], L="50us").result
    assert slackline.report(slackline.open(path)).result == slackline.report(path).result
    plain, other = slackline.open(path), slackline.open(traces / "cg.slk")
    assert slackline.diff(plain, other).result == slackline.diff(path, traces / "cg.slk").result
    more = {"more_a": [slackline.open(traces / "unbalanced.slk")], "more_b": slackline.open(traces / "unbalanced-mpich.slk")}
    assert slackline.diff(plain, other, **more).result["tested"] > 0
    with pytest.raises(TypeError, match="give the path, and L, on as options"):
        slackline.diff(trace, other)


def test_a_graph_takes_the_options_of_its_trace_that_a_model_has(traces):
    machine = traces.parents[1] / "test" / "golden" / "inputs" / "fat_tree.toml"
    simulated = slackline.open(traces / TRACE, on="simulated", model=slackline.Platform(str(machine)),
                               reference_speed="1Gf", L="7us")
    assert simulated.graph().predict().report["options"]["L_ns"] == 7000


@pytest.mark.parametrize("command, options, expected, foreign", [
    ("sensitivity", {"from_": "5us", "to": "5us"}, "from_='0us', to='20us'", "--"),
    ("place", {}, "Give the network (topology, latency_matrix) or the number of ranks per node (ranks_per_node).", "--"),
    ("simulate", {}, "Add platform=FILE", "--"),
    ("whatif", {}, "an edit with set='balance region=NAME'", "--")])
def test_sentences_name_keyword_arguments(traces, command, options, expected, foreign):
    with pytest.raises(slackline.Error) as error:
        slackline.run(command, traces / TRACE, **options)
    assert expected in str(error.value) and foreign not in str(error.value)


def test_sentences_quote_file_names_as_they_are():
    with pytest.raises(slackline.Error, match="'--to 5us.slk'"):
        slackline.open("--to 5us.slk")


def test_no_quantity_is_a_number_without_a_unit(cli, traces):
    """Of every command: the options that help gives a time, a size or an interval."""
    checked = set()
    for command in slackline.commands():
        options = re.findall(r"^ +(?:-\w,)?--([\w-]+)[ =](?:TIME|SIZE|BYTES|INTERVAL|GAP)\b", cli.text(command, "--help-all"),
                             re.MULTILINE)
        for option in set(options) - {"fold-above", "sample-function", "ranks-per-process"}:  # of programs that only the command line starts
            keyword = {"from": "from_"}.get(option, option.replace("-", "_"))
            with pytest.raises(TypeError, match=f"cannot use 5 as {keyword}: it has no unit. Example: "):
                slackline.run(command, traces / TRACE, **{keyword: 5})
            checked.add(keyword)
    assert {"memory", "interval", "latency", "overhead", "rendezvous_from"} <= checked
    with pytest.raises(TypeError, match="max_slowdown: it has no unit"):
        slackline.run("check", traces / TRACE, traces / TRACE, max_slowdown=5)
    assert slackline.run("predict", traces / TRACE, memory_bytes=2**30) == slackline.run("predict", traces / TRACE, memory="1GiB")


def test_intervals_of_tables_are_pairs_of_ns(traces):
    trace = slackline.open(traces / TRACE)
    begin, end = trace.calls()["begin_ns"][[5, 100]]
    assert 0 < trace.calls(interval=(begin, end)).rows < trace.calls().rows
    assert trace.calls(interval=np.array([begin, end])).rows == trace.calls(interval=(begin, end)).rows
    for wrong in (5, (5,), ("1ms", "2ms"), (1, 2, 3)):
        with pytest.raises(TypeError, match="in ns of the trace's own time"):
            trace.calls(interval=wrong)
    with pytest.raises(TypeError, match="interval: it has no unit. Example: interval='1.5s..2s'"):
        trace.efficiency(interval=(0, 10**9))
