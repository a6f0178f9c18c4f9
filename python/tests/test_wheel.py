"""The wheel installs into a fresh environment, offline, and works there."""

import os
import pathlib
import subprocess
import sys

import pytest

import slackline

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_wheel_installs_offline(tmp_path, traces):
    pytest.importorskip("ensurepip", reason="python3-venv is missing")
    package = pathlib.Path(slackline.__file__).parent
    made = subprocess.run([sys.executable, ROOT / "python" / "wheel.py", "--package", package, "--version",
                           slackline.__version__, "--output", tmp_path], capture_output=True, text=True, check=True)
    wheel = made.stdout.strip()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    created = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "venv"],
                             env=environment, capture_output=True, text=True)
    if created.returncode != 0:
        pytest.skip("python3-venv is missing")
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--no-index", "--quiet", wheel], env=environment, check=True)
    code = "import slackline, sys; print(slackline.__file__, slackline.open(sys.argv[1]).calls().to_pandas().shape[0])"
    run = subprocess.run([python, "-c", code, traces / "stencil2d.slk"], env=environment, cwd=tmp_path,
                         capture_output=True, text=True, check=True)
    path, rows = run.stdout.split()
    assert path.startswith(str(tmp_path)) and rows == "2420"
    subprocess.run([python, "-m", "pip", "uninstall", "--yes", "--quiet", "slackline"], env=environment, check=True)
