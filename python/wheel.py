#!/usr/bin/env python3
"""Packs the built module as a wheel, offline: a zip with the package and its metadata (PEP 427).

usage: wheel.py --package FOLDER --version VERSION --output FOLDER
"""
import argparse
import base64
import hashlib
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

EPOCH = (1980, 1, 1, 0, 0, 0)  # the same files give the same wheel


def platform_tag():
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def metadata(version):
    return "\n".join([
        "Metadata-Version: 2.1", "Name: slackline", f"Version: {version}",
        "Summary: Performance analysis and latency tolerance of MPI programs",
        f"Requires-Python: =={sys.version_info[0]}.{sys.version_info[1]}.*",
        "Requires-Dist: numpy", "Provides-Extra: frames", "Requires-Dist: pandas; extra == 'frames'",
        "Provides-Extra: plots", "Requires-Dist: matplotlib; extra == 'plots'", "", ""])


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def stripped(file):
    """The compiled part without the symbols that only debuggers read."""
    if file.suffix != ".so":
        return file.read_bytes()
    with tempfile.TemporaryDirectory(prefix="slackline-wheel-") as folder:
        copy = pathlib.Path(folder) / file.name
        subprocess.run(["strip", "--strip-unneeded", "-o", copy, file], check=True)
        return copy.read_bytes()


def main():
    parser = argparse.ArgumentParser()
    for name in ("--package", "--version", "--output"):
        parser.add_argument(name, required=True)
    args = parser.parse_args()
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    tag = f"{python}-{python}-{platform_tag()}"
    info = f"slackline-{args.version}.dist-info"
    package = pathlib.Path(args.package)
    names = sorted(path for path in package.rglob("*") if path.suffix in (".py", ".pyi", ".so", ".typed", ".slk"))
    files = {f"slackline/{path.relative_to(package)}": stripped(path) for path in names}
    files[f"{info}/METADATA"] = metadata(args.version).encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: slackline\nRoot-Is-Purelib: false\n"
                              f"Tag: {tag}\n").encode()
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    output = pathlib.Path(args.output)
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"slackline-{args.version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    print(path)


if __name__ == "__main__":
    main()
