"""Reports: what a command answers with, as data, as text and as a page."""

from __future__ import annotations

import html
import json
import os
from functools import cached_property
from typing import Any

from . import _core
from .commands import request_of
from .model import LogGPS, Platform, options_of
from .table import Table


class Report:
    """What a command found.

    Attributes:
        command: its name.
        json: what it prints with ``--format json``, as a dict.
    """

    def __init__(self, command: str, request: dict[str, Any]) -> None:
        self._request = (command, request)
        self._core = _core.execute(command, request, False)

    @cached_property
    def json(self) -> dict[str, Any]:
        return json.loads(self._core.text("json"))

    @property
    def command(self) -> str:
        return self.json["command"]

    @property
    def title(self) -> str:
        """What it is about, such as ``"report: app.slk"``."""
        return self.json["title"]

    @property
    def result(self) -> dict[str, Any]:
        """The numbers, under the keys that doc/schema describes."""
        return self.json["result"]

    @property
    def options(self) -> dict[str, Any]:
        """The effective options, defaults included."""
        return self.json["options"]

    @property
    def findings(self) -> Table:
        """What was wrong, lost or guessed: ``name``, ``severity``, ``count``, ``sentence``."""
        return Table.of_records([{key: value for key, value in finding.items() if key != "examples"}
                                 for finding in self.json["findings"]],
                                ("name", "severity", "count", "sentence"))

    @property
    def text(self) -> str:
        """As the command prints it on a terminal of 100 columns."""
        return self._core.text("text")

    @cached_property
    def html(self) -> str:
        """The interactive page: one self-contained HTML document.

        Its pictures need data that nothing else does, so the command runs once more for it.
        """
        return _core.execute(*self._request, True).text("html")

    @cached_property
    def sections(self) -> list[dict[str, Any]]:
        """The tree of sections, with their paragraphs, facts, tables and series."""
        return json.loads(self._core.text("sections"))["sections"]

    def tables(self) -> dict[str, Table]:
        """All tables of the report by their ids; columns carry their units ("time_ns")."""
        return {item["id"]: _table_of(item) for item in _items(self.sections) if item["kind"] == "table"}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page, or with a name in ``.json`` or ``.txt`` that form. A file appears whole or
        not at all.

        Raises:
            slackline.Error: the file cannot be written.
        """
        name = os.fspath(path)
        text = (self._core.text("json") if name.endswith(".json") else
                self.text if name.endswith(".txt") else self.html)
        _core.write_file(name, text)

    def show(self, height: int = 700) -> Any:
        """The interactive page inside of a notebook.

        Args:
            height: of its frame, in pixels.

        Returns:
            An object that Jupyter displays.
        """
        return Page(self.html, height)

    def __repr__(self) -> str:
        return f"<slackline.Report {self.title!r}>"

    def _repr_html_(self) -> str:
        tables = f"<h3>{html.escape(self.title)}</h3>" + "".join(map(_section_html, self.sections))
        return self.show()._repr_html_() + folded(tables)


class Page:
    """A page in a frame of its own, for notebooks."""

    def __init__(self, text: str, height: int) -> None:
        self._text = text
        self._height = height

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self._text)}" style="width:100%;height:{self._height}px;'
                'box-sizing:border-box;border:1px solid #ccc"></iframe>')


def folded(content: str) -> str:
    """HTML without programs, closed below a page: some viewers of notebooks show no frames."""
    return f"<details><summary>Without the page</summary>{content}</details>"


def _items(sections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for section in sections:
        found += [item for item in section["items"] if item and "kind" in item]
        found += _items(section["children"])
    return found


def _column_name(column: dict[str, Any]) -> str:
    unit = column["unit"]
    name = column["name"].replace(" ", "_")
    return name if unit in ("none", "count", "ratio", "points") else f"{name}_{unit}"


def _table_of(item: dict[str, Any]) -> Table:
    names = [_column_name(column) for column in item["columns"]]
    return Table.of_records([dict(zip(names, row)) for row in item["rows"]], names)


def _amount(value: Any, unit: str) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return html.escape(value)
    if unit == "ratio":
        return f"{100 * value:.1f}&nbsp;%"
    if unit == "points":
        return f"{100 * value:.1f}&nbsp;pp"
    if unit == "ns":
        for size, name in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
            if abs(value) >= size:
                return f"{value / size:.4g}&nbsp;{name}"
        return f"{value:.4g}&nbsp;ns"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def _item_html(item: dict[str, Any], most: int = 20) -> str:
    if item["kind"] == "paragraph":
        return f"<p>{html.escape(item['text'])}</p>"
    if item["kind"] == "facts":
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(fact['label'])}</th>"
                       f"<td>{_amount(fact['value'], fact['unit'])}</td>"
                       f"<td style='text-align:left'>{html.escape(fact['explanation'])}</td></tr>"
                       for fact in item["facts"])
        return f"<table>{rows}</table>"
    if item["kind"] != "table":
        return ""
    units = [column["unit"] for column in item["columns"]]
    head = "".join(f"<th>{html.escape(column['name'])}</th>" for column in item["columns"])
    rows = "".join("<tr>" + "".join(f"<td>{_amount(v, u)}</td>" for v, u in zip(row, units)) + "</tr>"
                   for row in item["rows"][:most])
    hidden = len(item["rows"]) - most
    more = f"<p>and {hidden} more rows</p>" if hidden > 0 else ""
    return (f"<table><caption>{html.escape(item['title'])}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table>{more}")


def _section_html(section: dict[str, Any]) -> str:
    items = "".join(_item_html(item) for item in section["items"] if item)
    children = "".join(map(_section_html, section["children"]))
    return f"<h4>{html.escape(section['title'])}</h4>{items}{children}" if items or children else ""


def _answer(command: str, args: tuple[Any, ...], given: dict[str, Any]) -> Report:
    return Report(command, request_of(command, args, given))


def report(path: Any, other: Any = None, *, model: LogGPS | None = None, **options: Any) -> Report:
    """Everything about a run, or how two runs differ: ``slackline report``.

    Args:
        path: a trace: a path, or a :class:`Trace`.
        other: a second one to compare with.
        model: the network of the model.
        options: the command's, such as ``section="diagnosis"`` or ``interval="program"``.

    Raises:
        slackline.Error: a trace cannot be read, or an option makes no sense.
        TypeError: there is no such option.
    """
    args = (path,) if other is None else (path, other)
    return _answer("report", args, options_of(model, **options))


def simulate(path: Any, platform: Platform | str, **options: Any) -> Report:
    """The run on a platform with contention: ``slackline simulate``.

    Args:
        path: a trace: a path, or a :class:`Trace`.
        platform: hosts and links, or the file that describes them.
        options: the command's, such as ``collectives="ompi"`` or ``sweep="bandwidth=0.5,1,2"``.

    Raises:
        slackline.Error: a file cannot be read, or an option makes no sense.
        TypeError: there is no such option.
    """
    machine = Platform(os.fspath(platform)) if not isinstance(platform, Platform) else platform
    return _answer("simulate", (path,), options_of(machine, **options))


def diff(a: Any, b: Any, c: Any = None, **options: Any) -> Report:
    """How two runs or three differ by metric, call path and rank: ``slackline diff``.

    Args:
        a: a trace.
        b: another one, or the same with another ``on_b``.
        c: a third one that stands beside them, or None.
        options: the command's, such as ``on_b="predicted"`` or ``more_a=[...]``.

    Raises:
        slackline.Error: a trace cannot be read, or an option makes no sense.
        TypeError: there is no such option.
    """
    args = (a, b) if c is None else (a, b, c)
    return _answer("diff", args, options_of(**options))
