#!/usr/bin/env python3
"""Checks of the whole tool, from outside.

  prove.py [options] traces [TRACE...]     every command on each trace, and laws between the answers (default: examples/traces)
  prove.py [options] shapes                the same laws of the page for generated runs of many sizes
  prove.py [options] programs [NAME...]    builds programs/*.c, records them, checks the truth that their first line states, and
                                           the laws on each recording

A line for each thing that does not hold; the last line is 'N passed, M failed'. Nothing is timed.
"""
import argparse
import concurrent.futures
import csv
import glob
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from printed_trace import call_times  # noqa: E402

MEMORY = 6 << 30  # address space of each command
DEAD = 124
SCREEN_LINES, SCREEN_COLUMNS = 30, 100
CROWDED = 0.02  # of the rank time
CROWDED_WRONG = 0.2  # of the programs: which rank has a processor when is chance
ATTEMPTS = 3  # other processes may take the processors: then that is what the answer says


class Checks(threading.local):
    """Each thread has its own subject."""
    passed = failed = 0  # of all threads
    lock = threading.Lock()
    subject = ""

    def __call__(self, holds, law, detail=""):
        with Checks.lock:
            if holds:
                Checks.passed += 1
            else:
                Checks.failed += 1
                print(f"{self.subject}: {law}: {detail}"[:400], flush=True)
        return holds


check = Checks()


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(*command, seconds=180, cwd=None, limited=True):
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, timeout=seconds, cwd=cwd,
                              stdin=subprocess.DEVNULL, preexec_fn=limit_memory if limited else None)
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return DEAD, "", f"no end in {seconds} s"


class Tool:
    def __init__(self, options):
        self.binary, self.source, self.node = options.slackline, options.source, options.node
        sys.path.insert(0, os.path.join(self.source, "test", "schema"))
        from schemas import complaints
        self.complaints = complaints
        self.platform = os.path.join(self.source, "examples", "platforms", "fat-tree.toml")

    def run(self, *arguments):
        return run(self.binary, *arguments)

    def answer(self, command, *arguments, may_refuse=False):
        """The JSON of a command, or None after a failed check. A refusal is a status of 1 with a sentence."""
        code, out, err = self.run(command, *arguments, "--format", "json")
        words = " ".join([command, *map(str, arguments[1:])])
        if code == 1 and may_refuse and err.strip():
            return None
        if not check(code == 0, f"'{words}' works", f"status {code}: {err.strip()[-200:]}"):
            return None
        document = json.loads(out)
        schema = json.load(open(os.path.join(self.source, "doc", "schema", command + ".json")))
        complaints = list(self.complaints(document, schema, ""))
        check(not complaints, f"the JSON of '{words}' fits its schema", complaints[:1])
        return document


def check_phases(result):
    """The time-weighted mean of the phases is the whole's."""
    heads = [h for h in result.get("headlines", []) if h.get("metric") == "parallel_efficiency"]
    if len(heads) < 2:
        return
    length = lambda h: h["interval"]["end_ns"] - h["interval"]["begin_ns"]
    whole, phases = heads[0], heads[1:]
    if abs(sum(map(length, phases)) / max(1, length(whole)) - 1) < 0.02:
        mean = sum(h["value"] * length(h) for h in phases) / max(1, sum(map(length, phases)))
        check(abs(mean - whole["value"]) < 0.005, "the phases' mean is the whole's parallel efficiency",
              f"{mean:.4f} and {whole['value']:.4f}")


def check_shares(report, waits, efficiency):
    measured = report["result"].get("measured") or {}
    shares = measured.get("time_shares")
    if not shares:
        return
    parts = shares["compute"] + shares["waiting"] + shares["inside_mpi"] + sum(shares["beside"].values())
    check(abs(parts - 1) < 1e-6 or shares["length_ns"] == 0, "the parts of the rank time add up", parts)
    of_ranks = [sum(v for k, v in r.items() if k.endswith("_ns")) for r in shares["ranks"]]
    check(all(ns in (0, shares["length_ns"]) for ns in of_ranks), "every rank's parts add up to the interval", of_ranks[:4])
    if waits:
        check(measured["wait_states"]["waiting_ns"] == waits["result"]["waiting_ns"], "report and wait-states agree",
              f"{measured['wait_states']['waiting_ns']} and {waits['result']['waiting_ns']}")
        waiting = sum(r["waiting_ns"] for r in shares["ranks"])
        check(waiting <= waits["result"]["waiting_ns"], "the ranks' waiting is that of the wait states",
              f"{waiting} and {waits['result']['waiting_ns']}")
    parallel = ((efficiency or {}).get("result", {}).get("analysed") or {}).get("multiplicative", {}).get("parallel")
    if parallel is not None:
        check(abs(parallel - shares["efficiency"]["parallel"]) < 1e-6, "report and efficiency agree", parallel)
    check_diagnosis(report["result"].get("diagnosis"), shares)


