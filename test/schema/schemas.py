#!/usr/bin/env python3
"""The JSON Schema files of doc/schema: one for each command that writes JSON.

usage: schemas.py --types COMMAND_SCHEMAS --source TREE --binary SLACKLINE  compare files, types and output
       schemas.py --types COMMAND_SCHEMAS --source TREE --approve           write the files anew

A file is made from the types that write the command's JSON, which the program command_schemas prints, and from
doc/schema/keys.txt, in which every key has its meaning; a key without one is an error, and so is a meaning without a key.
Whatever the files say is then held against what commands print: the runs below, the goldens' JSON and random programs.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

RUNS = """
info traces/stencil2d.slk
info traces/lammps-melt.slk
info inputs/running_example.txt
predict traces/stencil2d.slk
predict traces/unbalanced.slk --left
predict inputs/running_example.txt -L 500ns
predict inputs/running_example.txt --machine inputs/machine.toml
predict traces/cg.slk --model loggops
predict traces/stencil2d.slk --topology fat-tree:k=4,tiers=2 --pairs
predict traces/stencil2d.slk --topology dragonfly:g=4,a=2,p=2 --pairs
predict traces/stencil2d.slk --ranks-per-node 2 --computation cpu
sensitivity traces/stencil2d.slk
sensitivity traces/stencil2d.slk --param S --at 0,4KiB,64KiB
sensitivity traces/cg.slk --compare allreduce=ring
sensitivity traces/cg.slk --model loggops
tolerance traces/stencil2d.slk
tolerance traces/stencil2d.slk --region L,G --degrade 1%
tolerance traces/cg.slk --region L:intra-node,L:inter-node --ranks-per-node 2 --degrade 1%
tolerance traces/stencil2d.slk --bootstrap 20
tolerance traces/stencil2d.slk --also traces/cg.slk
tolerance inputs/running_example.txt
critical-path traces/stencil2d.slk --on predicted
critical-path inputs/running_example.txt
critical-path traces/lammps-melt.slk
critical-path traces/heat_f08.slk
critical-path traces/lammps-melt.slk --on measured --algorithm intervals
critical-path traces/unbalanced.slk
simulate traces/stencil2d.slk --platform examples/platforms/fat-tree.toml
simulate traces/stencil2d.slk --platform examples/platforms/fat-tree.toml --links 4 --slowed 3
simulate traces/stencil2d.slk --platform examples/platforms/fat-tree.toml --tolerance latency
simulate inputs/exchange.ti --platform inputs/two_hosts.xml
platform show examples/platforms/fat-tree.toml
hotspots inputs/samples.txt
hotspots traces/unbalanced.slk
hotspots inputs/samples.txt --by call-path
hotspots inputs/samples.txt --on predicted --by line
efficiency traces/lammps-melt.slk
efficiency inputs/interrupted.txt
efficiency traces/allreduce8.slk traces/allreduce16.slk traces/allreduce32.slk
efficiency traces/stencil2d.slk --on predicted
efficiency traces/stencil2d.slk --on simulated --platform examples/platforms/fat-tree.toml
wait-states traces/lammps-melt.slk
wait-states traces/unbalanced.slk
wait-states traces/heat_f08.slk
wait-states traces/cg.slk --on predicted
monitor traces/lammps-melt.slk
monitor traces/unbalanced.slk
monitor traces/heat_f08.slk
monitor inputs/growing.txt
monitor inputs/growing_rank.txt
monitor inputs/slower_rank.txt
report inputs/growing.txt
report inputs/growing_rank.txt
report inputs/slower_rank.txt
monitor traces/stencil2d.slk --on simulated --platform examples/platforms/fat-tree.toml
place traces/stencil2d.slk --topology fat-tree:k=4,tiers=2 --ranks-per-node 2
whatif traces/unbalanced.slk --set 'balance region=assemble'
whatif traces/stencil2d.slk --set 'scale factor=0.5'
gains traces/unbalanced.slk
advise traces/unbalanced.slk
place traces/cg.slk --ranks-per-node 2 --placement cyclic
diff traces/unbalanced.slk traces/stencil2d.slk
diff traces/unbalanced.slk traces/unbalanced-mpich.slk --more-a traces/cg.slk --more-b traces/cg-mpich.slk
history traces --worst 3
history traces --since 2026-01-01
gains traces/unbalanced.slk --call-paths
report inputs/interrupted.txt
report traces/lammps-melt.slk
report traces/unbalanced.slk
report traces/stencil2d.slk
report traces/heat_f08.slk
report traces/cg-mpich.slk
report traces/allreduce8.slk
report inputs/running_example.txt
report inputs/unmatched.txt
report inputs/training
report inputs/training/rank0.json
report inputs/skewed_barriers.txt
wait-states inputs/skewed_barriers.txt
efficiency inputs/skewed_barriers.txt
monitor inputs/skewed_barriers.txt
critical-path inputs/skewed_barriers.txt
gains inputs/skewed_barriers.txt
advise inputs/skewed_barriers.txt
info inputs/skewed_barriers.txt --fix-clocks
report traces/unbalanced.slk traces/unbalanced-mpich.slk
report traces/stencil2d.slk --topology fat-tree:k=4,tiers=2
report traces/stencil2d.slk --compare allreduce=ring
report traces/stencil2d.slk --platform examples/platforms/fat-tree.toml
query traces/stencil2d.slk 'SELECT operation, count(*) FROM calls GROUP BY operation'
convert traces/stencil2d.slk out.goal
convert traces/stencil2d.slk out.prv
info corpus/everything.txt
report inputs/partial_paths.txt
critical-path inputs/partial_paths.txt
wait-states inputs/partial_paths.txt
hotspots inputs/partial_paths.txt
report corpus/everything.txt
critical-path corpus/everything.txt
hotspots corpus/everything.txt
wait-states corpus/everything.txt
monitor corpus/everything.txt
efficiency corpus/everything.txt
gains corpus/everything.txt
advise corpus/everything.txt
predict corpus/everything.txt
info traces/slow_rank-mpich.slk
predict traces/slow_rank-mpich.slk
report traces/slow_rank-mpich.slk
hotspots traces/slow_rank-mpich.slk
gains traces/slow_rank-mpich.slk
advise traces/slow_rank-mpich.slk
wait-states traces/slow_rank-mpich.slk
critical-path traces/slow_rank-mpich.slk
efficiency traces/slow_rank-mpich.slk
monitor traces/slow_rank-mpich.slk
tolerance traces/slow_rank-mpich.slk
sensitivity traces/slow_rank-mpich.slk
whatif traces/slow_rank-mpich.slk --set 'scale factor=0.5'
whatif traces/slow_rank-mpich.slk --set 'scale factor=1'
info traces/slow_rank-openmpi.slk
predict traces/slow_rank-openmpi.slk
report traces/slow_rank-openmpi.slk
hotspots traces/slow_rank-openmpi.slk
gains traces/slow_rank-openmpi.slk
advise traces/slow_rank-openmpi.slk
wait-states traces/slow_rank-openmpi.slk
critical-path traces/slow_rank-openmpi.slk
efficiency traces/slow_rank-openmpi.slk
monitor traces/slow_rank-openmpi.slk
tolerance traces/slow_rank-openmpi.slk
sensitivity traces/slow_rank-openmpi.slk
whatif traces/slow_rank-openmpi.slk --set 'scale factor=0.5'
whatif traces/slow_rank-openmpi.slk --set 'scale factor=1'
wait-states traces/slow_rank-openmpi.slk --on simulated --platform examples/platforms/fat-tree.toml
critical-path traces/slow_rank-openmpi.slk --on simulated --platform examples/platforms/fat-tree.toml
efficiency traces/slow_rank-openmpi.slk --on simulated --platform examples/platforms/fat-tree.toml
monitor traces/slow_rank-openmpi.slk --on simulated --platform examples/platforms/fat-tree.toml
wait-states traces/stencil2d.slk --on simulated --platform examples/platforms/fat-tree.toml
critical-path traces/stencil2d.slk --on simulated --platform examples/platforms/fat-tree.toml
wait-states traces/cg.slk --on simulated --platform examples/platforms/fat-tree.toml
critical-path traces/cg.slk --on simulated --platform examples/platforms/fat-tree.toml
efficiency traces/cg.slk --on simulated --platform examples/platforms/fat-tree.toml
monitor traces/cg.slk --on simulated --platform examples/platforms/fat-tree.toml
wait-states traces/slow_rank-mpich.slk --on predicted
critical-path traces/slow_rank-mpich.slk --on predicted
monitor traces/cg.slk
report traces/cg.slk
info traces/cg.slk --keep-clocks
hotspots traces/slow_rank-mpich.slk --on predicted
predict traces/stencil2d.slk -S unlimited --also traces/cg.slk --bootstrap 10
predict traces/stencil2d.slk --bootstrap 10
sensitivity traces/allreduce8.slk --compare allreduce=ring --scale traces/allreduce16.slk
sensitivity traces/cg.slk --also traces/cg-mpich.slk:dL=10us
sensitivity traces/cg.slk --samples 20
sensitivity traces/stencil2d.slk --ranks-per-node 2 --pairs
tolerance traces/stencil2d.slk --also traces/cg.slk --bootstrap 10
tolerance traces/stencil2d.slk --ranks-per-node 2
wait-states traces/stencil2d.slk --interval run
efficiency traces/stencil2d.slk inputs/running_example.txt
monitor traces/stencil2d.slk --interval run
simulate traces/stencil2d.slk --platform examples/platforms/fat-tree.toml --sweep bandwidth=1,2,latency=1,10
simulate traces/stencil2d.slk --platform examples/platforms/fat-tree.toml --reference-speed 1Gf
report traces/stencil2d.slk --platform examples/platforms/fat-tree.toml --links 4
report traces/stencil2d.slk --ranks-per-node 2
report traces/stencil2d.slk inputs/running_example.txt
platform show inputs/two_hosts.xml --route node-0 node-1
diff traces/unbalanced.slk traces/unbalanced-mpich.slk --on predicted
place traces/stencil2d.slk --ranks-per-node 2 --restarts 1
convert traces/stencil2d.slk out.slk --predicted --force
query traces/stencil2d.slk "SELECT NULL, 1, 1.5, 'text'"
""".split("\n")
# Commands that start jobs, with examples of the build tree, for the first MPI that is here. The program has the standard
# output, so the report goes to a file, but for a replay, which prints nothing else.
RUNS_OF_JOBS = """
simulate --platform examples/platforms/graphene.xml -n 4 --format json -o {report} -- {examples}/cg
simulate --platform examples/platforms/graphene.xml -n 4 --compute none --links 0 --format json -o {report} -- {examples}/stencil2d
calibrate -o machine.toml --seconds 2 --format json --report {report} -- {mpirun} -n 2
validate -o validation --machine machine.toml --latencies 0,20us --repeat 2 --format json --report {report} -- {mpirun} -n 2 {examples}/cg
replay traces/stencil2d.slk --format json -- {mpirun} -n 4
record --force -q --analyse -o {report} -- {mpirun} -n 2 {examples}/unbalanced
""".split("\n")
OF_RANDOM = ["info {t}", "predict {t}", "sensitivity {t}", "tolerance {t}", "critical-path {t}",
             "critical-path {t} --on predicted", "efficiency {t}", "efficiency {t} {u}", "wait-states {t}", "monitor {t}",
             "report {t}", "report {t} {u}", "gains {t}", "whatif {t} --set 'scale factor=0.5'"]
CHECKED_SEEDS = range(6)
HEAD = {"schema": "version of the JSON's shape", "version": "version of Slackline", "command": "the command",
        "title": "what the report is about", "options": "effective options, defaults included",
        "input": "what was read", "findings": "what was wrong, lost or guessed in the input",
        "result": "the answer for scripts"}


def random_program(seed):
    """A text trace in which every message is received: steps of computation, shifts around a ring and collectives."""
    draw = random.Random(seed)
    ranks = draw.randint(1, 6)
    lines = [[] for _ in range(ranks)]
    for step in range(draw.randint(1, 30)):
        for rank in range(ranks):
            lines[rank].append(f"compute {draw.randint(0, 20000)}")
        kind = draw.choice(["ring", "allreduce", "barrier", "none"])
        size = draw.choice([0, 8, 1024, 500000])
        if kind == "ring" and ranks > 1:
            for rank in range(ranks):
                shift = [f"send to={(rank + 1) % ranks} bytes={size}", f"recv from={(rank - 1) % ranks} bytes={size}"]
                lines[rank] += shift if rank % 2 == 0 else shift[::-1]
        elif kind == "allreduce":
            for rank in range(ranks):
                lines[rank].append(f"allreduce bytes={size}")
        elif kind == "barrier":
            for rank in range(ranks):
                lines[rank].append("barrier")
    text = f"slackline-trace 1 untimed ranks={ranks}\n"
    for rank in range(ranks):
        text += f"rank {rank}\n" + "".join(f"  {line}\n" for line in ["init", *lines[rank], "finalize"])
    return text


class Tool:
    """Runs commands in a folder that has the inputs of goldens, recorded traces and platforms."""

    def __init__(self, binary, source, folder):
        self.binary, self.folder = binary, pathlib.Path(folder)
        for name, to in (("traces", "examples/traces"), ("inputs", "test/golden/inputs"), ("corpus", "test/corpus"), ("examples", "examples")):
            os.symlink(source / to, self.folder / name)

    def json(self, line):
        done = subprocess.run([self.binary, *shlex.split(line), "--format", "json"], cwd=self.folder, text=True,
                              capture_output=True)
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr

    def json_of_job(self, line, mpi):
        file = self.folder / "report.json"
        file.unlink(missing_ok=True)
        words = line.format(report=file.name, examples=self.binary.parent / "examples" / mpi, mpirun=f"mpirun.{mpi}")
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1")
        done = subprocess.run([self.binary, *shlex.split(words)], cwd=self.folder, text=True, capture_output=True,
                              env=environment)
        if done.returncode != 0:
            return done.stderr
        return json.loads(file.read_text() if file.exists() else done.stdout)

    def mpi(self):
        """An MPI that the examples were built for, Open MPI first: with it, ranks that wait yield their processor. None
        if there is none."""
        found = (mpi for mpi in ("openmpi", "mpich") if (self.binary.parent / "examples" / mpi / "cg").exists())
        return next(found, None)

    def random_traces(self, seeds):
        """Names of traces, with and without timestamps."""
        names = []
        for seed in seeds:
            (self.folder / f"r{seed}.txt").write_text(random_program(seed))
            subprocess.run([self.binary, "convert", "--predicted", f"r{seed}.txt", f"t{seed}.slk", "-q"],
                           cwd=self.folder, check=True, capture_output=True)
            names += [f"r{seed}.txt", f"t{seed}.slk"]
        return names

    def outputs(self, seeds):
        """(command line, JSON) of all runs."""
        for line in filter(None, RUNS):
            yield line, self.json(line)
        mpi = self.mpi()
        for line in filter(None, RUNS_OF_JOBS if mpi is not None else []):
            yield line, self.json_of_job(line, mpi)
        names = self.random_traces(seeds)
        for one, other in zip(names, names[2:] + names[:2]):
            for template in OF_RANDOM:
                line = template.format(t=one, u=other)
                output = self.json(line)
                if isinstance(output, dict):  # an edit of nothing, efficiencies of an untimed trace
                    yield line, output


def goldens(source):
    """JSON that transcripts of commands show whole, without masks."""
    for golden in sorted((source / "test/golden").rglob("*.golden")):
        for match in re.finditer(r"^\$ (slackline [^|;\n]*--format json)\n(\{\n.*?^\}$)", golden.read_text(), re.M | re.S):
            if "***" not in match.group(2):
                yield match.group(1).removeprefix("slackline "), json.loads(match.group(2))


def type_of(value):
    for name, kind in (("null", type(None)), ("boolean", bool), ("integer", int), ("number", float), ("string", str),
                       ("array", list), ("object", dict)):
        if isinstance(value, kind):
            return name
    raise TypeError(value)


class Meanings:
    """What the keys mean, and which of them have no meaning or no use."""

    def __init__(self, source):
        lines = (source / "doc/schema/keys.txt").read_text().splitlines()
        self.texts = dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))
        self.missing, self.used = set(), set()

    def of(self, path, key):
        """Of a key at a place, as "query.result.rows"; a line for that place comes first."""
        place = f"{path}.{key}".replace(".", " ", 1)
        found = place if place in self.texts else key
        self.used.add(found)
        if found not in self.texts:
            self.missing.add(f"{key} ({path})")
        return self.texts.get(found, "")

    def complaints(self):
        for key in sorted(self.missing):
            yield f"doc/schema/keys.txt does not say what {key} means"
        for key in sorted(set(self.texts) - self.used):
            yield f"doc/schema/keys.txt says what {key} means, which no command writes"


def described(schema, meanings, path):
    """The schema with the meanings of keys, which are in alphabetical order."""
    found = dict(schema)
    if "properties" in schema:
        found["properties"] = {key: {"description": meanings.of(path, key), **described(inner, meanings, f"{path}.{key}")}
                               for key, inner in sorted(schema["properties"].items())}
        found["required"] = sorted(schema["required"])
    elif "additionalProperties" in schema:
        found["additionalProperties"] = described(schema["additionalProperties"], meanings, path + ".*")
    if "items" in schema:
        found["items"] = described(schema["items"], meanings, path + "[]")
    if "anyOf" in schema:
        found["anyOf"] = [described(inner, meanings, path) for inner in schema["anyOf"]]
    return found


def files_of(types, meanings):
    """The text of each command's file."""
    finding = {"name": "string", "severity": "string", "sentence": "string", "count": "integer", "examples": "array"}
    files = {}
    for command, parts in types.items():
        properties = {key: {"description": text, "type": "string"} for key, text in HEAD.items()}
        for key, schema in parts.items():
            properties[key] = {"description": HEAD[key], **described(schema, meanings, f"{command}.{key}")}
        properties["findings"] = {
            "description": HEAD["findings"], "type": "array",
            "items": {"type": "object", "required": sorted(finding), "additionalProperties": False,
                      "properties": {key: {"description": meanings.of(f"{command}.findings[]", key), "type": kind,
                                           **({"items": {"type": "string"}} if kind == "array" else {})}
                                     for key, kind in finding.items()}}}
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"slackline {command} --format json",
                  "type": "object", "properties": properties, "required": sorted(HEAD), "additionalProperties": False}
        files[f"{command}.json"] = json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
    return files


