"""Recorded runs that come with the package, for recipes and first steps."""

from __future__ import annotations

import pathlib

from ._core import Error

_FOLDER = pathlib.Path(__file__).parent / "examples"


def example(name: str) -> str:
    """The path of a recorded run that comes with the package, wherever one works.

    Args:
        name: such as ``"unbalanced.slk"``; the errors list all. What they are says
            examples/traces/README.md.

    Raises:
        slackline.Error: there is none of that name.
    """
    names = sorted(path.name for path in _FOLDER.glob("*.slk"))
    if name not in names:
        raise Error(f"there is no example '{name}': the package has others. Choose one of {', '.join(names)}.")
    return str(_FOLDER / name)
