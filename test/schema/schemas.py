#!/usr/bin/env python3
"""The JSON Schema files of doc/schema: one for each command that writes JSON.

usage: schemas.py --binary SLACKLINE --source TREE            validate output against the files
       schemas.py --binary SLACKLINE --source TREE --approve  write the files anew

A file is made from what the command prints for the runs below and from doc/schema/keys.txt, in which every key has its
meaning; a key without one is an error. Validation takes the same runs, the goldens' JSON, and random programs with other
seeds: a key that the file does not have, a type that it does not allow and a key that is missing are errors.
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
monitor traces/stencil2d.slk --on simulated --platform examples/platforms/fat-tree.toml
place traces/stencil2d.slk --topology fat-tree:k=4,tiers=2 --ranks-per-node 2
whatif traces/unbalanced.slk --set 'balance region=assemble'
whatif traces/stencil2d.slk --set 'scale factor=0.5'
gains traces/unbalanced.slk
advise traces/unbalanced.slk
place traces/cg.slk --ranks-per-node 2 --placement cyclic
diff traces/unbalanced.slk traces/stencil2d.slk
diff traces/unbalanced.slk traces/unbalanced-mpich.slk --more-a traces/cg.slk --more-b traces/cg-mpich.slk
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
APPROVED_SEEDS = range(100, 112)
CHECKED_SEEDS = range(6)

# Objects whose keys are data: names of operations, ranks, parts of a network.
MAPS = re.compile(r"\.(pairs_of_ranks\.(latency_ns|gap_ns_per_byte)|times_ns|ratios|operations_ns|activities_ns|gain_ns"
                  r"|rank_compute_ns|rank_waiting_ns|simulation\.options|network_parts\[\]\.values|base|regions\[\]\.(border|sides)\[\])$"
                  r"|^result\.(report|whatif)\.waiting_ns$")
# Keys that have null where something is not known, whether or not the runs above show it.
NULLABLE = re.compile(r"\.diagnosis(\.alternatives\[\])?\.(function|file|line|operation)$")
# Numbers that have null where something is not known, whether or not the runs above show them.
NUMBERS = re.compile(r"^validate\.result\.tolerance\[\]\.(measured|predicted)_(low_|high_)?ns$")
# Keys that are not always there: a computation by CPU time only where ranks shared processors.
OPTIONAL = {"convert.result": ["bytes"],  # not of a stream
            "validate.options": ["computation"], "replay.options": ["computation"]}
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
        """The MPI that the examples were built for first; None if they were not built."""
        found = (mpi for mpi in ("mpich", "openmpi") if (self.binary.parent / "examples" / mpi / "cg").exists())
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


class Shape:
    """What values were seen in one place."""

    def __init__(self):
        self.types, self.keys, self.items, self.seen, self.map = set(), {}, None, 0, False

    @staticmethod
    def of_text():
        shape = Shape()
        shape.add("", "")
        return shape

    def add(self, value, path):
        self.types.add(type_of(value))
        if isinstance(value, dict):
            self.seen += 1
            self.map = self.map or bool(MAPS.search(path))
            for key, inner in value.items():
                shape, count = self.keys.get(key, (Shape(), 0))
                shape.add(inner, f"{path}.{key}")
                self.keys[key] = (shape, count + 1)
        elif isinstance(value, list):
            self.items = self.items or Shape()
            for inner in value:
                self.items.add(inner, path + "[]")

    def schema(self, meanings, missing, path):
        types = set(self.types)
        if NULLABLE.search(path):
            types |= {"null", "integer" if path.endswith(".line") else "string"}
        if NUMBERS.search(path):
            types.add("number")
        if "number" in types:  # not-a-number is null
            types = types - {"integer"} | {"null"}
        if types == {"null"}:
            return {}
        found = {"type": sorted(types)[0] if len(types) == 1 else sorted(types)}
        if "object" in types and self.map:
            inner = Shape()
            for shape, _ in self.keys.values():
                inner.merge(shape)
            found["additionalProperties"] = inner.schema(meanings, missing, path + ".*")
        elif "object" in types:
            found["properties"] = {}
            for key in OPTIONAL.get(path, ()):
                self.keys.setdefault(key, (Shape.of_text(), 0))
            for key, (shape, _) in sorted(self.keys.items()):
                meaning = meanings.get(f"{path}.{key}".replace(".", " ", 1), meanings.get(key, ""))
                if not meaning:
                    missing.add(f"{key} ({path})")
                found["properties"][key] = {"description": meaning,
                                            **shape.schema(meanings, missing, f"{path}.{key}")}
            found["required"] = sorted(k for k, (_, count) in self.keys.items()
                                       if count == self.seen and k not in OPTIONAL.get(path, ()))
            found["additionalProperties"] = False
        if "array" in types and self.items and self.items.types:
            found["items"] = self.items.schema(meanings, missing, path + "[]")
        return found

    def merge(self, other):
        self.types |= other.types
        self.seen += other.seen
        self.map = self.map or other.map
        for key, (shape, count) in other.keys.items():
            mine, mine_count = self.keys.get(key, (Shape(), 0))
            mine.merge(shape)
            self.keys[key] = (mine, mine_count + count)
        if other.items:
            self.items = self.items or Shape()
            self.items.merge(other.items)


def meanings_of(source):
    lines = (source / "doc/schema/keys.txt").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def made(outputs, source):
    """The schemas by command, and the keys that have no meaning."""
    shapes, missing = {}, set()
    for line, output in outputs:
        if isinstance(output, str):
            raise SystemExit(f"'slackline {line}' fails: {output}")
        command = output["command"]
        shape = shapes.setdefault(command, {key: Shape() for key in ("options", "input", "result")})
        for key, part in shape.items():
            part.add(output[key], f"{key}.{command}")
    meanings = meanings_of(source)
    schemas = {}
    for command, parts in shapes.items():
        properties = {key: {"description": text, "type": "string"} for key, text in HEAD.items()}
        for key, shape in parts.items():
            properties[key] = {"description": HEAD[key], **shape.schema(meanings, missing, f"{command}.{key}")}
        finding = {"name": "string", "severity": "string", "sentence": "string", "count": "integer", "examples": "array"}
        properties["findings"] = {
            "description": HEAD["findings"], "type": "array",
            "items": {"type": "object", "required": sorted(finding), "additionalProperties": False,
                      "properties": {key: {"description": meanings[key], "type": kind,
                                           **({"items": {"type": "string"}} if kind == "array" else {})}
                                     for key, kind in finding.items()}}}
        schemas[command] = {"$schema": "https://json-schema.org/draft/2020-12/schema",
                            "title": f"slackline {command} --format json", "type": "object", "properties": properties,
                            "required": sorted(HEAD), "additionalProperties": False}
    return schemas, missing


def complaints(value, schema, path):
    """What of `value` the schema does not allow; the keywords that the files use."""
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--source", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--approve", action="store_true")
    arguments = parser.parse_args()
    folder = arguments.source / "doc/schema"
    with tempfile.TemporaryDirectory() as scratch:
        tool = Tool(arguments.binary, arguments.source, scratch)
        if arguments.approve:
            schemas, missing = made(tool.outputs(APPROVED_SEEDS), arguments.source)
            for key in sorted(missing):
                print(f"doc/schema/keys.txt does not say what {key} means")
            for command, schema in schemas.items():
                (folder / f"{command}.json").write_text(json.dumps(schema, indent=1, ensure_ascii=False) + "\n")
            return 1 if missing else 0
        found, count = [], 0
        for line, output in [*goldens(arguments.source), *tool.outputs(CHECKED_SEEDS)]:
            if isinstance(output, str):
                found.append(f"'slackline {line}' fails: {output}")
                continue
            count += 1
            file = folder / f"{output['command']}.json"
            if not file.exists():
                found.append(f"{file} is missing")
                continue
            found += [f"slackline {line}: {text}" for text in complaints(output, json.loads(file.read_text()), "")]
    for file in sorted(folder.glob("*.json")):
        for path, key in undescribed(json.loads(file.read_text()), ""):
            found.append(f"{file.name}: {path}.{key} has no description")
    print("\n".join(dict.fromkeys(found)) if found else f"{count} outputs are as doc/schema says")
    return 1 if found else 0


def undescribed(schema, path):
    for key, inner in schema.get("properties", {}).items():
        if not inner.get("description"):
            yield path, key
        yield from undescribed(inner, f"{path}.{key}")
    for other in ("items", "additionalProperties"):
        if isinstance(schema.get(other), dict):
            yield from undescribed(schema[other], path + "[]")


if __name__ == "__main__":
    sys.exit(main())
