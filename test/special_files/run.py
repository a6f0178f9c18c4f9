#!/usr/bin/env python3
"""Every command, as root in a container, with every kind of file as its output and as its input:
none may harm a device, wait for ever, or end by a signal.

    run.py --binary SLACKLINE --source FOLDER

The container is a mount namespace with a /dev of its own, made of device nodes as a container image
has them, so that a broken program harms nothing else. Exit status 77: that is not permitted here."""
import argparse
import fcntl
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import threading

SKIPPED = 77
SECONDS = 60
PRECIOUS = "precious\n"
INSIDE = "SLACKLINE_SPECIAL_FILES_INSIDE"

# {trace}: a trace. Every command with all of its outputs, and a name that they take.
OUTPUTS = {
    "print": ["print {trace} -o {out}"],
    "query": ["query {trace} -o {out} {sql}"],
    "convert": [f"convert {{trace}} {{out}} --to {form}" for form in
                ("native", "text", "goal", "goal-binary", "otf2", "perfetto", "chrome", "csv", "paraver", "arrow",
                 "sqlite", "ti")] + ["convert {trace} {out} --to native --force",
                                     "convert {trace} {out} --to paraver --force"],
    "simulate": ["simulate {trace} --platform {platform} --timed {out}",
                 "simulate {trace} --platform {platform} --actions {out}",
                 "simulate {trace} --platform {platform} -o {out}"],
    "place": [f"place {{trace}} --ranks-per-node 1 --{option} {{out}}"
              for option in ("openmpi", "mpich", "slurm", "output")],
    "whatif": ["whatif {trace} --set balance --save {out}", "whatif {trace} --set balance -o {out}"],
    "replay": ["replay {trace} --export {out}", "replay {trace} -o {out} -- mpirun -n 2",
               "replay {trace} --print-command --folder {out} -- mpirun -n 2"],
    "calibrate": ["calibrate -o {out} --samples {samples}",
                  "calibrate -o new.toml --samples {samples} --report {out}"],
    "record": ["record -o {out} -- true", "record --force -o {out} -- true",
               "record --analyse -o {out} -- true", "record --finish {trace} -o {out}",
               "record --finish {out}"],
    "preload": ["preload -o {out}"],
    "validate": ["validate -o {out} -- true", "validate --report {out} -o measured -- true"],
    "view": ["view {trace} --no-open -o {out}"],
    "demo": ["demo --recorded -o {out}"],
    "platform": ["platform show {platform} -o {out}"],
    "diff": ["diff {trace} {trace} -o {out}"],
    "inject": [],  # writes nothing
    "completion": [],
}
INPUTS = {
    "simulate": ["simulate {file} --platform {platform}", "simulate {trace} --platform {file}"],
    "platform": ["platform show {file}"],
    "whatif": ["whatif {file} --set balance", "whatif {trace} {file}"],
    "convert": ["convert {file} new.slk"],
    "place": ["place {file} --ranks-per-node 1", "place {trace} --ranks-per-node 1 --hosts {file}"],
    "predict": ["predict {file}", "predict {trace} --machine {file}"],
    "replay": ["replay {file} --export new.skeleton"],
    "calibrate": ["calibrate -o new.toml --samples {file}"],
    "diff": ["diff {file} {trace}", "diff {trace} {file}"],
    "view": ["view {file} --no-open -o new.html"],
    "record": ["record --finish {file}"],
    "query": ["query {file} {sql}"],
    "preload": [], "validate": [], "inject": [], "demo": [], "completion": [],
}
FILES = ["link-to-file.slk", "several.slk", "private.slk", "several.txt"]  # that may be written, and others beside them
NAMES = [*FILES, "null", "zero", "full", "tty", "disk", "fifo", "socket", "link-to-null", "stdin", "stdout", "stderr",
         "fd/1", "fd/9", "fd", "protected.slk", "link-to-protected.slk", "fifo.slk", "null.slk", "fifo.json", "null.json"]


def make_devices():
    """A /dev of this namespace's own."""
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/dev"], check=True)
    for name, minor in (("null", 3), ("zero", 5), ("full", 7), ("urandom", 9), ("null.slk", 3), ("null.json", 3)):
        os.mknod(f"/dev/{name}", 0o666 | stat.S_IFCHR, os.makedev(1, minor))
    os.mknod("/dev/tty", 0o666 | stat.S_IFCHR, os.makedev(5, 0))
    os.mknod("/dev/disk", 0o660 | stat.S_IFBLK, os.makedev(7, 255))
    for link, target in (("fd", "/proc/self/fd"), ("stdin", "/proc/self/fd/0"), ("stdout", "/proc/self/fd/1"),
                         ("stderr", "/proc/self/fd/2"), ("link-to-null", "null"),
                         ("link-to-protected.slk", "protected.slk"), ("link-to-file.slk", "target.slk")):
        os.symlink(target, f"/dev/{link}")
    for name, mode in (("protected.slk", 0o444), ("target.slk", 0o640), ("several.slk", 0o644), ("private.slk", 0o600),
                       ("several.txt", 0o644)):
        write(name)
        os.chmod(f"/dev/{name}", mode)
        os.chown(f"/dev/{name}", 1234, 1235)
    for name in ("several.slk", "several.txt"):
        os.link(f"/dev/{name}", f"/dev/other-name-{name}")
    for name in ("fifo", "fifo.slk", "fifo.json"):
        os.mkfifo(f"/dev/{name}")
    os.mknod("/dev/socket", 0o666 | stat.S_IFSOCK)
    os.mkdir("/dev/shm")