def check_diagnosis(diagnosis, shares):
    if diagnosis is None:
        return
    causes = [diagnosis, *diagnosis["alternatives"]]
    losses = [c for c in causes if c["limit"] != "computation"]
    lost = sum(c["share"] for c in losses)
    check(lost <= 1 - shares["compute"] + 0.001, "losses are no computation", f"{lost} and {shares['compute']}")
    def gain(c):
        return c["share"] if c["gain"] is None else c["gain"]

    # The first one gains most certainly, whatever else the run lacks; the others are in order of their gain.
    others = [c for c in diagnosis["alternatives"] if c["limit"] != "computation"]
    check(sorted(others, key=lambda c: -gain(c)) == others, "the largest gain comes first", losses)
    for c in losses:
        if c["gain"] is not None:
            check(0 <= c["gain_low"] <= c["gain"] <= c["gain_high"] <= 1, "the error bar is around the gain", c)
    begin, end = shares["begin_ns"], shares["begin_ns"] + shares["length_ns"]
    for c in causes:
        inside = begin - 1 <= c["interval"]["begin_ns"] <= c["interval"]["end_ns"] <= end + 1
        check(inside, "causes lie in the analysed interval", f"{c['interval']} in {begin} to {end}")


def printed_times(text):
    """Begin and end of every call that `print` shows, by rank."""
    ranks = []
    for line in text.splitlines():
        if line.startswith("rank "):
            ranks.append(([], []))
            continue
        if times := call_times(line):
            for column, time in zip(ranks[-1], times):
                column.append(time)
    return ranks


def check_page(tool, trace, scratch, timed, report=None):
    """The page's decoder gives every call the begin and end that `print` gives, and its statistics are those of the report."""
    page = os.path.join(scratch, "page.html")
    code, _, err = tool.run("report", trace, "--platform", tool.platform, "-o", page)
    if code != 0:
        code, _, err = tool.run("report", trace, "-o", page)
    if not check(code == 0, "the page is written", err.strip()[-200:]):
        return
    shares = ((report or {}).get("result", {}).get("measured") or {}).get("time_shares")
    interval = [shares["begin_ns"], shares["begin_ns"] + shares["length_ns"]] if shares else []
    code, out, err = run(tool.node, os.path.join(HERE, "page_calls.mjs"), os.path.join(tool.source, "web"), page, *interval,
                         limited=False)
    if not check(code == 0, "the page is decoded", err[-300:]):
        return
    statistics = next((drawn["statistics"] for drawn in json.loads(out) if "statistics" in drawn), None)
    if shares and statistics:
        check_statistics(shares, statistics, json.loads(out)[0])
    sources = {"measured": trace, "simulated": timed}
    for drawn in json.loads(out):
        if sources.get(drawn["id"]) is None or not os.path.exists(sources[drawn["id"]]):
            continue
        code, text, err = tool.run("print", sources[drawn["id"]])
        compare_times(drawn, printed_times(text))


def check_statistics(shares, statistics, drawn):
    """Statistics of the page are sums over ticks: each time is off by half of one at most."""
    of_ranks = shares["ranks"]
    rounding = drawn["tick_ns"] * (2 + max(len(rank["begin"]) for rank in drawn["ranks"]))
    for rank, (page_ns, known) in enumerate(zip(statistics["computation_ns"], of_ranks)):
        check(abs(page_ns - known["compute_ns"]) <= rounding + 1e-3 * shares["length_ns"],
              "the page's computation is that of the report", f'rank {rank}: {page_ns} and {known["compute_ns"]} ns')
    rounding *= len(of_ranks)
    beside = {2: "no_processor_ns", 3: "blocked_ns", 4: "recording_ns"}
    for kind, key in beside.items():
        page_ns = statistics["paused_ns"][kind] + (statistics["paused_ns"][0] if kind == 3 else 0)
        known = sum(rank[key] for rank in of_ranks)
        check(abs(page_ns - known) <= rounding + 1e-3 * shares["length_ns"] * len(of_ranks), f"the page's {key} is that of the report",
              f"{page_ns} and {known}")


