"""The pages in doc/python run as they stand, in any folder, and leave nothing in it."""

import pathlib
import re

import pytest

import slackline

PAGES = pathlib.Path(__file__).resolve().parents[2] / "doc" / "python"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_page_runs(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(page.read_text())
    names = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"{page.name}, block {number}", "exec"), names)
    assert blocks or page.stem == "README"
    assert list(tmp_path.iterdir()) == []


def test_examples_come_with_the_package(traces):
    for path in traces.glob("*.slk"):
        assert pathlib.Path(slackline.example(path.name)).read_bytes() == path.read_bytes()
    with pytest.raises(slackline.Error, match="Choose one of .*unbalanced.slk"):
        slackline.example("../secret.slk")


def test_there_are_ten_recipes_and_the_index_lists_them():
    index = (PAGES / "README.md").read_text()
    pages = {page.name for page in PAGES.glob("*.md")} - {"README.md"}
    assert len(pages) >= 10
    assert all(f"({name})" in index for name in pages)
