"""Execution graphs: what the LogGPS model says of a run, at any latency, overhead and bandwidth."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .model import LogGPS, options_of
from .plots import figure_html, plot_envelope
from .reports import Page, folded
from .table import Table


@dataclass(frozen=True)
class Prediction:
    """The run under the model at one set of parameters.

    Attributes:
        makespan_ns: the run time T.
        lambda_L: how many latencies the critical path pays, dT/dL.
        lambda_o: how many overheads, dT/do.
        lambda_G_bytes: for how many bytes it pays G, dT/dG.
        rho_L: the part of T that is latency, a ratio.
        measured_ns: the measured run time; None of a trace without times.
        report: what ``slackline predict --format json`` prints.
    """

    makespan_ns: float
    lambda_L: int
    lambda_o: int
    lambda_G_bytes: int
    rho_L: float
    measured_ns: int | None
    report: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Envelope:
    """T as a function of one parameter: exactly, piece by piece, in an interval.

    Attributes:
        parameter: "L", "o" or "G".
        from_ns, to_ns: the interval; of G in ns per byte.
        base_ns: the model's own value of the parameter.
        pieces: ``from_ns``, ``to_ns``, ``lambda`` (the slope) and ``makespan_at_from_ns``.
        exact: whether these are all pieces.
        report: what ``slackline sensitivity --format json`` prints.

    Notebooks show it as the page does.
    """

    parameter: str
    from_ns: float
    to_ns: float
    base_ns: float
    pieces: Table
    exact: bool
    report: dict[str, Any] = field(repr=False)
    _answer: Any = field(default=None, repr=False, compare=False)

    def __call__(self, value_ns: npt.ArrayLike) -> Any:
        """T in ns at these values of the parameter, of the shape of `value_ns`.

        Raises:
            ValueError: a value lies outside of the interval.
        """
        at = np.asarray(value_ns, dtype=float)
        if np.any(at < self.from_ns) or np.any(at > self.to_ns):
            raise ValueError(f"the interval is {self.from_ns} to {self.to_ns} ns")
        i = np.searchsorted(self.pieces["from_ns"], at, side="right") - 1
        makespan = self.pieces["makespan_at_from_ns"][i] + self.pieces["lambda"][i] * (at - self.pieces["from_ns"][i])
        return float(makespan) if np.isscalar(value_ns) else makespan

    def plot(self, ax: Any = None) -> Any:
        """T over the parameter; returns matplotlib's Axes."""
        at = np.append(self.pieces["from_ns"], self.to_ns)
        return plot_envelope(self.parameter, at, self(at), self.base_ns, ax)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_answer": None}

    def _repr_html_(self) -> str:
        picture = figure_html(self.plot)
        if self._answer is None:
            return picture
        return Page(self._answer.text("html"), 760)._repr_html_() + folded(picture)