def write(name):
    with open(f"/dev/{name}", "w", encoding="utf-8") as file:
        file.write(PRECIOUS)


def listing():
    """What may never change: kind, mode, owner, links and device of everything in /dev."""
    found = {}
    for name in sorted(os.listdir("/dev")):
        if name == "shm":
            continue
        path = f"/dev/{name}"
        status = os.lstat(path)
        target = os.readlink(path) if stat.S_ISLNK(status.st_mode) else ""
        found[name] = (oct(status.st_mode), status.st_uid, status.st_gid, status.st_nlink, status.st_rdev, target)
    with open("/dev/protected.slk", encoding="utf-8") as file:
        found["content"] = file.read()
    return found


def drain(name, end):
    """A reader of a FIFO, as long as `end` is not set."""
    opened = os.open(f"/dev/{name}", os.O_RDWR | os.O_NONBLOCK)
    fd = fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, 10)  # Trial.run() uses 9
    os.close(opened)
    while not end.wait(0.005):
        try:
            while os.read(fd, 1 << 16):
                pass
        except BlockingIOError:
            pass
    os.close(fd)


def commands(binary):
    text = subprocess.run([binary, "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^(?:[A-Z][a-z]+)? +([a-z]+)  ", text, re.MULTILINE)


class Trial:
    def __init__(self, binary, source):
        inputs = os.path.join(source, "test/golden/inputs")
        self.binary = binary
        self.folder = tempfile.mkdtemp(prefix="slackline-special-")
        self.values = {"trace": os.path.join(source, "examples/traces/unbalanced.slk"),
                       "platform": os.path.join(inputs, "two_hosts.xml"),
                       "samples": os.path.join(inputs, "calibration.samples"), "sql": "SELECT 1"}
        self.expected = listing()
        self.runs = 0
        self.failures = []

    def run(self, template, **more):
        words = [word.format(**self.values, **more) for word in template.split()]
        self.runs += 1
        cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        os.dup2(cat.stdin.fileno(), 9)  # as a shell's >(cat) has it
        try:
            done = subprocess.run([self.binary, *words], cwd=self.folder, stdin=subprocess.DEVNULL, pass_fds=[9],
                                  capture_output=True, timeout=SECONDS, check=False)
            if done.returncode not in (0, 1, 2) or b"defect of Slackline" in done.stderr:
                self.fail(words, f"exit status {done.returncode}: {done.stderr[-300:]}")
        except subprocess.TimeoutExpired:
            self.fail(words, "it does not end")
        os.close(9)
        cat.communicate()
        if os.path.basename(more.get("out", "")) in FILES:
            self.remove_new()
        found = listing()
        if found != self.expected:  # what follows would say nothing
            changes = {name for name in {*found, *self.expected} if found.get(name) != self.expected.get(name)}
            self.fail(words, f"/dev has changed: {sorted(changes)}")
            os._exit(self.end())
        shutil.rmtree(self.folder)
        os.mkdir(self.folder)
        for name in ("target.slk", "several.slk", "private.slk", "several.txt"):
            write(name)

    def remove_new(self):
        for name in os.listdir("/dev"):
            path = f"/dev/{name}"
            if name in self.expected or name == "shm":
                continue
            if os.path.isdir(path):
                shutil.rmtree(path)
            else:
                os.remove(path)

    def fail(self, words, what):
        self.failures.append(f"slackline {' '.join(words)}: {what}")

    def end(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        print("\n".join([*self.failures, f"{self.runs} commands, {len(self.failures)} failures"]), flush=True)
        return 1 if self.failures else 0


def inside(options):
    make_devices()
    trial = Trial(options.binary, options.source)
    end = threading.Event()
    fifos = ("fifo", "fifo.slk", "fifo.json")
    readers = [threading.Thread(target=drain, args=(name, end)) for name in fifos]
    for reader in readers:
        reader.start()
    try:
        for command in commands(options.binary):
            for template in OUTPUTS.get(command, [f"{command} {{trace}} -o {{out}}"]):
                for path in ["-", *(f"/dev/{name}" for name in NAMES)]:
                    trial.run(template, out=path)
    finally:
        end.set()
        for reader in readers:
            reader.join()
    for command in commands(options.binary):
        for template in INPUTS.get(command, [f"{command} {{file}}"]):
            for path in ["-", *(f"/dev/{name}" for name in NAMES if name != "fd/9")]:
                trial.run(template, file=path)
    return trial.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=os.path.abspath)
    parser.add_argument("--source", required=True, type=os.path.abspath)
    options = parser.parse_args()
    if os.environ.get(INSIDE) == "1":
        return inside(options)
    unshare = ["unshare", "--mount", "--propagation", "private"]
    if os.geteuid() != 0 or subprocess.run([*unshare, "mount", "-t", "tmpfs", "tmpfs", "/dev"], check=False).returncode:
        print("SKIPPED: no mount namespace of our own")
        return SKIPPED
    return subprocess.run([*unshare, sys.executable, *sys.argv], env={**os.environ, INSIDE: "1"},
                          check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
