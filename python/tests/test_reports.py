"""Every command from Python, against what the command line prints; rich display and pictures."""

import html
import pickle
import re
import subprocess

import pytest

import slackline

TRACE = "stencil2d.slk"
PLATFORM = "fat_tree.toml"


def commands_with_options(root):
    traces = root / "examples" / "traces"
    machine = root / "test" / "golden" / "inputs" / PLATFORM
    one, other = traces / TRACE, traces / "lammps-melt.slk"
    # Runs of one program on 4 ranks, and a base on 8, with which they are not compared.
    base, new, repeat = traces / "allreduce8.slk", traces / "cg.slk", traces / "cg-mpich.slk"
    return {
        "info": ((one,), {}, (one,)),
        "query": ((one, "SELECT rank, count(*) FROM calls GROUP BY rank"), {},
                  (one, "SELECT rank, count(*) FROM calls GROUP BY rank")),
        "predict": ((one,), {"L": "3us", "G": "0.02ns/B", "pairs": True},
                    (one, "-L", "3us", "-G", "0.02ns/B", "--pairs")),
        "sensitivity": ((one,), {"param": "G", "from_": "0", "to": "1ns/B"},
                        (one, "--param", "G", "--from", "0", "--to", "1ns/B")),
        "tolerance": ((one,), {"degrade": ["1%", "10%"]}, (one, "--degrade", "1%,10%")),
        "path": ((one,), {"algorithm": "dijkstra"}, (one, "--algorithm", "dijkstra")),
        "simulate": ((one,), {"platform": machine, "collectives": "ompi", "links": 3},
                     (one, "--platform", machine, "--collectives", "ompi", "--links", 3)),
        "platform": (("show", machine), {}, ("show", machine)),
        "efficiency": ((one, other), {"scaling": "weak"}, (one, other, "--scaling", "weak")),
        "waits": ((one,), {"on": "predicted"}, (one, "--on", "predicted")),
        "phases": ((one,), {"rank": 2, "windows": 64}, (one, "--rank", 2, "--windows", 64)),
        "place": ((one,), {"ranks_per_node": 2, "no_scotch": True}, (one, "--ranks-per-node", 2, "--no-scotch")),
        "whatif": ((one,), {"set": ["balance", "scale factor=0.5 ranks=0-1"]},
                   (one, "--set", "balance", "--set", "scale factor=0.5 ranks=0-1")),
        "gains": ((one,), {"call_paths": True}, (one, "--call-paths")),
        "advise": ((one,), {"count": 3}, (one, "--count", 3)),
        "diff": ((one, one, other), {"on_b": "predicted"}, (one, one, other, "--on-b", "predicted")),
        "check": ((base, new, repeat), {"max_slowdown": "none", "min_parallel_efficiency": "1%"},
                  (base, new, repeat, "--max-slowdown", "none", "--min-parallel-efficiency", "1%")),
        "history": ((traces,), {}, (traces,)),
        "report": ((one,), {"section": ["diagnosis", "model"]}, (one, "--section", "diagnosis,model")),
    }


@pytest.mark.parametrize("command", [name for name in slackline.commands() if name not in ("convert", "hotspots")])
def test_a_command_gives_what_it_prints(cli, traces, command):
    args, options, arguments = commands_with_options(traces.parents[1])[command]
    assert slackline.run(command, *args, **options) == cli.json(command, *arguments)


@pytest.mark.parametrize("former,present", [("wait-states", "waits"), ("critical-path", "path"), ("monitor", "phases")])
def test_former_names_of_commands_stay_valid(traces, former, present):
    answer = slackline.run(present, traces / TRACE)
    assert slackline.run(former, traces / TRACE) == answer and answer["command"] == former


def test_convert(tmp_path, traces):
    summary = slackline.run("convert", traces / TRACE, tmp_path / "out.slt", to="text")
    assert summary["result"] and (tmp_path / "out.slt").read_text().startswith("slackline-trace 1 timed")


def test_every_command_that_reports_is_there(cli):
    text = subprocess.run([cli.binary, "--help"], capture_output=True, text=True, check=True).stdout
    listed = re.findall(r"^(?:[A-Z][a-z]+)? +([a-z]+)  ", text, re.MULTILINE)
    # These start jobs or programs, or answer with something else than a report.
    others = {"record", "preload", "calibrate", "inject", "validate", "replay", "print", "top", "view", "demo", "completion"}
    assert sorted(set(listed) - others) == sorted(slackline.commands())


@pytest.mark.parametrize("command", slackline.commands())
def test_every_option_of_the_command_line_has_an_argument(cli, command):
    text = subprocess.run([cli.binary, command, "--help-all"], capture_output=True, text=True, check=True).stdout
    text = text.split("Examples:")[0]
    options = {name.replace("-", "_") for name in re.findall(r"^  (?:-\w, *)?--([\w-]+)", text, re.MULTILINE)}
    options = {"from_" if name == "from" else name for name in options}
    # How the answer is printed is no part of a request.
    printing = {"help", "help_all", "output", "format", "colour", "color", "csv_table", "quiet", "strict", "all", "open"}
    # Programs are started by the command line only.
    starting = {"simulate": {"ranks", "compute", "mpi", "processors", "memory", "fold_above", "sample_function", "ranks_per_process"},
                "advise": {"verify", "repeat", "retries", "mpi", "yield"}}
    assert options - printing - starting.get(command, set()) <= slackline._core.arguments_of(command)
    assert len(options) > 3


