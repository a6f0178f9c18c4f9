"""Pictures by matplotlib, which is imported only when one is drawn."""

from __future__ import annotations

import base64
import io
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .graph import Envelope
    from .table import Table
    from .trace import CommMatrix, Trace

#: Calls that are drawn one by one; of longer excerpts every so many is left out, and the title says so.
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


def plot_envelope(envelope: Envelope, ax: Any = None) -> Any:
    """T over the parameter: its pieces, with the model's own value marked."""
    ax = _axes(ax, figsize=(7, 4))
    x = np.append(envelope.pieces["from_ns"], envelope.to_ns)
    per_byte = envelope.parameter.startswith("G")
    scale, unit = (1.0, "ns/B") if per_byte else (1e3, "us")
    ax.plot(x / scale, envelope(x) / 1e6, color="#4e79a7")
    if envelope.from_ns <= envelope.base_ns <= envelope.to_ns:
        ax.axvline(envelope.base_ns / scale, color="#bab0ac", linestyle="--", label="model")
        ax.legend()
    ax.set_xlabel(f"{envelope.parameter} [{unit}]")
    ax.set_ylabel("T [ms]")
    ax.set_title(f"Run time over {envelope.parameter}")
    return ax


def plot_efficiency(table: Table, variant: str = "multiplicative", interval: str = "analysed", ax: Any = None) -> Any:
    """The factors as bars, from 0 to 100 %."""
    ax = _axes(ax, figsize=(6, 3))
    chosen = (table["variant"] == variant) & (table["interval"] == interval)
    names, values = table["factor"][chosen], table["value"][chosen]
    ax.barh([name.replace("_", " ") for name in names], 100 * values, color="#59a14f")
    ax.invert_yaxis()
    ax.set_xlim(0, max(100, 100 * float(values.max(initial=0))))
    ax.set_xlabel("efficiency [%]")
    return ax


def plot_matrix(matrix: CommMatrix, what: str = "bytes", ax: Any = None) -> Any:
    """Senders as rows, receivers as columns; pairs without messages are white."""
    ax = _axes(ax, figsize=(5, 4.2))
    dense = matrix.to_numpy(what).astype(float)
    dense[dense == 0] = np.nan
    image = ax.imshow(dense, cmap="viridis_r", interpolation="nearest")
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


def plot_timeline(trace: Trace, ranks: Any = None, interval: Any = "common", ax: Any = None) -> Any:
    """Calls of MPI as bars, a row for each rank; white is computation."""
    calls = trace.calls(ranks=ranks, interval=interval)
    step = max(1, -(-calls.rows // _MOST_BARS))
    rank, begin, end = (calls[name][::step] for name in ("rank", "begin_ns", "end_ns"))
    rows, row = np.unique(rank, return_inverse=True)
    shown = trace.span()["whole"] if interval is None else trace.between(interval)
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
