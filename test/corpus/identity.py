#!/usr/bin/env python3
"""What changes nothing changes nothing: an edit by the factor 1, a conversion out and back, and a simulated run that is
written and read, CPU times and call paths included.

    identity.py --slackline BINARY [TRACE...]

Compared is what `slackline print` and `slackline predict` say. Where a format cannot hold something, `convert` has to say
so. Without TRACE: the example traces, and a program with everything that a trace may hold."""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from printed_trace import call_words  # noqa: E402

SOURCE = os.path.dirname(os.path.dirname(HERE))
PLATFORM = os.path.join(SOURCE, "examples", "platforms", "fat-tree.toml")


class Identity:
    def __init__(self, slackline, trace, folder):
        self.slackline, self.trace, self.folder = slackline, trace, folder
        self.failures = []
        self.count = 0

    def check(self, holds, what):
        self.count += 1
        if not holds:
            self.failures.append(f"{os.path.relpath(self.trace)}: {what}")
        return holds

    def run(self, *words):
        ran = subprocess.run([self.slackline, *words], capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            self.check(False, f"'{' '.join(words)}' ends with {ran.returncode}: {ran.stderr.strip()[-200:]}")
            return None
        return ran.stdout

    def answer(self, *words):
        text = self.run(*words, "--format", "json")
        return None if text is None else json.loads(text)

    def text(self, path):
        return self.run("print", path) or ""

    def predicted(self, path, *more):
        answer = self.answer("predict", path, *more)
        return answer["result"]["makespan_ns"] if answer else None

    def path(self, name):
        return os.path.join(self.folder, name)

    def same_lines(self, how, expected, found):
        pairs = zip(expected.splitlines(), found.splitlines())
        first = next((f"'{a}' became '{b}'" for a, b in pairs if a != b), "lines are missing")
        self.check(expected == found, f"{how} changes the trace: {first}")

    def edited(self):
        saved = self.path("edited.slk")
        answer = self.answer("whatif", self.trace, "--set", "scale factor=1", "--save", saved)
        if answer is None:
            return
        result = answer["result"]
        self.check(result["before"] == result["after"], f"an edit by 1 makes {result['before']} {result['after']}")
        for computation in ("auto", "wall"):
            self.check(self.predicted(self.trace, "--computation", computation) ==
                       self.predicted(saved, "--computation", computation),
                       f"the program saved after an edit by 1 is predicted otherwise ({computation} time)")
        original, again = self.text(self.trace), self.text(saved)
        self.same_lines("an edit by 1", calls_of(original), calls_of(again))
        self.check(paused(original) == paused(again), "an edit by 1 changes the time off the processor or blocked")

    def converted(self):
        original = self.text(self.trace)
        expected = self.predicted(self.trace)
        for suffix in ("slk", "txt", "otf2", "prv"):
            out = self.path("back." + suffix)
            answer = self.answer("convert", self.trace, out)
            if answer is None:
                continue
            said = {finding["name"] for finding in answer["findings"]}
            found = self.text(out)
            if suffix in ("slk", "txt"):
                self.same_lines(f"{suffix} and back", original, found)
            elif set(facts(original)) - set(facts(found)):
                lost = ", ".join(sorted(set(facts(original)) - set(facts(found))))
                self.check("facts_left_out" in said, f"{suffix} loses {lost}, and convert does not say it")
            self.check(self.predicted(out) == expected or said & {"prediction_differs", "cpu_time_lost"},
                       f"{suffix} and back predicts {self.predicted(out)} instead of {expected} ns")

    def simulated(self):
        timed = self.path("timed.slk")
        answer = self.answer("simulate", self.trace, "--platform", PLATFORM, "--timed", timed)
        if answer is None:
            return
        info = self.answer("info", timed)
        lost = [f["name"] for f in (info or {}).get("findings", []) if f["severity"] == "data loss"]
        known = [f["name"] for f in self.answer("info", self.trace)["findings"]]
        self.check(set(lost) <= set(known), f"a simulated run is damaged: {lost}")
        original, again = self.text(self.trace), self.text(timed)
        self.same_lines("a simulation", calls_of(original), calls_of(again))
        self.check(facts(original) == facts(again), f"a simulated run has {facts(again)} instead of {facts(original)}")
        for command in ("wait-states", "critical-path"):
            from_file = self.answer(command, timed)
            at_once = self.answer(command, self.trace, "--on", "simulated", "--platform", PLATFORM)
            if from_file and at_once:
                ours, theirs = from_file["result"], at_once["result"]
                for result in (ours, theirs):
                    result.pop("on", None)
                self.check(ours == theirs, f"{command} of the simulated run differs once it is written and read")
            title = json.dumps(at_once)
            self.check("(measured" not in title, f"{command} --on simulated says measured")


def calls_of(text):
    """The lines of calls and regions without times, by rank; and where each call stands in the code."""
    kept = []
    for line in text.splitlines():
        if line.startswith("rank ") or re.match(r"^(comm|frame|region) ", line):
            kept.append(re.sub(r" (start|stop)=-?\d+", "", line))
        elif call_words(line) or re.match(r"  (@\S+ )?(enter|leave) ", line):
            kept.append(re.sub(r"^  (@\S+ )?(\+\d+ )?", "  ", line))
    return "\n".join(kept)


def paused(text):
    """The lengths of pauses but for the recorder's, which an edited program has for each call and a recording by
    operation: that they are the same time is seen in what both predict."""
    return sorted(re.findall(r"\+(\d+ pause\b(?! recording).*)", text))


def facts(text):
    """What a trace holds beside its calls, and how much of it."""
    found = {"call paths": len(re.findall(r" frame=[1-9]", text)),
             "samples": len(re.findall(r"^ +@-?\d+ sample\b", text, re.M)),
             "counters": len(re.findall(r"^counter ", text, re.M)),
             "times off the processor": len(re.findall(r"^ +(?:@\S+ \+\d+ )?pause\b", text, re.M))}
    return {name: count for name, count in found.items() if count}


def laws(slackline, trace):
    """All of them for one trace: how many were checked, and what does not hold."""
    with tempfile.TemporaryDirectory(prefix="slackline-identity-") as folder:
        identity = Identity(slackline, trace, folder)
        for law in (identity.edited, identity.converted, identity.simulated):
            law()
        return identity.count, identity.failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slackline", required=True, type=os.path.abspath)
    parser.add_argument("traces", nargs="*")
    options = parser.parse_args()
    traces = options.traces or [*sorted(glob.glob(os.path.join(SOURCE, "examples", "traces", "*.slk"))),
                                os.path.join(HERE, "everything.txt")]
    count = failed = 0
    for trace in traces:
        checked, failures = laws(options.slackline, trace)
        count, failed = count + checked, failed + len(failures)
        for failure in failures:
            print(failure[:500])
    print(f"{count} checks, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