def check_figures(tool, trace, report):
    """No share is above all, and a figure named for an operation is at most the time of its calls."""
    measured = report["result"].get("measured")
    diagnosis = report["result"].get("diagnosis")
    if not measured or not diagnosis:
        return
    shares = measured["time_shares"]
    rank_time = shares["length_ns"] * sum(any(v for k, v in r.items() if k.endswith("_ns")) for r in shares["ranks"])
    times = {}
    for calls in shares["calls"]:
        times[calls["operation"]] = times.get(calls["operation"], 0) + calls["inside_mpi_ns"] + calls["waiting_ns"]
        check(calls["inside_mpi_ns"] >= 0, "no call waits longer than it takes", calls)
    for cause in [diagnosis, *diagnosis["alternatives"]]:
        check(-1e-9 <= cause["share"] <= 1 + 1e-9, "a loss is a part of the rank time", cause)
        for percent, operation in re.findall(r"([\d.]+) % in [\d,]+ calls? of (MPI_\w+)", cause["evidence"] or ""):
            check((float(percent) - 0.05) / 100 * rank_time <= times.get(operation, 0) * (1 + 1e-9) + 1,
                  "a figure named for an operation is at most the time of its calls", cause["evidence"])
    for section in ("time", "waits", "regions", "path"):
        code, text, _ = tool.run("report", trace, "--section", section)
        above = [line for line in text.splitlines() if code == 0 for number in re.findall(r"([\d,.]+) %", line)
                 if float(number.replace(",", "")) > 100.05]
        check(not above, "no share is above 100 %", above[:2])


def compare_times(drawn, printed):
    """A page begins with the run, a simulated trace where its program does: all its calls have one offset. A simulated trace
    has no MPI_Init, MPI_Finalize and polls that find nothing."""
    tolerance = 1 if drawn["tick_ns"] == 1 else drawn["tick_ns"] + 1  # half a tick for the call, half for the offset
    if drawn["id"] == "measured":
        counts = [(len(rank["begin"]), len(begins)) for rank, (begins, _) in zip(drawn["ranks"], printed)]
        check(all(a == b for a, b in counts), "the page has all calls", [c for c in counts if c[0] != c[1]][:2])
    ends = next((ends for _, ends in printed if ends), None)
    rank = next((r for r, (_, e) in enumerate(printed) if e), None)
    if ends is None:
        return
    offsets = {end - ends[-1] for end in drawn["ranks"][rank]["end"][-3:]}
    missing = [first_missing(drawn, printed, offset, tolerance) for offset in offsets]
    check(None in missing, f"calls of the {drawn['id']} run are drawn at their times", missing)


def first_missing(drawn, printed, offset, tolerance):
    """The first printed call that the page does not have at its time, in order; times before the run are drawn at 0."""
    for number, (rank, (begins, ends)) in enumerate(zip(drawn["ranks"], printed)):
        calls = zip(rank["begin"], rank["end"])
        for begin, end in zip(begins, ends):
            begin, end = max(0, begin + offset), max(0, end + offset)
            if not any(abs(b - begin) <= tolerance and abs(e - end) <= tolerance for b, e in calls):
                return f"rank {number}: {begin} to {end}"
    return None