def test_hotspots(cli, tmp_path):
    path = tmp_path / "paths.slt"
    path.write_text("""slackline-trace 1 timed ranks=1
frame 1 0 main file=app.c line=10
frame 2 1 solve file=app.c line=20
rank 0
  @0 +10 init frame=1
  @500 +10 barrier frame=2
  @900 +10 finalize frame=1
""")
    assert slackline.run("hotspots", path, by="line") == cli.json("hotspots", path, "--by", "line")
    assert slackline.open(path).calls(region="solve")["call"].tolist() == [1]


def test_wrong_arguments():
    with pytest.raises(slackline.Error, match="cannot run 'predct'"):
        slackline.run("predct", "x.slk")
    with pytest.raises(TypeError, match="'info' has no argument 'L'"):
        slackline.run("info", "x.slk", L="1us")
    with pytest.raises(TypeError, match="at most 1 positional"):
        slackline.run("info", "x.slk", "y.slk")


def test_a_report_as_data_text_and_page(cli, traces, tmp_path):
    report = slackline.report(traces / TRACE, model=slackline.LogGPS(L="2us"))
    assert report.json == cli.json("report", traces / TRACE, "-L", "2us")
    printed = subprocess.run([cli.binary, "report", traces / TRACE, "-L", "2us", "--all"], capture_output=True, text=True)
    assert report.text == printed.stdout
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    assert "iframe" in report.show()._repr_html_() and "Diagnosis" in report._repr_html_()
    assert all(table.rows >= 0 for table in report.tables().values())
    assert "sections" not in report.json


def test_simulate_and_diff(cli, traces):
    machine = traces.parents[1] / "test" / "golden" / "inputs" / PLATFORM
    simulated = slackline.simulate(traces / TRACE, slackline.Platform(str(machine), map="block"))
    assert simulated.json == cli.json("simulate", traces / TRACE, "--platform", machine, "--map", "block")
    compared = slackline.diff(traces / TRACE, traces / "cg.slk")
    assert compared.json == cli.json("diff", traces / TRACE, traces / "cg.slk")
    trace = slackline.open(traces / TRACE, on="simulated", model=slackline.Platform(str(machine)))
    assert trace.on == "simulated" and trace.wait_states().rows > 0


def test_pictures_show_the_data(traces):
    trace = slackline.open(traces / TRACE)
    matrix = trace.comm_matrix()
    image = matrix.plot().images[0].get_array()
    assert (image.filled(0) == matrix.to_numpy()).all()
    bars = trace.efficiency().plot().patches
    assert len(bars) == 5 and bars[0].get_width() == pytest.approx(39.3687, abs=1e-3)
    envelope = trace.graph().sensitivity(to="10us")
    (line, *_) = envelope.plot().lines
    assert line.get_xdata()[0] == 0 and line.get_ydata()[0] * 1e6 == pytest.approx(envelope(0))
    timeline = trace.plot(ranks=[0, 3], interval=(325_000_000, 326_000_000))
    assert [label.get_text() for label in timeline.get_yticklabels()] == ["rank 0", "rank 3"]
    assert timeline.get_xlim() == (0, 1000)
    # Calls that reach beyond the interval do not widen the picture.
    begin = trace.span()["whole"][0]
    in_words = trace.plot(interval="325ms..326ms")
    assert in_words.get_xlim() == (0, 1000)
    assert in_words.get_xlabel() == f"time [us] from {begin / 1e6 + 325:.3f} ms"
    common = trace.span()["common"]
    assert 2e6 < common[1] - common[0] < 2e9
    in_milliseconds = trace.plot()
    assert in_milliseconds.get_xlim() == (0, (common[1] - common[0]) / 1e6)
    assert in_milliseconds.get_xlabel() == f"time [ms] from {common[0] / 1e6:.3f} ms"


def test_what_notebooks_show_is_the_page(traces):
    trace = slackline.open(traces / TRACE)
    envelope = trace.graph().sensitivity(to="10us")
    for shown in (slackline.report(traces / TRACE), trace, envelope):
        text = shown._repr_html_()
        page = html.unescape(re.search('<iframe srcdoc="(.*?)"', text, re.DOTALL)[1])
        assert page.startswith("<!doctype html>") and "<details>" in text.split("</iframe>")[1]
    assert pickle.loads(pickle.dumps(envelope))(1000) == envelope(1000)
    assert "<img" in envelope._repr_html_() and "stencil2d" in trace._repr_html_()
    assert "MPI_Init" in trace.calls()._repr_html_()


def test_a_report_is_saved_whole_or_not_at_all(traces, tmp_path):
    report = slackline.report(traces / TRACE)
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == report.html
    with pytest.raises(slackline.Error, match="cannot write"):
        report.save(tmp_path / "missing" / "page.html")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(slackline.Error, match="cannot write"):
        report.save(tmp_path / "folder.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.json", "page.html"]


def test_traces_that_need_more_memory_are_analysed_in_stretches(traces):
    for command in ("waits", "efficiency", "path"):
        assert slackline.run(command, traces / TRACE, memory="100KiB") == slackline.run(command, traces / TRACE)
    with pytest.raises(slackline.Error, match="more memory"):
        slackline.run("hotspots", traces / TRACE, memory="100KiB")
