"""Pictures by matplotlib, which is imported only when one is drawn."""

from __future__ import annotations

import base64
import io
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .table import Table

#: Calls that are drawn one by one; longer excerpts are thinned out evenly, and the title says so.
_MOST_BARS = 20_000

_COLOURS = {"point-to-point": "#4e79a7", "collective": "#e15759", "completion": "#f28e2b", "other": "#bab0ac"}


def _axes(ax: Any, **size: Any) -> Any:
    if ax is not None:
        return ax
    if "ipykernel" in sys.modules:
        # A notebook shows pyplot's figures below the cell that made them.
        from matplotlib import pyplot

        return pyplot.subplots(layout="constrained", **size)[1]
    from matplotlib.figure import Figure

    return Figure(layout="constrained", **size).add_subplot()


def figure_html(draw: Callable[[Any], Any]) -> str:
    """What `draw` draws on the Axes that it gets, as an image inside of HTML."""
    from matplotlib.figure import Figure

    buffer = io.BytesIO()
    draw(Figure(layout="constrained", figsize=(7, 4)).add_subplot()).figure.savefig(buffer, format="png", dpi=96)
    return f'<img alt="" src="data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}">'


def plot_envelope(parameter: str, at_ns: npt.NDArray[np.float64], makespan_ns: npt.NDArray[np.float64],
                  base_ns: float, ax: Any = None) -> Any:
    """T over the parameter, with the model's own value marked."""
    ax = _axes(ax, figsize=(7, 4))
    scale, unit = (1.0, "ns/B") if parameter.startswith("G") else (1e3, "us")
    ax.plot(at_ns / scale, makespan_ns / 1e6, color="#4e79a7")
    if at_ns[0] <= base_ns <= at_ns[-1]:
        ax.axvline(base_ns / scale, color="#bab0ac", linestyle="--", label="model")
        ax.legend()
    ax.set_xlabel(f"{parameter} [{unit}]")
    ax.set_ylabel("T [ms]")
    ax.set_title(f"Run time over {parameter}")
    return ax


def plot_efficiency(factors: npt.NDArray[Any], values: npt.NDArray[np.float64], ax: Any = None) -> Any:
    """The factors as bars, from 0 to 100 %."""
    ax = _axes(ax, figsize=(6, 3))
    ax.barh([name.replace("_", " ") for name in factors], 100 * values, color="#59a14f")
    ax.invert_yaxis()
    ax.set_xlim(0, max(100, 100 * float(values.max(initial=0))))
    ax.set_xlabel("efficiency [%]")
    return ax


def plot_matrix(dense: npt.NDArray[np.int64], what: str = "bytes", ax: Any = None) -> Any:
    """Senders as rows, receivers as columns; pairs without messages are white."""
    ax = _axes(ax, figsize=(5, 4.2))
    image = ax.imshow(np.where(dense == 0, np.nan, dense), cmap="viridis_r", interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label=what)
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("destination")
    ax.set_ylabel("source")
    return ax


def _kind(operation: str) -> str:
    name = operation.lower()
    if any(part in name for part in ("wait", "test")):
        return "completion"
    if any(part in name for part in ("send", "recv", "start", "probe")):
        return "point-to-point"
    collectives = ("barrier", "bcast", "gather", "scatter", "reduce", "alltoall", "scan", "init", "finalize")
    return "collective" if any(part in name for part in collectives) else "other"


def _unit(span_ns: float) -> tuple[str, float]:
    """The largest unit of time of which `span_ns` has at least two, and its length in nanoseconds."""
    units = (("s", 1e9), ("ms", 1e6), ("us", 1e3))
    return next(((name, length) for name, length in units if span_ns >= 2 * length), ("ns", 1.0))


def plot_timeline(calls: Table, shown: tuple[int, int], ax: Any = None) -> Any:
    """Calls of MPI as bars within `shown`, a row for each rank; white is computation."""
    step = max(1, -(-calls.rows // _MOST_BARS))
    rank, begin, end = (calls[name][::step] for name in ("rank", "begin_ns", "end_ns"))
    rows, row = np.unique(rank, return_inverse=True)
    zero = int(shown[0])
    unit, length = _unit(shown[1] - zero)
    kinds = np.array([_kind(name) for name in calls.column("operation").categories or [""]])
    kind = kinds[calls.column("operation").values[::step]] if calls.rows else np.empty(0, dtype=str)
    ax = _axes(ax, figsize=(9, 1.2 + 0.3 * min(len(rows), 24)))
    for name, colour in _COLOURS.items():
        chosen = kind == name
        if not chosen.any():
            continue
        ax.barh(row[chosen], (end - begin)[chosen] / length, left=(begin[chosen] - zero) / length, height=0.8,
                color=colour, label=name)
    ax.set_yticks(range(len(rows)), [f"rank {r}" for r in rows])
    ax.invert_yaxis()
    ax.set_xlim(0, (shown[1] - zero) / length)
    ax.set_xlabel(f"time [{unit}] from {zero / 1e6:.3f} ms")
    if step > 1:
        ax.set_title(f"one of {step} calls is drawn")
    if calls.rows:
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return ax