def check_edits(tool, trace, predicted):
    same = tool.answer("whatif", trace, "--set", "scale factor=1")
    if same and predicted:
        before, after = same["result"]["before"]["makespan_ns"], same["result"]["after"]["makespan_ns"]
        check(abs(before - after) < 1, "an identity edit changes nothing", f"{before} and {after}")
        check(abs(before - predicted["result"]["makespan_ns"]) < 1, "whatif starts from what predict says", before)
    code, out, _ = tool.run("whatif", trace, "--set", "scale function=no_such_function_at_all factor=0.5")
    check(code != 0, "an edit of a function that does not exist is refused", out[:100])
    code, out, _ = tool.run("hotspots", trace, "--format", "json")
    rows = json.loads(out)["result"].get("hotspots", []) if code == 0 else []
    hot = [r["function"] for r in rows if r.get("function") and not r["function"].startswith(("MPI_", "("))
           and r.get("computation_ns", 0) > 0.2 * max(1, r.get("critical_path_ns", 1))]
    # The path of the predicted run may be elsewhere.
    predicted_rows = tool.answer("hotspots", trace, "--on", "predicted", may_refuse=True) if hot else None
    on_path = [r["function"] for r in predicted_rows["result"]["hotspots"] if r["critical_path_ns"] > 0] if predicted_rows else []
    if hot and hot[0] in on_path:
        half = tool.answer("whatif", trace, "--set", f'scale function="{hot[0]}" factor=0.5', may_refuse=True)
        if half:
            check(half["result"]["after"]["makespan_ns"] < half["result"]["before"]["makespan_ns"] - 1,
                  "halving the hottest function changes the predicted run", hot[0])


def saved_ns(answer):
    """In the measured run, or, of a trace without times, in the predicted one."""
    result = answer["result"]
    if result.get("measured_run"):
        return result["measured_run"]["before_ns"] - result["measured_run"]["after_ns"]
    return result["before"]["makespan_ns"] - result["after"]["makespan_ns"]


def check_advice(advice):
    """No change gains more than there is, nor do several together gain more than each of them added up."""
    result = advice["result"] if advice else {"advice": []}
    for p in result["advice"]:
        what = f'{p["action"]}: {p["gain_low_ns"]}, {p["gain_ns"]}, {p["gain_high_ns"]} of {result["run_ns"]} ns'
        check(p["gain_low_ns"] <= p["gain_ns"] <= p["gain_high_ns"], "an error bar contains the gain", what)
        check(p["gain_ns"] <= result["run_ns"] * 1.000001, "no change gains more than the run", what)
        check((p["share_of_possible"] or 0) <= 1.001, "no change gains more than is possible", what)
    together = result.get("combination")
    if together:
        gains = [p["gain_ns"] for p in result["advice"] if p["action"] in together["actions"]]
        check(max(gains) <= together["gain_ns"] * 1.001 + 1000, "several changes gain more than one", f"{together} {gains}")


def check_attribution(tool, trace, calls, gains, advice):
    """What a function gains, gains, whatif and advise say alike: the time of a function is the same for all of them. An edit makes
    each stretch between two calls whole nanoseconds, by half of one at most."""
    check_advice(advice)
    if not gains or not advice:
        return
    tolerance = 1000 + 1e-5 * gains["result"]["run_ns"] + 0.5 * calls
    named = [g for g in gains["result"]["gains"] if g["kind"] in ("function", "region")]
    for gain in named[:3]:
        for percent, factor in (("50%", 0.5), ("100%", 0)):
            edit = f'scale {gain["kind"]}="{gain["name"]}" factor={factor}'
            edited = tool.answer("whatif", trace, "--set", edit)
            if edited:
                check(abs(saved_ns(edited) - gain["gain_ns"][percent]) <= tolerance, "gains are what whatif saves",
                      f'{edit}: {saved_ns(edited)} and {gain["gain_ns"][percent]} ns')
    for proposal in [p for p in advice["result"]["advice"] if p["problem"] == "computation"][:3]:
        edits = [word for edit in proposal["edits"] for word in ("--set", edit)]
        edited = tool.answer("whatif", trace, *edits)
        if edited:
            check(abs(saved_ns(edited) - proposal["gain_ns"]) <= tolerance, "advice gains what whatif saves",
                  f'{proposal["edits"]}: {saved_ns(edited)} and {proposal["gain_ns"]} ns')


def check_simulated(tool, trace, timed, info):
    code, _, err = tool.run("simulate", trace, "--platform", tool.platform, "--timed", timed, "-q")
    if code != 0:
        check(code == 1 and err.strip(), "simulate works or says why not", f"status {code} {err[-150:]}")
        return
    again = tool.answer("info", timed)
    if again:
        lost = {f["name"] for f in again["findings"]} - {f["name"] for f in info["findings"]}
        check(not any("damaged" in n or "lost" in n for n in lost), "a simulated trace is whole", lost)
        check(again["result"]["calls"] == info["result"]["calls"], "a simulated trace has all calls", again["result"]["calls"])
    for command in ("wait-states", "critical-path"):
        tool.answer(command, timed)
        tool.answer(command, trace, "--on", "simulated", "--platform", tool.platform)
        tool.answer(command, trace, "--on", "predicted")
    tool.answer("efficiency", trace, "--on", "simulated", "--platform", tool.platform, may_refuse=True)


