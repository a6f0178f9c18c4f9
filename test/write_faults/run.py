#!/usr/bin/env python3
"""Each write, rename, fsync, close and creation of a file fails in turn, with a full disk and with an I/O error, in every
command that writes. Afterwards the folder is as before or as after the command, never between the two, with nothing left
over; the exit status is 0 only where the new output is there; and a failure is one sentence.

    run.py --binary SLACKLINE --library PRELOADED --source FOLDER [--points N] [COMMAND...]

With --points about so many, evenly spread; without, all of them, each with both errors."""
import argparse
import concurrent.futures
import errno
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

SECONDS = 60
FORMATS = {"native": "o.slk", "text": "o.txt", "goal": "o.goal", "goal-binary": "o.bin", "otf2": "o.otf2", "perfetto": "o.pftrace",
           "chrome": "o.json", "csv": "o.csv", "paraver": "o.prv", "arrow": "o.arrow", "sqlite": "o.sqlite", "ti": "o.ti",
           "cube": "o.cubex", "hatchet": "o.hatchet"}
# {trace}: one of two, so that the old output is another one than the new.
COMMANDS = [
    *(f"convert {{trace}} {file} --to {form} --force" for form, file in FORMATS.items()),
    *(f"report {{trace}} -o o.{extension}" for extension in ("html", "json", "txt", "csv", "md")),
    "report {trace} -o o.html --summary s.json", "report {trace} -o o.html --summary s.sqlite", "report {trace} --summary s.json",
    "view {trace} --no-open -o o.html", "print {trace} -o o.txt", "query {trace} SELECT+*+FROM+calls -o o.csv",
    "whatif {trace} --set balance -o o.json", "whatif {trace} --set balance --save o.slk -o o.json",
    "whatif {trace} --set balance --save o.prv", "diff {trace} {other} -o o.json",
    "calibrate --samples {samples} -o m.toml --report r.json", "history {summaries} -o o.html --badge b.svg --runs r.sqlite",
    "simulate {trace} --platform {platform} --map cyclic:2 --timed t.slk --actions a.ti -o o.json",
    "place {trace} --ranks-per-node 1 --openmpi a --mpich b --slurm c -o o.json", "replay {trace} --export o.skeleton",
    "platform show {platform} -o o.json", "efficiency {trace} --extra-p e.txt -o o.json", "predict {trace} --linear-program o.lp -o o.json",
    *(f"{command} {{trace}} -o o.json" for command in ("info", "waits", "path", "phases", "tolerance", "advise", "gains")),
]
ERRORS = (errno.ENOSPC, errno.EIO)


def contents(folder):
    """Every name below the folder, with what is behind it."""
    found = {}
    for at, folders, files in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(at, name), folder) + "/"] = ""
        for name in files:
            path = os.path.join(at, name)
            with open(path, "rb") as file:
                content = file.read()
            if name.endswith(".otf2"):  # the archive's identity is drawn anew each time
                content = content[:-19] + content[-11:]
            found[os.path.relpath(path, folder)] = hashlib.sha256(content).hexdigest()
    return found


