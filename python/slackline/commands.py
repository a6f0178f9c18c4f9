"""Every command of Slackline that answers with a report, as a function of keyword arguments."""

from __future__ import annotations

import json
from typing import Any

from . import _core
from .model import options_of


def commands() -> list[str]:
    """The commands that :func:`run` knows."""
    return list(_core.commands())


def _is_trace(value: Any) -> bool:
    return hasattr(value, "options_for")


def _in_words(command: str, value: Any) -> Any:
    """An argument with the paths of traces instead of these."""
    if isinstance(value, (list, tuple)):
        return [_in_words(command, element) for element in value]
    if not _is_trace(value):
        return value
    if value.opened_with:
        raise TypeError(f"'{command}' reads {value.path!r} again and knows one set of options for all its traces: "
                        f"give the path, and {', '.join(value.opened_with)} as options of the command")
    return value.path


def request_of(command: str, args: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Positional and keyword arguments of a command as keywords alone. Of a command of one trace,
    that may be a :class:`Trace`; the options with which it was opened hold where the command has
    them.

    Raises:
        slackline.Error: the trace was opened with times that the command cannot have.
        TypeError: there are too many positional arguments, or one is given by keyword, too; or one
            of several traces was opened with options.
    """
    names, takes_all = zip(*_core.positionals_of(command))
    if not any(takes_all) and len(args) > len(names):
        raise TypeError(f"'{command}' takes at most {len(names)} positional arguments")
    alone = len(args) == 1 or names[1:] in (("out",), ("sql",), ("scenario",))
    if args and alone and _is_trace(args[0]):
        options = args[0].options_for(command, options)
        args = (args[0].path, *args[1:])
    texts = [str(_in_words(command, arg)) for arg in args]
    # A list, which is the last one, takes all that are left.
    given: dict[str, Any] = {name: texts[i:] if takes else texts[i]
                             for i, (name, takes) in enumerate(zip(names, takes_all)) if i < len(texts)}
    twice = sorted(set(given) & set(options))
    if twice:
        raise TypeError(f"'{command}' got two values for '{twice[0]}'")
    return {**given, **{name: _in_words(command, value) for name, value in options.items()}}


def run(command: str, *args: Any, **options: Any) -> dict[str, Any]:
    """Runs a command as ``slackline COMMAND ARGS --format json`` does.

    Args:
        command: its name, one of :func:`commands`, such as ``"predict"``.
        args: its positional arguments: of most commands the trace, a path or a :class:`Trace`,
            whose options hold where the command has them.
        options: its options by their long names with underscores, or L, o, G, S and g. Values are
            texts with units as on the command line (``L="3us"``), numbers of what has no unit,
            booleans, or lists of them. ``L_ns``, ``o_ns``, ``g_ns``, ``G_ns_per_byte`` and
            ``S_bytes`` and ``memory_bytes`` take numbers. ``from_`` stands for ``--from``; ``model`` may be a
            :class:`LogGPS` or a :class:`Platform`.

    Returns:
        What the command writes with ``--format json``: a dict with the keys ``schema``,
        ``version``, ``command``, ``title``, ``options``, ``input``, ``findings`` and ``result``,
        as doc/schema describes them for each command.

    Raises:
        slackline.Error: with the sentence that the command prints.
        TypeError: the command has no such argument, or a number has no unit.
    """
    request = request_of(command, args, options_of(**options))
    return json.loads(_core.execute(command, request, False).text("json"))
