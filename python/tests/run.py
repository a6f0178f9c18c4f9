#!/usr/bin/env python3
"""Runs the module's tests under pytest; exit status 77 (skipped) where one of Debian's packages for them is missing.

usage: run.py --module FOLDER --binary SLACKLINE [PYTEST ARGUMENTS]
"""
import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys

NEEDED = ["numpy", "pandas", "matplotlib", "pytest"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--module", required=True)
    parser.add_argument("--binary", required=True)
    args, rest = parser.parse_known_args()
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(f"SKIPPED: python3-{', python3-'.join(missing)} missing; './dev setup' installs them")
        return 77
    environment = {**os.environ, "PYTHONPATH": args.module, "SLACKLINE_BINARY": args.binary, "MPLBACKEND": "Agg",
                   "PYTHONDONTWRITEBYTECODE": "1"}
    tests = pathlib.Path(__file__).resolve().parent
    return subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests, *rest],
                          env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