def check_conversions(tool, trace, scratch, predicted):
    for suffix in ("slk", "txt", "otf2", "prv"):
        out = os.path.join(scratch, "back." + suffix)
        shutil.rmtree(out, ignore_errors=True)
        code, text, err = tool.run("convert", trace, out)
        if not check(code == 0, f"convert to {suffix}", err.strip()[-160:]):
            continue
        back = (glob.glob(out + "/*.otf2") or [out])[0] if os.path.isdir(out) else out
        again = tool.answer("predict", back)
        if again and predicted:
            a, b = predicted["result"]["makespan_ns"], again["result"]["makespan_ns"]
            check(abs(a - b) <= 1e-6 * abs(a) + 1 or "prediction_differs" in text + err,
                  f"{suffix} and back predicts the same, or convert says that it does not", f"{a} and {b}")


def check_first_screen(tool, trace):
    code, text, _ = tool.run("report", trace)
    lines = text.splitlines()
    check(code == 0 and 5 < len(lines) <= SCREEN_LINES, "the first screen is at most SCREEN_LINES lines", len(lines))
    check(max(map(len, lines)) <= SCREEN_COLUMNS, "the first screen is at most SCREEN_COLUMNS wide", max(map(len, lines)))


QUANTITY = re.compile(r"(?<![\w.:\[-])\+?(\d[\d,]*(?:\.\d+)?) (ns|us|ms|s|%)(?!\w)")
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "%": 0.01}


def quantities(text):
    """Each number with a unit, as written, with its value and half of its last digit, in ns or as a share."""
    for number, unit in QUANTITY.findall(text):
        digits = len(number.partition(".")[2])
        yield f"{number} {unit}", float(number.replace(",", "")) * UNITS[unit], 0.501 * 10 ** -digits * UNITS[unit]


def tables_of(text):
    """Of a report as CSV: by id the numbers in each table's cells."""
    tables, numbers = {}, None
    for row in csv.reader(text.splitlines()):
        if row and row[0].startswith("# ") and ": " in row[0]:
            numbers = tables.setdefault(row[0][2:].split(":")[0], [])
        elif numbers is not None:
            for cell in row:
                number = re.fullmatch(r"-?[\d.]+(e[-+]?\d+)?", cell)
                numbers += [float(cell)] if number else [value for _, value, _ in quantities(cell)]
    return tables


def check_sentences(tool, trace, report):
    """Each number in a sentence stands in a table that the sentence names as its evidence."""
    code, text, err = tool.run("report", trace, "--format", "csv")
    if not check(code == 0, "the report is written as CSV", err[-200:]):
        return
    tables = tables_of(text)
    result = report["result"]
    sentences = [(a["answer"], a["evidence"]) for a in result.get("answers", [])]
    sentences += [(j["sentence"], j["evidence"]) for j in result.get("judgement", [])]
    for sentence, evidence in sentences:
        cells = [cell for e in evidence for cell in tables.get(e, [])]
        for written, value, half in quantities(sentence):
            # Sentences say "declines by" where a table has a minus.
            check(any(abs(abs(cell) - value) <= half for cell in cells), f"'{written}' stands in a table of {evidence}", sentence)


def laws(tool, trace, scratch, subject):
    check.subject = subject
    info = tool.answer("info", trace)
    report = tool.answer("report", trace)
    if info is None or report is None:
        return
    waits = tool.answer("wait-states", trace, may_refuse=True)
    efficiency = tool.answer("efficiency", trace, may_refuse=True)
    predicted = tool.answer("predict", trace)
    for command in ("critical-path", "monitor", "hotspots", "tolerance"):
        tool.answer(command, trace, may_refuse=command != "tolerance")
    check_attribution(tool, trace, info["result"]["calls"], tool.answer("gains", trace), tool.answer("advise", trace))
    tool.answer("sensitivity", trace, "--from", "0us", "--to", "10us")
    check_first_screen(tool, trace)
    check_sentences(tool, trace, report)
    check_phases(report["result"])
    check_shares(report, waits, efficiency)
    check_figures(tool, trace, report)
    timed = os.path.join(scratch, "timed.slk")
    check_simulated(tool, trace, timed, info)
    if tool.node:
        check_page(tool, trace, scratch, timed, report)
    check_edits(tool, trace, predicted)
    check_conversions(tool, trace, scratch, predicted)