class Graph:
    """The execution graph of a trace for one choice of collective algorithms and eager threshold.

    :meth:`Trace.graph` makes it. Its methods take L, o and G that differ from those it was made
    with, as keywords: text with a unit (``L="3us"``), or numbers by names that have it (``L_ns=3000``,
    ``o_ns``, ``G_ns_per_byte``). They compute one after the other, also when several threads call
    them.

    Attributes:
        vertices, edges: their numbers.
    """

    def __init__(self, core: Any) -> None:
        self._core = core
        self.vertices: int = core.vertices
        self.edges: int = core.edges

    def _ask(self, command: str, model: LogGPS | None, parameters: dict[str, Any], **options: Any) -> dict[str, Any]:
        return json.loads(self._answer(command, model, parameters, **options).text("json"))

    def _answer(self, command: str, model: LogGPS | None, parameters: dict[str, Any], **options: Any) -> Any:
        changed = options_of(model, **parameters)
        fixed = sorted(set(changed) - {"L", "o", "G"})
        if fixed:
            known = _core.arguments_of("predict")
            if not known.issuperset(fixed):
                raise TypeError(f"'{command}' has no argument '{min(set(fixed) - known)}'")
            raise TypeError(f"a graph has its {', '.join(fixed)}; make another one with Trace.graph()")
        return self._core.ask(command, changed, options_of(**options))

    def predict(self, model: LogGPS | None = None, *, left: bool = False, pairs: bool = False,
                bootstrap: int | None = None, seed: int | None = None, **parameters: Any) -> Prediction:
        """Run time, sensitivities and critical path: ``slackline predict``.

        Args:
            left: left derivatives where several paths are equally long.
            pairs: messages and bytes on the critical path by pair of ranks, in the report.
            bootstrap: replicates with resampled computation, for intervals in the report.
            seed: of the resampling.
            parameters: L, o and G.

        Raises:
            slackline.Error: a parameter is not understood.
            TypeError: `model` names what a graph cannot change, or a number has no unit.
        """
        report = self._ask("predict", model, parameters, left=left, pairs=pairs, bootstrap=bootstrap, seed=seed)
        result = report["result"]
        return Prediction(result["makespan_ns"], result["lambda_L"], result["lambda_o"],
                          result["lambda_G_bytes"], result["rho_L"], result.get("measured_ns"), report)

    def sensitivity(self, param: str = "L", from_: str | None = None, to: str | None = None,
                    model: LogGPS | None = None, **parameters: Any) -> Envelope:
        """T as a function of one parameter: ``slackline sensitivity``.

        Args:
            param: "L", "o" or "G", or of some messages as "L:inter-group" or "L[3][7]".
            from_: begin of the interval, as "1us"; 0 by default.
            to: its end; ten times the model's own value by default.
            parameters: L, o and G.

        Raises:
            slackline.Error: the parameter or the interval makes no sense.
        """
        answer = self._answer("sensitivity", model, parameters, param=param, from_=from_, to=to)
        report = json.loads(answer.text("json"))
        result, options = report["result"], report["options"]
        base = options[{"L": "L_ns", "o": "o_ns", "G": "G_ns_per_byte"}[param[0]]]
        return Envelope(result["parameter"], options["from_ns"], options["to_ns"], base,
                        Table.of_records(result["pieces"], ("from_ns", "to_ns", "lambda", "makespan_at_from_ns")),
                        result["exact"], report, answer)

    def tolerance(self, degrade: Sequence[str] | str | None = None, param: str = "L",
                  model: LogGPS | None = None, *, bootstrap: int | None = None, seed: int | None = None,
                  **parameters: Any) -> Table:
        """How far a parameter may grow before the run is slower by a given share: ``slackline tolerance``.

        Args:
            degrade: increases of the run time, as "5%"; 1 %, 2 % and 5 % by default.
            param: as in :meth:`sensitivity`.
            parameters: L, o and G.

        Returns:
            A table with ``degradation`` (a ratio), ``value_ns`` (of the parameter; masked where no
            value is too large) and ``makespan_ns``.

        Raises:
            slackline.Error: a degradation or the parameter is not understood.
        """
        texts = degrade if degrade is None or np.isscalar(degrade) else list(degrade)
        report = self._ask("tolerance", model, parameters, degrade=texts, param=param, bootstrap=bootstrap, seed=seed)
        return Table.of_records(report["result"]["tolerance"], ("degradation", "value_ns", "makespan_ns"))

    def gains(self, model: LogGPS | None = None, *, call_paths: bool = False, **parameters: Any) -> Table:
        """What the run would gain from faster functions, ranks and communication: ``slackline gains``.

        Args:
            call_paths: of every call path, too.
            parameters: L, o and G.

        Returns:
            A table with ``name``, ``kind`` ("computation", "region", "function",
            "call-path", "rank", "operation"; at most eight ranks, and
            sixteen of each other kind),
            ``time_ns`` (of all ranks), ``share``, ``on_critical_path_ns``, ``gain_10``, ``gain_25``,
            ``gain_50``, ``gain_100`` (ns, when it gets shorter by that many percent) and
            ``saturation`` (a ratio: shortening it by more gains nothing more). All of the run that
            the model predicts.
        """
        report = self._ask("gains", model, parameters, call_paths=call_paths)
        return Table.of_records([
            {**{key: value for key, value in row.items() if key not in ("gain_ns", "saturation")},
             **{"gain_" + percent.rstrip("%"): gain for percent, gain in row["gain_ns"].items()},
             "saturation": row["saturation"]} for row in report["result"]["gains"]],
            ("name", "kind", "time_ns", "share", "on_critical_path_ns", "gain_10", "gain_25", "gain_50", "gain_100",
             "saturation"))

    def critical_path(self, model: LogGPS | None = None, **parameters: Any) -> Table:
        """Segments of the predicted run's critical path: ``slackline path --on predicted``.

        Returns:
            A table with ``begin_ns``, ``end_ns``, ``part`` ("compute", "overhead", "latency",
            "bandwidth"), ``rank``, ``from_rank``, ``call``, ``operation`` and ``region``.
        """
        return Table.of_records(
            self._ask("critical-path", model, parameters)["result"]["segments"],
            ("begin_ns", "end_ns", "part", "rank", "from_rank", "call", "operation", "region"))

    def __repr__(self) -> str:
        return f"<slackline.Graph: {self.vertices} vertices, {self.edges} edges>"