class Trial:
    """One command with its old output (None: nothing stands there), in a folder of its own."""

    def __init__(self, options, scratch, template, old):
        self.options, self.template, self.old = options, template, old
        self.base = tempfile.mkdtemp(dir=scratch)
        traces = os.path.join(options.source, "examples/traces")
        inputs = os.path.join(options.source, "test/golden/inputs")
        self.values = {"old": os.path.join(traces, "cg-mpich.slk"), "new": os.path.join(traces, "unbalanced.slk"),
                       "platform": os.path.join(inputs, "two_hosts.xml"), "samples": os.path.join(inputs, "calibration.samples"),
                       "summaries": os.path.join(scratch, "summaries")}
        self.count = 0
        self.before = self.after = None

    def run(self, folder, trace, **environment):
        words = [word.replace("+", " ").format(trace=self.values[trace], other=self.values["old"], **self.values)
                 for word in self.template.split()]
        more = {"HOME": self.base, "TMPDIR": os.path.join(self.base, "tmp"), "XDG_CACHE_HOME": os.path.join(self.base, "cache"), **environment}
        for name in ("tmp", "cache"):
            os.makedirs(os.path.join(self.base, name), exist_ok=True)
        return subprocess.run([self.options.binary, *words], cwd=folder, env={**os.environ, **more}, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=SECONDS, check=False)

    def fresh(self):
        """The folder of the command, always of one name, which may stand in its output."""
        folder, kept = os.path.join(self.base, "work"), os.path.join(self.base, "kept")
        if self.old and not os.path.exists(kept):
            os.mkdir(kept)
            self.must(self.run(kept, "old"))
        shutil.rmtree(folder, ignore_errors=True)
        if not self.old:
            os.mkdir(folder)
            return folder
        shutil.copytree(kept, folder)
        if self.old == "linked":
            names = [name for name in os.listdir(folder) if os.path.isfile(os.path.join(folder, name))]
            os.mkdir(os.path.join(folder, "links"))
            for name in names:
                os.link(os.path.join(folder, name), os.path.join(folder, "links", name))
        return folder

    def must(self, done):
        if done.returncode not in (0, 3):
            sys.exit(f"slackline {self.template}: {done.returncode}: {done.stderr.decode()}")

    def prepare(self):
        """What is before and after, and how many calls may fail."""
        folder = self.fresh()
        self.before = contents(folder)
        log = os.path.join(self.base, "log")
        self.must(self.run(folder, "new", LD_PRELOAD=self.options.library, FAULT_LOG=log))
        self.after = contents(folder)
        with open(log, encoding="ascii") as file:
            self.count = len(file.read())
        os.remove(log)
        return self

    def point(self, at, error):
        """What is wrong if call number `at` fails with `error`; None if nothing is."""
        folder = self.fresh()
        done = self.run(folder, "new", LD_PRELOAD=self.options.library, FAULT_AT=str(at), FAULT_ERRNO=str(error))
        found = contents(folder)
        text = done.stderr.decode(errors="replace")
        wrong = []
        if found == self.before and self.before != self.after:
            if done.returncode == 0:
                wrong.append("status 0 without the new output")
        elif found != self.after:
            changed = sorted(name for name in {*found, *self.before, *self.after}
                             if not found.get(name) == self.before.get(name) == self.after.get(name))
            states = {name: "missing" if name not in found else "old" if found[name] == self.before.get(name) else
                      "new" if found[name] == self.after.get(name) else "other" for name in changed}
            wrong.append(f"neither old nor new: {states}")
        if done.returncode not in (0, 1, 3) or "defect of Slackline" in text:
            wrong.append(f"status {done.returncode}: {text[-300:]!r}")
        if done.returncode == 1 and not (text.startswith("slackline: ") and text.rstrip().endswith(".")):
            wrong.append(f"no sentence: {text[-300:]!r}")
        left = [name for name in [*os.listdir(self.base + "/tmp"), *contents(self.base + "/cache")] if ".part-" in name or "slackline" in name[:9]]
        left = [name for name in left if not name.endswith("/")]
        if left:
            wrong.append(f"left over: {left}")
        if not wrong:
            return None
        old = {None: "nothing", "plain": "an old output", "linked": "an old output with another name"}[self.old]
        return f"slackline {self.template} over {old}, call {at} of {self.count}, {errno.errorcode[error]}: {'; '.join(wrong)}"

    def points(self, chosen):
        failures = [found for at, error in chosen if (found := self.point(at, error))]
        shutil.rmtree(self.base, ignore_errors=True)
        return failures


def main():
    parser = argparse.ArgumentParser()
    for name in ("--binary", "--library", "--source"):
        parser.add_argument(name, required=True, type=os.path.abspath)
    parser.add_argument("--points", type=int)
    parser.add_argument("commands", nargs="*")
    options = parser.parse_args()
    scratch = tempfile.mkdtemp(prefix="slackline-faults-")
    failures = []
    try:
        os.mkdir(os.path.join(scratch, "summaries"))
        for name, trace in (("a", "unbalanced.slk"), ("b", "unbalanced-mpich.slk")):
            subprocess.run([options.binary, "report", os.path.join(options.source, "examples/traces", trace), "--summary",
                            os.path.join(scratch, "summaries", name + ".json")], check=True, stdout=subprocess.DEVNULL)
        wanted = [template for template in COMMANDS if not options.commands or template.split()[0] in options.commands]
        olds = (None, "plain", "linked")
        trials = [Trial(options, scratch, template, old) for template in wanted for old in olds]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            trials = list(pool.map(Trial.prepare, trials))
            every = [(trial, at, ERRORS) for trial in trials for at in range(1, trial.count + 1)]
            # Odd, as what repeats in a command has mostly an even number of calls; a point has one error, or both.
            step = max(1, len(every) // options.points) | 1 if options.points else 1
            chosen = {}
            for i, (trial, at, errors) in enumerate(every):
                if i % step == 0:
                    chosen.setdefault(trial, []).extend((at, error) for error in (errors if step == 1 else errors[i // step % 2:][:1]))
            count = sum(map(len, chosen.values()))
            for found in pool.map(lambda trial: trial.points(chosen.get(trial, [])), trials):
                failures += found
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print("\n".join([*failures, f"{count} of {len(every) * len(ERRORS)} points, {len(failures)} failures"]))
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