def complaints(value, schema, path):
    """What of `value` the schema does not allow; the keywords that the files use."""
    if "anyOf" in schema:
        yield from min((list(complaints(value, one, path)) for one in schema["anyOf"]), key=len)
        return
    kinds = schema.get("type")
    if kinds is not None:
        kinds = [kinds] if isinstance(kinds, str) else kinds
        kind = type_of(value)
        if kind not in kinds and not (kind == "integer" and "number" in kinds):
            yield f"{path} is {kind}, not {' or '.join(kinds)}"
            return
    if isinstance(value, dict):
        known, others = schema.get("properties", {}), schema.get("additionalProperties", {})
        for key in schema.get("required", []):
            if key not in value:
                yield f"{path} has no {key}"
        for key, inner in value.items():
            if key in known:
                yield from complaints(inner, known[key], f"{path}.{key}")
            elif others is False and "properties" in schema:
                yield f"{path}.{key} is not in the schema"
            elif isinstance(others, dict):
                yield from complaints(inner, others, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from complaints(inner, schema.get("items", {}), path + "[]")


def wrong_outputs(tool, source, files):
    """Counts what is printed, and says what of it the files do not allow."""
    found, count = [], 0
    schemas = {name: json.loads(text) for name, text in files.items()}
    for line, output in [*goldens(source), *tool.outputs(CHECKED_SEEDS)]:
        count += 1
        if isinstance(output, str):
            found.append(f"'slackline {line}' fails: {output}")
        elif f"{output['command']}.json" not in schemas:
            found.append(f"'slackline {line}' has no schema")
        else:
            schema = schemas[f"{output['command']}.json"]
            found += [f"slackline {line}: {text}" for text in complaints(output, schema, "")]
    return count, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    path = lambda text: pathlib.Path(text).resolve()
    parser.add_argument("--types", required=True, type=path)
    parser.add_argument("--source", required=True, type=path)
    parser.add_argument("--binary", type=path)
    parser.add_argument("--approve", action="store_true")
    arguments = parser.parse_args()
    folder = arguments.source / "doc/schema"
    types = json.loads(subprocess.run([arguments.types], check=True, capture_output=True, text=True).stdout)
    meanings = Meanings(arguments.source)
    files = files_of(types, meanings)
    found = list(meanings.complaints())
    if arguments.approve:
        for name, text in files.items():
            (folder / name).write_text(text)
        for file in folder.glob("*.json"):
            if file.name not in files:
                file.unlink()
        print("\n".join(found), end="\n" if found else "")
        return 1 if found else 0
    present = {file.name: file.read_text() for file in folder.glob("*.json")}
    for name in sorted(set(files) | set(present)):
        if files.get(name) != present.get(name):
            found.append(f"doc/schema/{name} is not what the types say; './dev approve' makes it anew")
    with tempfile.TemporaryDirectory() as scratch:
        count, wrong = wrong_outputs(Tool(arguments.binary, arguments.source, scratch), arguments.source, files)
    found += wrong
    print("\n".join(dict.fromkeys(found)) if found else f"the types, doc/schema and {count} outputs agree")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
