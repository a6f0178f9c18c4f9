"""Every command of Slackline that answers with a report, as a function of keyword arguments."""

from __future__ import annotations

import json
from typing import Any

from . import _core
from .model import options_of

#: The names of positional arguments, as the command line has them.
_POSITIONAL = {
    "convert": ("trace", "out"),
    "diff": ("a", "b"),
    "platform": ("action", "file"),
    "query": ("trace", "sql"),
    "report": ("trace", "other"),
    "whatif": ("trace", "scenario"),
}


def commands() -> list[str]:
    """The commands that :func:`run` knows."""
    return list(_core.commands())


def request_of(command: str, args: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Positional and keyword arguments of a command as keywords alone.

    Raises:
        TypeError: there are too many positional arguments, or one is given by keyword, too.
    """
    if command == "efficiency" and args:
        given: dict[str, Any] = {"traces": [str(arg) for arg in args]}
    else:
        names = _POSITIONAL.get(command, ("trace",))
        if len(args) > len(names):
            raise TypeError(f"'{command}' takes at most {len(names)} positional arguments")
        given = dict(zip(names, map(str, args)))
    twice = sorted(set(given) & set(options))
    if twice:
        raise TypeError(f"'{command}' got two values for '{twice[0]}'")
    return {**given, **options}


def run(command: str, *args: Any, **options: Any) -> dict[str, Any]:
    """Runs a command as ``slackline COMMAND ARGS --format json`` does.

    Args:
        command: its name, one of :func:`commands`, such as ``"predict"``.
        args: its positional arguments: of most commands the trace, a path.
        options: its options by their long names with underscores, or L, o, G, S and g. Values are
            texts with units as on the command line (``L="3us"``), numbers (of L and o in ns, of G
            in ns per byte, of S in bytes), booleans, or lists of them. ``from_`` stands for
            ``--from``; ``model`` may be a :class:`LogGPS` or a :class:`Platform`.

    Returns:
        What the command writes with ``--format json``: a dict with the keys ``schema``,
        ``version``, ``command``, ``title``, ``options``, ``input``, ``findings`` and ``result``,
        as doc/schema describes them for each command.

    Raises:
        slackline.Error: with the sentence that the command prints.
        TypeError: the command has no such argument.
    """
    request = request_of(command, args, options_of(**options))
    return json.loads(_core.execute(command, request, False).text("json"))
