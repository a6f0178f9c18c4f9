#!/usr/bin/env python3
"""Every number that occurs twice, by metric and interval, is equal: in `report` (headlines, time shares, factors, phases,
windows, and the page's tables and strips), `efficiency` and `monitor`; for all recorded traces, as they are analysed by
default, over the whole program and over an interval that cuts calls, and for random programs.
"""
import argparse
import base64
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "schema"))
from schemas import random_program  # noqa: E402

FACTORS = {"parallel": "parallel_efficiency", "load_balance": "load_balance", "communication": "communication_efficiency",
           "serialisation": "serialisation_efficiency", "transfer": "transfer_efficiency"}
ROWS = {"parallel efficiency": "parallel_efficiency", "load balance": "load_balance",
        "communication efficiency": "communication_efficiency",
        "serialisation efficiency": "serialisation_efficiency", "transfer efficiency": "transfer_efficiency"}
STRIPS = {"parallel efficiency": "parallel_efficiency", "load balance": "load_balance",
          "serialisation": "serialisation_efficiency", "transfer": "transfer_efficiency"}
PAGE_DIGITS = 1e-4  # a page rounds its numbers to five digits
EXACT = 1e-9


class Numbers:
    def __init__(self):
        self.all = collections.defaultdict(list)

    def add(self, metric, begin, end, value, where, tolerance=EXACT):
        if value is not None:
            self.all[metric, round(begin), round(end)].append((value, where, tolerance))

    def factors(self, json_factors, begin, end, where, tolerance=EXACT):
        for key, value in (json_factors or {}).items():
            if key in FACTORS:
                self.add(FACTORS[key], begin, end, value, where, tolerance)

    def differences(self):
        for (metric, begin, end), said in self.all.items():
            first, where, _ = said[0]
            for value, other, tolerance in said[1:]:
                if abs(value - first) > tolerance * max(1.0, abs(first)):
                    yield f"{metric} from {begin} to {end} ns is {first} in {where} and {value} in {other}"


def run(binary, folder, *arguments):
    done = subprocess.run([binary, *map(str, arguments)], cwd=folder, text=True, capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f"slackline {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def page_report(html):
    """The report inside a page: JSON, packed."""
    packed = re.search(r'<script type="application/[^"]*" id="report"[^>]*>(.*?)</script>', html, re.S)
    if packed is None:
        raise SystemExit("the page has no report in it")
    text = packed.group(1).strip()
    return json.loads(text if text.startswith("{") else zlib.decompress(base64.b64decode(text)))


def items_of(sections):
    for section in sections:
        yield from section["items"]
        yield from items_of(section["children"])


def add_page(report, begin, end, numbers):
    for item in items_of(report["sections"]):
        if item["kind"] == "table" and item["id"] == "efficiency_multiplicative":
            for name, value in item["rows"]:
                numbers.add(ROWS[name.strip()], begin, end, value, "the page's table", PAGE_DIGITS)
        for strip in item.get("strips", []):
            for known in strip.get("known", []):
                if strip["name"] in STRIPS:
                    numbers.add(STRIPS[strip["name"]], known["from"] * item["tick_ns"], known["to"] * item["tick_ns"],
                                known["value"], "the page's strip", PAGE_DIGITS)


def numbers_of(binary, folder, trace, interval):
    chosen = ["--interval", interval]
    numbers = Numbers()
    report = json.loads(run(binary, folder, "report", trace, *chosen, "--format", "json"))["result"]
    for h in report["headlines"]:
        numbers.add(h["metric"], h["interval"]["begin_ns"], h["interval"]["end_ns"], h["value"], "report's headlines")
    shares = report["measured"]["time_shares"]
    begin, end = shares["begin_ns"], shares["begin_ns"] + shares["length_ns"]
    for key, metric in (("length_ns", "run_time_ns"), ("ideal_ns", "ideal_network_run_time_ns"),
                        ("compute", "parallel_efficiency"), ("waiting", "wait_time_share"),
                        ("inside_mpi", "mpi_share_excluding_waiting")):
        numbers.add(metric, begin, end, shares[key], "report's time shares")
    numbers.factors(shares["efficiency"], begin, end, "report's time shares")
    analysed = report["measured"]["efficiency"]["analysed"]
    numbers.factors(analysed["multiplicative"], analysed["begin_ns"], analysed["end_ns"], "report's efficiency")
    for region in report["measured"]["regions"]:
        if region["kind"] not in ("start-up", "shut-down"):
            numbers.factors(region["efficiency"], region["begin_ns"], region["end_ns"], "report's phases")
    one, = json.loads(run(binary, folder, "efficiency", trace, *chosen, "--format", "json"))["result"]["runs"]
    part = one["analysed"]
    numbers.factors(part["multiplicative"], part["begin_ns"], part["end_ns"], "efficiency")
    numbers.add("run_time_ns", part["begin_ns"], part["end_ns"], part["observed_ns"], "efficiency")
    numbers.add("ideal_network_run_time_ns", part["begin_ns"], part["end_ns"], part["ideal_ns"], "efficiency")
    for region in json.loads(run(binary, folder, "monitor", trace, *chosen, "--format", "json"))["result"]["regions"]:
        if region["kind"] not in ("start-up", "shut-down"):
            numbers.factors(region["efficiency"], region["begin_ns"], region["end_ns"], "monitor's phases")
    add_page(page_report(run(binary, folder, "report", trace, *chosen, "--format", "html")), begin, end, numbers)
    return numbers, report


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--source", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("traces", nargs="*", type=lambda text: pathlib.Path(text).resolve())
    arguments = parser.parse_args()
    failures, twice = [], 0
    with tempfile.TemporaryDirectory() as folder:
        traces = arguments.traces or sorted((arguments.source / "examples/traces").glob("*.slk"))
        if not arguments.traces:
            for seed in range(8):
                text = pathlib.Path(folder) / f"random{seed}.txt"
                text.write_text(random_program(seed))
                run(arguments.binary, folder, "convert", "--predicted", text, f"random{seed}.slk", "-q")
                traces.append(pathlib.Path(folder) / f"random{seed}.slk")
        for trace in traces:
            if not json.loads(run(arguments.binary, folder, "info", trace, "--format", "json"))["input"]["timed"]:
                continue
            numbers, report = numbers_of(arguments.binary, folder, trace, "common")
            shares = report["measured"]["time_shares"]
            quarter = shares["length_ns"] // 4
            inner = f"{shares['begin_ns'] + quarter}ns..{shares['begin_ns'] + shares['length_ns'] - quarter}ns"
            for interval in ("common", "program", inner) if quarter > 0 else ("common", "program"):
                if interval != "common":
                    numbers, _ = numbers_of(arguments.binary, folder, trace, interval)
                twice += sum(len(said) > 1 for said in numbers.all.values())
                failures += [f"{trace.name} ({interval}): {text}" for text in numbers.differences()]
    print("\n".join(failures) if failures else f"{twice} numbers that occur more than once are equal")
    return 1 if failures or twice < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
