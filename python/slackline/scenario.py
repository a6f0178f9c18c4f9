"""Scenarios: edits of a program, for ``slackline whatif``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .model import LogGPS, Platform, options_of
from .reports import Report, _answer


def _in_words(value: Any) -> str:
    if isinstance(value, str):
        text = value
    elif isinstance(value, Iterable):
        text = ",".join(str(part) for part in value)
    else:
        text = str(value)
    if '"' in text:
        raise ValueError(f"an edit cannot contain quotes: {text!r}")
    return f'"{text}"' if not text or any(character.isspace() for character in text) else text


@dataclass(frozen=True)
class Scenario:
    """Edits of a program, one after the other. Scenarios do not change; each edit gives a new one:

        >>> faster = Scenario().edit("scale", factor=0.5, region="solve").edit("balance")

    Attributes:
        edits: as ``--set`` takes them: ``"scale factor=0.5 region=solve"``.
    """

    edits: tuple[str, ...] = ()

    def edit(self, action: str, **arguments: Any) -> Scenario:
        """This scenario and one more edit.

        Args:
            action: "scale", "balance", "remove", ...: ``slackline whatif --help`` names all.
            arguments: of the edit, with underscores (``max_bytes=0``); several ranks as a list or
                any other iterable of numbers. What is None is left out.
        """
        words = [action.replace("_", "-")]
        words += [f"{name.replace('_', '-')}={_in_words(value)}" for name, value in arguments.items() if value is not None]
        return Scenario((*self.edits, " ".join(words)))

    def __add__(self, other: Scenario) -> Scenario:
        return Scenario(self.edits + other.edits)


def whatif(path: Any, scenario: Scenario | Iterable[str], *, model: LogGPS | Platform | None = None,
           **options: Any) -> Report:
    """The run with edits, beside the run without them: ``slackline whatif``.

    Args:
        path: a trace: a path, or a :class:`Trace`.
        scenario: the edits; texts as ``--set`` takes them do, too.
        model: the network of the model, or the platform of a simulation.
        options: the command's.

    Raises:
        slackline.Error: the trace cannot be read, or an edit or option makes no sense.
        TypeError: there is no such option.
    """
    edits = scenario.edits if isinstance(scenario, Scenario) else scenario
    return _answer("whatif", (path,), options_of(model, **options, set=list(edits)))
