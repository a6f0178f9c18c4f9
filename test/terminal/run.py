#!/usr/bin/env python3
"""Every command on a terminal of 80 and of 200 columns, with each choice of colours, on a trace whose names and path try to
steer the terminal: what a terminal obeys comes from Slackline's own colours only, and every line fits.

    run.py --binary SLACKLINE --source FOLDER [COMMAND...]

Without COMMAND all of `slackline --help`, so that a new command needs a line here."""
import argparse
import concurrent.futures
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata

SECONDS = 60
# Title, cursor, bell, C1 introducer, right-to-left override and a line break; and no blank where a line could be broken.
HOSTILE = "x\x1b]0;owned\x07\x1b[5;5H\x9b2J\u202e" + "very_long_name_" * 8
# Behind a command's name. {trace}: the hostile one; {plain}: one of a recording.
WORDS = {
    "record": ["--finish", "{folder}/no\x1b[5;5Hsuch"], "demo": ["--recorded", "-o", "{folder}/demo"],
    "preload": ["-o", "{folder}/new"], "top": ["--once", "{folder}/no\x1b[5;5Hsuch"],
    "query": ["{trace}", "SELECT name FROM regions"], "convert": ["{trace}", "{folder}/out.slk"],
    "sensitivity": ["{trace}", "--from", "0us", "--to", "10us"], "simulate": ["{trace}", "--platform", "{platform}"],
    "place": ["{trace}", "--ranks-per-node", "1"], "whatif": ["{trace}", "--set", "balance"],
    "replay": ["{trace}", "--print-command", "--folder", "{folder}/replay", "--", "mpirun", "-n", "2"],
    "diff": ["{trace}", "{plain}"], "check": ["{summaries}/a.json", "{summaries}/b.json"], "history": ["{summaries}"],
    "calibrate": ["--samples", "{samples}", "-o", "{folder}/machine.toml"],
    "inject": ["--latency", "1us", "--", "{folder}/no\x1b[5;5Hsuch"], "validate": ["-o", "{folder}/v", "--", "false"],
    "platform": ["show", "{platform}"], "completion": ["bash"], "view": ["{trace}", "--no-open", "-o", "{folder}/v.html"],
}
# More of one command, that has other words than the first.
MORE = [("convert", ["{trace}", "-", "--to", "text"]), ("convert", ["{trace}", "-", "--to", "chrome"]), ("report", ["{plain}"]),
        ("report", ["{plain}", "--all"]), ("report", ["{trace}", "--all"]), ("info", ["{plain}"]),
        ("query", ["{trace}", "SELECT * FROM calls JOIN regions"]), ("info", ["{folder}/no\x1b[5;5Hsuch"]), ("report", ["{trace}", "{plain}"]),
        *((command, [trace, "--format", form]) for command in ("report", "info", "waits")
          for trace in ("{trace}",) for form in ("json", "csv", "markdown", "html"))]
# Lines as long as what is in them: data, scripts, commands for a shell, formats for programs.
ANY_WIDTH = {"print", "completion", "preload", "replay", "demo"}
OWN_CODE = re.compile(r"\x1b\[(?:[0-9;]*m|K|J|[0-9]+A)")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def columns_of(line):
    """Twice as many for East Asian characters, none for marks."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def on_terminal(words, columns, environment):
    """The bytes that a terminal gets, and the exit status."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=follower, stderr=follower, env=environment)
    os.close(follower)
    written = b""
    try:
        while piece := os.read(leader, 1 << 16):
            written += piece
    except OSError:  # what a terminal without programs gives
        pass
    os.close(leader)
    return written, process.wait(timeout=SECONDS)