def of_traces(tool, options):
    for trace in options.names or sorted(glob.glob(os.path.join(tool.source, "examples", "traces", "*.slk"))):
        with tempfile.TemporaryDirectory(prefix="prove-") as scratch:
            laws(tool, trace, scratch, os.path.basename(trace))


def generated(ranks, steps, seed):
    """Steps of computation, a message around a ring and an allreduce, at varying times."""
    draw = random.Random(seed)
    lines = [[] for _ in range(ranks)]
    now = [1000] * ranks
    for _ in range(steps):
        now = [t + 100_000 + draw.randrange(8000) for t in now]
        latest = max(now)
        for r in range(ranks):
            begin, end = now[r], latest + 1500 + draw.randrange(500)
            leave = latest + 5000 + draw.randrange(50)
            lines[r] += [f"  @{begin} +700 send to={(r + 1) % ranks} bytes=64",
                         f"  @{begin + 900} +{end - begin - 900} recv from={(r - 1) % ranks} bytes=64",
                         f"  @{end + 10} +{leave - end - 10} allreduce bytes=8"]
            now[r] = leave + draw.randrange(100)
    text = [f"slackline-trace 1 timed ranks={ranks}"]
    for r in range(ranks):
        text += [f"rank {r}", "  @0 +500 init", *lines[r], f"  @{max(now) + 1000} +10 finalize"]
    return "\n".join(text) + "\n"


SHAPES = [(2, 5), (3, 40), (4, 84), (8, 12), (8, 84), (8, 500), (16, 84), (32, 84), (64, 84), (64, 300), (100, 60), (256, 40),
          (500, 30), (1200, 12), (2000, 12), (2000, 60)]


def of_shapes(tool, options):
    for ranks, steps in SHAPES:
        check.subject = f"{ranks} ranks, {steps} steps"
        with tempfile.TemporaryDirectory(prefix="prove-") as scratch:
            text, trace = os.path.join(scratch, "t.txt"), os.path.join(scratch, "t.slk")
            open(text, "w").write(generated(ranks, steps, ranks + steps))
            code, _, err = tool.run("convert", text, trace, "-q")
            if check(code == 0, "is converted", err):
                check_page(tool, trace, scratch, "")


def holds_truth(truth, report):
    """What of the planted problem the report names; the sentence of what it does not."""
    d = report["result"].get("diagnosis")
    if d is None:
        return ["there is no diagnosis"]
    # Ranks that lack processors say so first; the planted cause comes next.
    if truth["limit"] == "computation" and d["limit"] == "processors":
        return [c for c in d["alternatives"] if c["share"] > 0.05]
    cause = d["alternatives"][0] if d["limit"] == "processors" and d["alternatives"] else d
    wrong = []
    if cause["limit"] != truth["limit"]:
        wrong.append(f"the limit is {cause['limit']}, planted {truth['limit']}")
    if "rank" in truth and truth["rank"] not in cause["ranks"]:
        wrong.append(f"the ranks are {cause['ranks']}, planted {truth['rank']}")
    if "function" in truth and cause["function"] != truth["function"]:
        wrong.append(f"the function is {cause['function']}, planted {truth['function']}")
    if "operation" in truth and cause["operation"] != truth["operation"]:
        wrong.append(f"the operation is {cause['operation']}, planted {truth['operation']}")
    if "steps" in truth:
        whole = report["result"]["headlines"][0]["interval"]
        length = cause["interval"]["end_ns"] - cause["interval"]["begin_ns"]
        if length >= 0.9 * (whole["end_ns"] - whole["begin_ns"]):
            wrong.append("the cause is said of the whole run")
    return wrong


def record(tool, options, exe, folder):
    launch = ["mpirun." + options.mpi, "-n", options.ranks]
    if options.mpi == "openmpi":
        launch += ["--oversubscribe"] + (["--allow-run-as-root"] if os.getuid() == 0 else [])
    trace = os.path.join(folder, "t.slk")
    code, _, err = run(tool.binary, "record", "-q", "--force", "--sample", "-o", trace, "--", *launch, exe, cwd=folder,
                       limited=False)
    return trace if check(code == 0 and os.path.exists(trace), "is recorded", f"status {code}: {err[-200:]}") else None


