"""The pages in doc/python run as they stand, in a folder with the recorded traces."""

import pathlib
import re
import shutil

import pytest

PAGES = pathlib.Path(__file__).resolve().parents[2] / "doc" / "python"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder_with_traces(tmp_path, traces, monkeypatch):
    for path in traces.glob("*.slk"):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_page_runs(page, folder_with_traces, capsys):
    blocks = BLOCK.findall(page.read_text())
    names = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"{page.name}, block {number}", "exec"), names)
    assert blocks or page.stem == "README"


def test_there_are_ten_recipes_and_the_index_lists_them():
    index = (PAGES / "README.md").read_text()
    pages = {page.name for page in PAGES.glob("*.md")} - {"README.md"}
    assert len(pages) >= 10
    assert all(f"({name})" in index for name in pages)