def hostile_characters(text):
    """What a terminal would obey that is not among Slackline's own codes."""
    rest = OWN_CODE.sub("", text).replace("\r\n", "\n")
    rest = re.sub(r"^.*\r", "", rest, flags=re.MULTILINE)  # progress, drawn over
    return sorted({hex(ord(c)) for c in rest if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")})


def defects(name, words, columns, written, status, coloured):
    text = written.decode(errors="surrogateescape")
    if status not in (0, 1, 2, 3):
        yield f"status {status}"
    if not text:
        yield "nothing"
    if "defect of Slackline" in text:
        yield "a defect"
    if "html" not in words and re.search(r"(?<!\x1b)\[(?:[0-9]{1,2}|1;[0-9]{2})m", text):
        yield "a colour without its ESC"
    if hostile := hostile_characters(text):
        yield f"characters that steer the terminal: {hostile}"
    if coloured is not None and status == 0 and bool(COLOUR.search(text)) != coloured:
        yield "colours" if not coloured else "no colours"
    is_text = "--format" not in words and "--to" not in words
    if name in ANY_WIDTH or not is_text or status != 0:
        return
    for line in text.replace("\r\n", "\n").split("\n"):
        line = OWN_CODE.sub("", line.rsplit("\r", 1)[-1])
        if columns_of(line) > columns and not line.startswith(("Written to ", "slackline: ")):
            yield f"{columns_of(line)} columns: {line!r}"
            return


class Trial:
    def __init__(self, binary, source):
        self.binary = binary
        self.folder = tempfile.mkdtemp(prefix="slackline-terminal-")
        inputs = os.path.join(source, "test/golden/inputs")
        self.values = {"folder": self.folder, "trace": os.path.join(self.folder, "names\x1b[5;5H.txt"),
                       "plain": os.path.join(source, "examples/traces/unbalanced.slk"), "platform": os.path.join(inputs, "two_hosts.xml"),
                       "samples": os.path.join(inputs, "calibration.samples"), "summaries": os.path.join(self.folder, "summaries")}
        self.environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "TERM", "BROWSER", "DISPLAY")}
        self.environment["TERM"] = "xterm"
        self.make_inputs()

    def make_inputs(self):
        quoted = "".join(f"\\x{b:02x}" if b < 32 else chr(b) for b in HOSTILE.encode("latin-1", "ignore"))
        with open(self.values["trace"], "w", encoding="utf-8", newline="") as file:
            file.write(f"""slackline-trace 1 timed ranks=2
info program="{quoted}" mpi="{quoted}"
region 0 "{quoted}\u202e\\nsecond"
frame 1 0 "{quoted}" file="{quoted}.c" line=3
""")
            for rank, peer, call in ((0, "to=1", "send"), (1, "from=0", "recv")):
                file.write(f"""rank {rank} host="{quoted}{rank}"
  @0 +100 init
  @150 enter 0
  @{1200 + 400000 * rank} +500000 {call} {peer} bytes=8 frame=1
  @900000 +50 barrier
  @900100 leave 0
  @990000 +10 finalize
""")
        os.mkdir(self.values["summaries"])
        for name in "ab":
            subprocess.run([self.binary, "report", self.values["trace"], "--summary", f"{self.values['summaries']}/{name}.json"],
                           check=True, stdout=subprocess.DEVNULL)

    def run(self, name, template, columns, colours):
        """colours: the words that choose them, more environment, and whether there are any (None: either)."""
        option, more, coloured = colours
        words = [word.format(**self.values) for word in template]
        if option and "--" in words:
            words[words.index("--"):words.index("--")] = option
        else:
            words += option
        written, status = on_terminal([self.binary, name, *words], columns, {**self.environment, **more})
        shown = " ".join([name, *words]).encode(errors="replace")
        return [f"{columns} columns, {more}: slackline {shown!r}: {what}"
                for what in defects(name, words, columns, written, status, coloured)]

    def runs(self, chosen):
        named = subprocess.run([self.binary, "--help"], capture_output=True, text=True, check=True).stdout
        commands = re.findall(r"^(?:[A-Z][a-z]+)? +([a-z]+)  ", named, re.MULTILINE)
        missing = [name for name in WORDS if name not in commands]
        if missing or len(commands) < 30:
            sys.exit(f"not among the commands of --help: {missing}")
        for name, template in [*((name, WORDS.get(name, ["{trace}"])) for name in commands), *MORE]:
            if chosen and name not in chosen:
                continue
            has_colours = "--colour" in subprocess.run([self.binary, name, "--help"], capture_output=True, text=True, check=True).stdout
            reports = has_colours and "--format" not in template and name not in ("top", "check")
            on = True if reports and name not in ("view", "record", "inject", "validate", "platform", "replay") else None
            for columns in (80, 200):
                yield name, template, columns, ([], {}, on)
            yield name, template, 80, ([], {"NO_COLOR": "1"}, False)
            yield name, template, 80, ([], {"TERM": "dumb"}, False)
            if has_colours:
                yield name, template, 80, (["--colour", "always"], {"NO_COLOR": "1"}, on)
                yield name, template, 80, (["--colour", "never"], {}, False)

    def end(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=os.path.abspath)
    parser.add_argument("--source", required=True, type=os.path.abspath)
    parser.add_argument("commands", nargs="*")
    options = parser.parse_args()
    trial = Trial(options.binary, options.source)
    failures = []
    try:
        runs = list(trial.runs(options.commands))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for found in pool.map(lambda run: trial.run(*run), runs):
                failures += found
    finally:
        trial.end()
    print("\n".join([*failures, f"{len(runs)} runs, {len(failures)} failures"]))
    return 1 if failures or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
