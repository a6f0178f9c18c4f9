#!/usr/bin/env python3
"""Installs the build into a folder, and packs it for Debian and unpacks that: the program of either runs, finds the
recorders beside it, and has a man page for every command, the documentation, the Python module and the completions of three
shells. The package depends on the libraries that the program is linked to, and of no other architecture.
"""

import argparse
import os
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
            if not list((prefix / "share/man/man1").glob(f"slackline{name}.1*")):
                found.append(f"slackline{name}(1) is not installed")
    if not (prefix / "share/slackline/schema/report.json").exists():
        found.append("the JSON Schema files are not installed")
    found += [f"{name} is not installed" for name in ("README.md", "doc/tutorial.md", "doc/formats/native.md")
              if not (prefix / "share/doc/slackline" / name).exists()]
    if not os.access(prefix / "share/slackline/centre/launcher", os.X_OK):
        found.append("the launcher of centres is not installed")
    found += [f"{name} is not installed" for name in COMPLETIONS if not (prefix / "share" / name).exists()]
    return found


def complaints_of_module(prefix):
    """What the Python module lacks; nothing where it cannot be used here."""
    if subprocess.run(["/usr/bin/python3", "-c", "import numpy"], capture_output=True).returncode != 0:
        return []
    code = "import slackline; print(slackline.open(slackline.example('cg.slk')).calls().rows)"
    done = subprocess.run(["/usr/bin/python3", "-c", code], text=True, capture_output=True,
                          env={**os.environ, "PYTHONPATH": prefix / "lib/python3/dist-packages", "PYTHONDONTWRITEBYTECODE": "1"})
    return [] if done.stdout.strip() == "656" else [f"the Python module does not work: {done.stderr}"]


def complaints_of_package(package, unpacked, module):
    """What the Debian package lacks beyond the installation in it."""
    depends = run("dpkg-deb", "-f", package, "Depends")
    names = re.findall(r"(?:^|, )(\S+)", depends)
    found = [f"the package does not depend on {name}" for name in ("libc6", "libfmt", "libzstd") if name not in depends]
    found += [f"the package depends on {name}" for name in names if re.search("i386|cross", name)]
    found += [f"the package depends on {name} twice" for name in set(names) - {"python3"} if names.count(name) > 1]
    if module and "python3" not in names:
        found.append("the package does not depend on Python")
    pages = list((unpacked / "usr/share/man/man1").iterdir()) if shutil.which("lowdown") else []
    found += [f"{page.name} is not compressed" for page in pages if page.suffix != ".gz"]
    if "Slackline" not in (unpacked / "usr/share/doc/slackline/copyright").read_text():
        found.append("no copyright")
    if shutil.which("lintian"):
        tags = subprocess.run(["lintian", "--allow-root", package], text=True, capture_output=True).stdout.splitlines()
        # The maintainers have no address that packages could name.
        found += [tag for tag in tags if tag.startswith("E:") and "bogus-mail-host" not in tag]
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
        module = list(arguments.build.glob("python/slackline/_core*.so"))
        failures += complaints_of_package(package, arguments.scratch / "unpacked", module)
        if module:
            failures += complaints_of_module(installed) + complaints_of_module(arguments.scratch / "unpacked/usr")
    for failure in failures:
        print(failure)
    if not failures:
        shutil.rmtree(arguments.scratch)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
