#!/usr/bin/env python3
"""Delay costs, direct, indirect and propagating waiting: Slackline against rules written anew.

First these rules are asked for what Scalasca 2.6 does, and must give what it said of a real trace;
then for what Slackline does (rules.py names each difference), and must give what Slackline says of
that trace and of random runs (random_runs.py). Without otf2-print the test is skipped, which it
says, and so is the real trace where it is not at hand.

usage: run.py --binary SLACKLINE [--seeds N] [--first N] [--shared FOLDER] [--keep FOLDER]
       run.py --binary SLACKLINE --trace ANCHOR: compares another archive, and prints the impact
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import delays
import known_values
import otf2_text
import paths
import random_runs
import rules
import slackline_json
import sync_points

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
RELATIVE = 1e-6
ABSOLUTE_S = 1e-9
ABSOLUTE_NS = 0.001  # both have the same whole nanoseconds
SHOWN = 5


def differences(expected, found, absolute):
    """What, expected and found of each number that differs, worst first."""
    far = []
    for key in expected.keys() | found.keys():
        want, have = expected.get(key, 0.0), found.get(key, 0.0)
        if abs(want - have) > absolute + RELATIVE * abs(want):
            far.append((key, want, have))
    return sorted(far, key=lambda row: -abs(row[1] - row[2]))


def show(what, far, names):
    for key, want, have in far[:SHOWN]:
        words = " ".join(f"rank {w}" if isinstance(w, int) else w for w in key if w != "")
        print(f"{what}: {words}: {names[0]} {want:.12g}, {names[1]} {have:.12g}")
    if len(far) > SHOWN:
        print(f"{what}: and {len(far) - SHOWN} more")


def compare_scalasca(folder):
    """How many known numbers the rules miss."""
    known = known_values.read(folder / "scalasca" / "sstmacro10.metrics.txt")
    found = known_values.reckon(otf2_text.read(folder / "traces.otf2", rules.SCALASCA))
    failures = compared = 0
    for metric, (total, rows) in known.items():
        if not known_values.can_tell(metric):
            continue
        of_metric = found.get(metric, {})
        expected = {(region, rank): s for region, row in rows.items()
                    for rank, s in enumerate(row)}
        far = differences(expected, of_metric if rows else {}, ABSOLUTE_S)
        far += differences({("sum",): total}, {("sum",): sum(of_metric.values())}, ABSOLUTE_S)
        show(f"Scalasca's {metric}", far, ("known", "reckoned"))
        failures += len(far)
        compared += 1
    print(f"{compared} metrics of Scalasca compared, {failures} numbers differ")
    return failures


def compare_slackline(binary, anchor, what):
    """How many numbers differ."""
    expected = slackline_json.reckon(otf2_text.read(anchor, rules.SLACKLINE))
    far = differences(expected, slackline_json.ask(binary, anchor), ABSOLUTE_NS)
    show(what, far, ("oracle", "Slackline"))
    return len(far)


def archive_of(binary, text, folder):
    """The anchor of an archive that Slackline makes of a run in text."""
    folder.mkdir(parents=True, exist_ok=True)
    source, target = folder / "run.slt", folder / "otf2"
    source.write_text(text)
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run([binary, "convert", source, target, "--to", "otf2", "-q"], check=True,
                   capture_output=True)
    return next(target.glob("*.otf2"))


def compare_random(binary, seeds, keep):
    """How many runs differ."""
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        for seed in seeds:
            folder = (keep or pathlib.Path(temporary)) / str(seed)
            anchor = archive_of(binary, random_runs.random_run(seed), folder)
            failures += compare_slackline(binary, anchor, f"seed {seed}") > 0
    print(f"{len(seeds)} random runs compared, {failures} differ")
    return failures


def print_impact(anchor):
    run = otf2_text.read(anchor, rules.SLACKLINE)
    sync = sync_points.SyncPoints(run, rules.SLACKLINE)
    own = delays.Delays(run, sync, rules.SLACKLINE).own
    path, own_times = paths.critical_path(run, sync, own), paths.own_times_by_rank(own)
    impact = paths.impact(path, own_times)
    rows = {"critical path": path, "own time": own_times,
            "critical path activities": impact.critical_path_activities,
            "critical imbalance impact": impact.critical_imbalance_impact,
            "non-critical path activities": impact.non_critical_path_activities}
    for name, by_key in rows.items():
        print(f"{name}: {sum(by_key.values()):.0f} ns")
        for (rank, (where, operation)), ns in sorted(by_key.items()):
            print(f"  rank {rank} {where or '-'} {operation} {ns:.1f}")


def shared_trace(options):
    folder = options.shared or os.environ.get("SLACKLINE_SHARED") or HERE.parents[3] / "shared"
    return pathlib.Path(folder) / "traces" / "sstmacro10"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--shared", type=pathlib.Path, help="the folder with public traces")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the random runs in this folder")
    parser.add_argument("--trace", type=pathlib.Path, help="an archive's anchor file")
    options = parser.parse_args()
    if shutil.which("otf2-print") is None:
        print("SKIPPED: there is no otf2-print here (Debian's package otf2-tools), so nothing "
              "was compared")
        return SKIPPED
    if options.trace is not None:
        print_impact(options.trace)
        return 1 if compare_slackline(options.binary, options.trace, "trace") else 0
    failures = 0
    folder = shared_trace(options)
    if folder.exists():
        failures += compare_scalasca(folder)
        failures += compare_slackline(options.binary, folder / "traces.otf2", "sstmacro10")
    else:
        print(f"SKIPPED: Scalasca's numbers, as there is no {folder}; set SLACKLINE_SHARED")
    failures += compare_random(options.binary, range(options.first, options.first + options.seeds),
                               options.keep)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
