#!/usr/bin/env python3
"""Configures the build as it would be on machines that lack packages which only tests need.

The packages are taken away for one process only: in a mount namespace of its own, an overlay lies over
/usr in which their files are deleted. Where the system does not allow that, the test is skipped.

- Without any of the test packages (`./dev packages test`) the program configures, as `./dev demo` does it.
- With the tests on, each package that is missing is named, with the command that installs it.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

# What cmake looks for. The other test packages are programs, which tests look for when they run.
LIBRARIES = [["libgtest-dev", "libgmock-dev"], ["libgmock-dev"], ["librapidcheck-dev"], ["coinor-libclp-dev"],
             ["coinor-libcoinutils-dev"]]

HIDDEN = r"""
set -eu
overlay=$1; shift
mkdir -p "$overlay/upper" "$overlay/work"
mount -t overlay overlay -o "lowerdir=/usr,upperdir=$overlay/upper,workdir=$overlay/work,userxattr" /usr || exit 77
while read -r file; do
  if [ -f "$file" ] || [ -L "$file" ]; then rm -f "$file"; fi
done
exec "$@"
"""


def files_of(packages):
    listed = subprocess.run(["dpkg", "-L", *packages], capture_output=True, text=True)
    return "".join(f"{line}\n" for line in listed.stdout.splitlines() if line.startswith("/usr/"))


def remove(scratch):
    """The kernel leaves a folder of its own in an overlay, which only root may read."""
    for folder in scratch.glob("overlay/*/work"):
        folder.chmod(0o700)
    if scratch.exists():
        shutil.rmtree(scratch)


def configure(source, scratch, hidden, tests):
    """The exit status and all output of cmake where the packages `hidden` are not installed."""
    remove(scratch)
    scratch.mkdir(parents=True)
    command = ["unshare", "--user", "--map-root-user", "--mount", "bash", "-c", HIDDEN, "bash", scratch / "overlay",
               "cmake", "--preset", "release", "-B", scratch / "build", f"-DSLACKLINE_TESTS={tests}"]
    run = subprocess.run(command, cwd=source, input=files_of(hidden), text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    if run.returncode == 77 or "unshare:" in run.stdout:
        print(f"SKIPPED: cannot hide packages in a namespace of its own here: {run.stdout.strip()}")
        sys.exit(77)
    return run.returncode, run.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--scratch", type=lambda text: pathlib.Path(text).resolve(), required=True)
    arguments = parser.parse_args()
    if shutil.which("unshare") is None or shutil.which("dpkg") is None:
        print("SKIPPED: needs unshare and dpkg")
        return 77

    def tried(hidden, tests):
        return configure(arguments.source, arguments.scratch, hidden, tests)

    failures = []
    test_packages = subprocess.run([arguments.source / "dev", "packages", "test"], check=True, text=True,
                                   capture_output=True).stdout.split()
    status, output = tried(test_packages, "OFF")
    if status != 0:
        failures.append(f"without {' '.join(test_packages)} the program does not configure:\n{output}")
    for hidden in LIBRARIES:
        unknown = [package for package in hidden if package not in test_packages]
        if unknown:
            failures.append(f"./dev packages test does not list {' '.join(unknown)}")
        status, output = tried(hidden, "ON")
        said = " ".join(output.split())
        named = all(f" {package} " in said or f" {package}." in said for package in hidden)
        if status == 0 or not named or "apt-get install" not in said:
            failures.append(f"without {' '.join(hidden)} the tests' configuration (status {status}) says:\n{output}")
    remove(arguments.scratch)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