def of_programs(tool, options):
    """The programs run one after the other, as nothing else may use the processors; the laws then use all of them."""
    recorded, crowded = [], []
    with tempfile.TemporaryDirectory(prefix="prove-") as scratch:
        for source in sorted(glob.glob(os.path.join(HERE, "programs", "*.c"))):
            name = os.path.splitext(os.path.basename(source))[0]
            if options.names and name not in options.names:
                continue
            check.subject = f"{name} ({options.mpi}, {options.ranks} ranks)"
            folder = os.path.join(scratch, name)
            os.makedirs(folder)
            exe = os.path.join(folder, name)
            code, _, err = run("mpicc." + options.mpi, "-O2", "-g", "-o", exe, source, "-lm", limited=False)
            if not check(code == 0, "builds", err[:200]):
                continue
            truth = json.loads(re.search(r"truth: (\{.*?\})(?=[^}]*$)", open(source).readline()).group(1))
            if trace := prove_program(tool, options, exe, folder, truth, crowded):
                recorded.append((trace, folder, check.subject))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for done in [pool.submit(laws, tool, *one) for one in recorded]:
                done.result()
    if crowded:
        check.subject = f"{options.mpi}, {options.ranks} ranks"
        wrong = [subject for subject, holds in crowded if not holds]
        check(len(wrong) <= CROWDED_WRONG * len(crowded), "processors come first, then what was planted", wrong)


def lacked_processors(report):
    """What the recording itself says: then times are those of the machine, not of the program."""
    return report["result"]["measured"]["time_shares"]["beside"]["no_processor"] > CROWDED


def check_calls(tool, trace, truth, ranks):
    """The truth counts calls of all ranks as a product: "1000*ranks"."""
    operations = tool.answer("info", trace)["result"]["operations"]
    for operation, wanted in truth["calls"].items():
        each = int(wanted.removesuffix("*ranks"))
        found = sum(o["calls"] for o in operations if o["operation"] == operation)
        check(found == each * ranks, f"all calls of {operation} are recorded", found)


def says_processors_then(truth, report):
    """Of more ranks than processors: that ranks lacked them, and then the planted rank or function."""
    d = report["result"]["diagnosis"]
    others = [c for c in d["alternatives"] if c["limit"] != "processors"]
    if d["limit"] != "processors" or not others:
        return False
    named = "rank" in truth and truth["rank"] in others[0]["ranks"]
    return named or "function" in truth and others[0]["function"] == truth["function"]


def prove_program(tool, options, exe, folder, truth, crowded):
    """The recording in which the planted problem was found, or the last one. Only where there is a core for each rank is
    it sure to be found."""
    for attempt in range(ATTEMPTS):
        trace = record(tool, options, exe, folder)
        report = tool.answer("report", trace) if trace else None
        if report is None:
            return trace
        if "calls" in truth:
            check_calls(tool, trace, truth, options.ranks)
        if "limit" not in truth:
            return trace
        if options.ranks > os.cpu_count():
            crowded.append((check.subject, says_processors_then(truth, report)))
            return trace
        wrong = holds_truth(truth, report)
        if not wrong or attempt + 1 == ATTEMPTS:
            if wrong and lacked_processors(report):
                print(f"{check.subject}: not judged, as other processes had the processors: {wrong}")
            else:
                check(not wrong, "the planted problem is named", wrong)
            return trace
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slackline", required=True, type=os.path.abspath)
    parser.add_argument("--source", required=True, type=os.path.abspath)
    parser.add_argument("--node", default=shutil.which("node"))
    parser.add_argument("what", choices=["traces", "shapes", "programs"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--mpi", choices=["openmpi", "mpich"], default="mpich")
    parser.add_argument("--ranks", type=int, default=2)
    options = parser.parse_args()
    {"traces": of_traces, "shapes": of_shapes, "programs": of_programs}[options.what](Tool(options), options)
    print(f"{check.passed} passed, {check.failed} failed")
    return check.failed > 0


if __name__ == "__main__":
    sys.exit(main())
