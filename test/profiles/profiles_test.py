#!/usr/bin/env python3
"""Profiles for Cube and Hatchet beside the calls of their trace.

    profiles_test.py --slackline BINARY --trace TRACE
    profiles_test.py --slackline BINARY --mpi MPI --program PROGRAM      of a new recording

Both are read by the description of their formats (doc/formats/profiles.md), without code of this project; the sums by rank
and operation are those of the calls in the trace's text form, and both say the same of each call path."""
import argparse
import collections
import json
import os
import pathlib
import re
import struct
import subprocess
import tarfile
import tempfile
import xml.etree.ElementTree as xml

ENDS = {"init", "init_thread", "finalize"}
# What ranks of a recording do neither in MPI nor for the program.
IDLE = {"no_processor", "blocked", "recording"}
COUNTS = {"calls", "bytes"}


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def near(a, b):
    return abs(a - b) <= 1e-12 + 1e-9 * abs(b)


def calls_of(text):
    """From the text form: by rank the length of the time between MPI_Init and MPI_Finalize, and its calls in it (begin, length,
    operation)."""
    ranks = []
    for section in re.split(r"^rank ", text, flags=re.M)[1:]:
        calls = [(int(b), int(n or 0), op) for b, n, op in re.findall(r"^  @(\d+)(?: \+(\d+))? (\w+)", section, re.M)]
        calls = [call for call in calls if call[2] not in {"enter", "leave", "pause", "sample"}]
        if not calls:  # what is known of a rank stands in a section of its own
            continue
        init = next((b + n for b, n, op in calls if op.startswith("init")), None)
        finalize = next((b for b, n, op in calls if op == "finalize"), None)
        ranks.append((finalize - init, [c for c in calls if c[2] not in ENDS and init <= c[0] < finalize]))
    return ranks


def read_cubex(path):
    """By unique name the metric's path in the tree and its values by call path and rank; and the call tree's paths."""
    with tarfile.open(path) as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive.getmembers()}
    root = xml.fromstring(files["anchor.xml"])
    check(root.tag == "cube" and root.get("version") == "4.4", "the version")
    regions = {region.get("id"): region.findtext("name") for region in root.find("program").findall("region")}
    nodes = []

    def visit(cnode, above):
        path = (*above, regions[cnode.get("calleeId")])
        check(int(cnode.get("id")) == len(nodes), "numbers in preorder")
        nodes.append(path)
        for child in cnode.findall("cnode"):
            visit(child, path)

    roots = root.find("program").findall("cnode")
    check(len(roots) == 1 and len(set(regions.values())) == len(regions), "one root, each region once")
    visit(roots[0], ())
    check(len(set(nodes)) == len(nodes), "each call path once")
    system = root.find("system").findall("systemtreenode")
    locations = [int(location.get("Id")) for location in system[0].iter("location")]
    groups = [int(group.findtext("rank")) for group in system[0].iter("locationgroup")]
    check(len(system) == 1 and sorted(locations) == list(range(len(locations))) and groups == locations, "locations")
    metrics = {}

    def read_metric(element, above):
        name, number, kind = (element.findtext("uniq_name"), element.get("id"), element.findtext("dtype"))
        check(element.get("type") == "EXCLUSIVE" and name not in metrics, name)
        index, data = files.pop(f"{number}.index"), files.pop(f"{number}.data")
        magic, one, version, sparse, count = struct.unpack_from("<11siHBi", index)
        check((magic, one, version, sparse) == (b"CUBEX.INDEX", 1, 0, 1), f"the index of {name}")
        listed = struct.unpack(f"<{count}i", index[22:])
        check(list(listed) == sorted(set(listed)) and data[:10] == b"CUBEX.DATA", f"the data of {name}")
        numbers = struct.unpack("<" + {"DOUBLE": "d", "UINT64": "Q"}[kind] * (count * len(locations)), data[10:])
        values = {nodes[node]: numbers[i * len(locations):(i + 1) * len(locations)] for i, node in enumerate(listed)}
        metrics[name] = (*above, name), values
        for part in element.findall("metric"):
            read_metric(part, (*above, name))

    for element in root.find("metrics").findall("metric"):
        read_metric(element, ())
    check(set(files) == {"anchor.xml"}, f"other files: {set(files)}")
    return metrics, nodes


