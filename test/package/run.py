#!/usr/bin/env python3
"""Installs the build into a folder, and packs it for Debian and unpacks that: the program of either runs, finds the
recorders beside it, and has a man page for every command and the completions of three shells. The package depends on
the libraries that the program is linked to.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

COMPLETIONS = ["bash-completion/completions/slackline", "zsh/site-functions/_slackline",
               "fish/vendor_completions.d/slackline.fish"]


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def complaints(prefix, trace):
    """What an installation below `prefix` lacks."""
    program = prefix / "bin/slackline"
    if not program.exists():
        return [f"{program} is missing"]
    found = []
    report = run(program, "report", trace)
    if "limited by" not in report:
        found.append(f"{program} does not report")
    recorders = list((prefix / "lib/slackline").glob("*.so"))
    if not recorders:
        found.append(f"no recorder in {prefix}/lib/slackline")
    demo = subprocess.run([program, "demo", "--recorded", "-o", prefix / "demo"], text=True, capture_output=True)
    if demo.returncode != 0:
        found.append(f"the installed demonstration fails: {demo.stderr}")
    if shutil.which("lowdown"):
        names = re.findall(r"^(?:[A-Z][a-z]+)? +([a-z]+)  ", run(program, "--help"), re.MULTILINE)
        for name in [""] + ["-" + n for n in names + ["wait-states", "critical-path", "monitor"]]:
            if not (prefix / f"share/man/man1/slackline{name}.1").exists():
                found.append(f"slackline{name}(1) is not installed")
    if not (prefix / "share/slackline/schema/report.json").exists():
        found.append("the JSON Schema files are not installed")
    found += [f"{name} is not installed" for name in COMPLETIONS if not (prefix / "share" / name).exists()]
    return found


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "scratch", "trace"):
        parser.add_argument(f"--{name}", type=lambda text: pathlib.Path(text).resolve(), required=True)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.scratch, ignore_errors=True)
    arguments.scratch.mkdir(parents=True)
    installed = arguments.scratch / "installed"
    run("cmake", "--install", arguments.build, "--prefix", installed)
    failures = complaints(installed, arguments.trace)
    missing = [tool for tool in ("dpkg-deb", "dpkg-shlibdeps", "cpack") if shutil.which(tool) is None]
    if missing:
        print(f"the Debian package is not tested: {', '.join(missing)} missing")
    else:
        run("cpack", "-G", "DEB", "-B", arguments.scratch / "packed", cwd=arguments.build)
        package, = (arguments.scratch / "packed").glob("*.deb")
        run("dpkg-deb", "-x", package, arguments.scratch / "unpacked")
        failures += complaints(arguments.scratch / "unpacked/usr", arguments.trace)
        depends = run("dpkg-deb", "-f", package, "Depends")
        failures += [f"the package does not depend on {name}" for name in ("libc6", "libfmt", "libzstd")
                     if name not in depends]
    for failure in failures:
        print(failure)
    if not failures:
        shutil.rmtree(arguments.scratch)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
