#!/usr/bin/env python3
"""What 'slackline predict --linear-program' writes has predict's run time as its optimum, by GLPK and CLP.

    linear_program_test.py SLACKLINE REPOSITORY

Exit status 77: neither solver is here (said in words)."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TRACES = ("stencil2d", "cg", "unbalanced")
MODELS = ([], ["-L", "0"], ["-L", "20us", "--overhead", "300ns", "-G", "0.2ns/B"], ["-L", "1ms"], ["--occupancy", "none"],
          ["--ranks-per-node", "2", "-L", "3us"])


def by_glpsol(program, folder):
    solution = folder / "solution"
    subprocess.run(["glpsol", "--lp", program, "-w", solution], check=True, capture_output=True)
    return float(re.search(r"^s bas .* (\S+)$", solution.read_text(), re.M)[1])


def by_clp(program, folder):
    solution = folder / "solution"
    subprocess.run(["clp", program, "-dualsimplex", "-solution", solution], check=True, capture_output=True)
    return float(re.search(r"^ *\d+ T +(\S+) ", solution.read_text(), re.M)[1])


def main():
    slackline, repository = sys.argv[1], pathlib.Path(sys.argv[2])
    solvers = [solve for name, solve in (("glpsol", by_glpsol), ("clp", by_clp)) if shutil.which(name)]
    if not solvers:
        print("SKIPPED: neither glpsol (Debian's glpk-utils) nor clp (coinor-clp) is here")
        sys.exit(77)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="slackline-lp-"))
    compared = 0
    try:
        for name in TRACES:
            trace = repository / "examples/traces" / f"{name}.slk"
            for model in MODELS:
                program = folder / "makespan.lp"
                done = subprocess.run([slackline, "predict", trace, *model, "--linear-program", program, "--format", "json"],
                                      check=True, capture_output=True, text=True)
                predicted = json.loads(done.stdout)["result"]["makespan_ns"]
                for solve in solvers:
                    optimum = solve(program, folder)
                    compared += 1
                    # CLP writes eight digits.
                    if abs(optimum - predicted) > 1e-7 * predicted:
                        sys.exit(f"{name} {model}: {solve.__name__} {optimum}, predict {predicted}")
    finally:
        shutil.rmtree(folder)
    print(f"{compared} optima are the predicted run times")


if __name__ == "__main__":
    main()