def check_cubex(metrics, nodes, ranks):
    size = len(ranks)

    def at(name, path):
        return metrics[name][1].get(path, (0,) * size) if name in metrics else (0,) * size

    parts = collections.defaultdict(list)
    for name, (above, _) in metrics.items():
        parts[above[-2] if len(above) > 1 else None].append(name)
    check(set(parts[None]) == {"time", "calls", "bytes"}, f"{dict(parts)}")
    check({"computation", "mpi"} <= set(parts["time"]) <= {"computation", "mpi"} | IDLE, f"{dict(parts)}")
    for rank, (span, calls) in enumerate(ranks):
        for whole in ("time", "wait"):
            for path in nodes:
                check(near(at(whole, path)[rank], sum(at(part, path)[rank] for part in parts[whole])), f"{whole} of {path}")
        by_operation = collections.Counter()
        count = collections.Counter()
        for _, length, operation in calls:
            by_operation["mpi_" + operation] += length
            count["mpi_" + operation] += 1
        for operation in by_operation:
            leaves = [path for path in nodes if path[-1].lower() == operation]
            check(near(sum(at("mpi", path)[rank] for path in leaves) * 1e9, by_operation[operation]), f"time in {operation}")
            check(sum(at("calls", path)[rank] for path in leaves) == count[operation], f"number of {operation}")
        mpi, total = (sum(at(name, path)[rank] for path in nodes) for name in ("mpi", "time"))
        check(near(mpi * 1e9, sum(by_operation.values())), "time in MPI")
        check(sum(at("wait", path)[rank] for path in nodes) <= mpi, "waiting is a part of it")
        check(near(total * 1e9, span), f"all of the rank's time: {total * 1e9} of {span}")
        check(sum(at("calls", path)[rank] for path in nodes) == len(calls), "number of calls")
    return at


def check_hatchet(roots, nodes, at, ranks, names):
    check(len(roots) == len(ranks), "a tree for each rank")
    for rank, root in enumerate(roots):
        found = {}

        def visit(node, above, rank=rank, found=found):
            check(set(node) <= {"frame", "metrics", "children"} and set(node["frame"]) == {"name", "type"}, f"{set(node)}")
            metrics, path = node["metrics"], (*above, node["frame"]["name"])
            check(metrics["rank"] == rank and path not in found, f"{path}")
            found[path] = metrics
            times = [metrics[name] for name in metrics if name not in {"rank", "time", "time (inc)"} | COUNTS]
            check(near(metrics["time"], sum(times)), f"time of {path}")
            below = sum(visit(child, path) for child in node.get("children", []))
            check(near(metrics["time (inc)"], metrics["time"] + below), f"inclusive time of {path}")
            return metrics["time (inc)"]

        visit(root, ())
        check(len({tuple(metrics) for metrics in found.values()}) == 1, "the same metrics everywhere")
        for path in nodes:
            for name in names - {"mpi", "wait", "time"}:
                check(near(found.get(path, {}).get(name, 0), at(name, path)[rank]), f"{name} of {path} on {rank}")
            check(near(found.get(path, {}).get("time", 0), at("time", path)[rank]), f"time of {path} on {rank}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slackline", required=True)
    parser.add_argument("--trace")
    parser.add_argument("--mpi")
    parser.add_argument("--program")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="slackline-profiles-") as name:
        folder = pathlib.Path(name)

        if arguments.mpi:
            arguments.trace = folder / "new.slk"
            environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                           "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
            subprocess.run([arguments.slackline, "record", "-q", "--yield", "-o", arguments.trace, "--",
                            f"mpirun.{arguments.mpi}", "-n", "4", arguments.program], check=True, timeout=200,
                           stdout=subprocess.DEVNULL, env={**os.environ, **environment})

        def convert(out, *words):
            subprocess.run([arguments.slackline, "convert", "-q", arguments.trace, folder / out, *words], check=True, timeout=100)
            return folder / out

        ranks = calls_of(convert("trace.txt").read_text())
        metrics, nodes = read_cubex(convert("measured.cubex"))
        at = check_cubex(metrics, nodes, ranks)
        check_hatchet(json.loads(convert("measured.hatchet").read_text()), nodes, at, ranks, set(metrics))
        check(convert("again.cubex").read_bytes() == (folder / "measured.cubex").read_bytes(), "the same bytes")
        predicted = calls_of(convert("predicted.txt", "--predicted", "-L", "10us").read_text())
        check_cubex(*read_cubex(convert("predicted.cubex", "--predicted", "-L", "10us")), predicted)
        # Of a region with nothing but a call in it, the call is still there.
        arguments.trace = folder / "bare.slt"
        arguments.trace.write_text("slackline-trace 1 timed ranks=2\n" + "".join(
            f"rank {rank}\n  @0 +10 init\n  @20 enter bare\n  @20 +50 allreduce bytes=8 elem=8\n  @70 leave bare\n  @90 +1 finalize\n"
            for rank in (0, 1)))
        metrics, nodes = read_cubex(convert("bare.cubex"))
        ranks = calls_of(arguments.trace.read_text())
        at = check_cubex(metrics, nodes, ranks)
        check(any(path[1:] == ("bare", "MPI_Allreduce") for path in nodes), f"{nodes}")
        check_hatchet(json.loads(convert("bare.hatchet").read_text()), nodes, at, ranks, set(metrics))

        untimed = folder / "untimed.slt"
        untimed.write_text("slackline-trace 1 untimed ranks=1\nrank 0\n  init\n  finalize\n")
        done = subprocess.run([arguments.slackline, "convert", untimed, folder / "x.cubex"], capture_output=True, text=True,
                              check=False)
        check(done.returncode != 0 and "--predicted" in done.stderr and not (folder / "x.cubex").exists(), "untimed: refused")


main()
