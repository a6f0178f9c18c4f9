"""What long computations are doing."""

from __future__ import annotations

import sys
from collections.abc import Callable

from . import _core


def on_progress(callback: Callable[[str, float], None] | None) -> None:
    """Has long computations say what they do.

    Args:
        callback: is called with words ("reading the trace") and the seconds since the begin, some
            times a second once a computation has taken half a second, and with an empty text at its
            end. An exception that it raises abandons the computation. None: nothing is called.
    """
    _core.set_progress(callback)


def _write(stage: str, seconds: float) -> None:
    text = f"{stage} ({seconds:.1f} s)" if stage else ""
    sys.stderr.write(f"\r{text:<60}" + ("" if stage else "\r"))
    sys.stderr.flush()


def show_progress(shown: bool = True) -> None:
    """Shows a line on standard error, in terminals and notebooks, while long computations run."""
    on_progress(_write if shown else None)
