"""Traces and their tables."""

from __future__ import annotations

import html
import json
import os
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import index
from typing import Any, Union

from . import _core
from .columns import call_columns
from .commands import run
from .graph import Graph
from .model import LogGPS, Platform, options_of
from .plots import plot_timeline
from .reports import Page, folded
from .summaries import CommMatrix, Efficiency, FlatProfile
from .table import Column, Table

#: A rank, several, or None for all.
Ranks = Union[int, Iterable[int], None]
#: Begin and end in ns of the trace's own time, or a text as option ``interval`` of the command line ("common",
#: "program", "1.5s..2s" from the start of the run), or None for the whole run.
Interval = Union[tuple[int, int], str, None]
#: A name, several, or None for all.
Names = Union[str, Iterable[str], None]


#: Times of a trace lie within this of zero.
_LATEST_NS = 2**62


def _names(given: Names) -> list[str]:
    if given is None:
        return []
    names = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(name, str) for name in names):
        raise TypeError("operations, regions and functions are given by their names")
    return names


def _ranks(given: Ranks) -> list[int] | None:
    if given is None:
        return None
    if isinstance(given, str):
        raise TypeError("ranks are numbers")
    ranks = [index(rank) for rank in given] if isinstance(given, Iterable) else [index(given)]
    for rank in ranks:
        if abs(rank) >= 2**31:
            raise _core.Error(f"rank {rank} does not exist")
    return ranks


def _time(given: Any) -> int:
    """In whole ns; beyond all times what is later or earlier than these, infinity too."""
    return int(min(max(given, -_LATEST_NS), _LATEST_NS))


def _interval(given: Interval) -> tuple[int, int] | str | None:
    if given is None or isinstance(given, str):
        return given
    times = tuple(given) if isinstance(given, Iterable) else ()
    if len(times) != 2 or any(isinstance(time, (str, bytes)) for time in times):
        raise TypeError(f"cannot use {given!r} as interval: it is a pair of numbers, in ns of the trace's own time, or a "
                        "text. Example: interval='1.5s..2s'.")
    return _time(times[0]), _time(times[1])


def _filter(ranks: Ranks = None, interval: Interval = None, operation: Names = None,
            region: Names = None, function: Names = None) -> tuple[Any, ...]:
    return _ranks(ranks), _interval(interval), _names(operation), _names(region), _names(function)


#: Commands that read a trace as it is in its file.
_OF_THE_FILE = ("info", "query", "convert")

_PHASE_COLUMNS = ("begin_ns", "end_ns", "kind", "confidence", "phase", "representative", "waiting_ns", "main_pattern",
                  "late_rank", "late_share", "path_rank", "path_share", "parallel", "load_balance", "serialisation",
                  "transfer", "openmp_parallel")


class Trace:
    """One recorded run, as :func:`slackline.open` reads it.

    Its methods give tables. All times are nanoseconds of the trace's own time, integers, unless a
    method says otherwise; ranks are those of MPI_COMM_WORLD. Filters are applied before columns are
    made. A trace does not change; its methods may be called from several threads.

    Attributes:
        path: of the file or folder, as it was given.
        ranks: their number.
        timed: whether calls have times. A trace that is only a program has computation
            between calls and no times of calls.
        on: ``"measured"``, ``"predicted"`` or ``"simulated"``; empty for a trace without times.
    """

    def __init__(self, opened: Any, options: dict[str, Any]) -> None:
        self._opened = opened
        self._options = options
        self.path: str = opened.path
        self.ranks: int = opened.ranks
        self.timed: bool = opened.timed
        self.on: str = opened.on

    def calls(self, ranks: Ranks = None, interval: Interval = None, operation: Names = None,
              region: Names = None, function: Names = None) -> Table:
        """The calls of MPI, by rank and in program order.

        Args:
            ranks: only theirs.
            interval: only calls that lie in it, at least in part.
            operation: only these operations, as ``"MPI_Isend"`` or ``"isend"``.
            region: only calls inside of these regions, or functions where the recording has call
                paths and no regions.
            function: only calls inside of these functions, where the recording has call paths.

        Returns:
            A table with the columns

            - ``rank`` int32, ``call`` uint32: number of the call within its rank;
            - ``thread`` uint16, ``operation`` text;
            - ``begin_ns``, ``end_ns`` int64;
            - ``bytes`` int64: sent, received or contributed by this call;
            - ``peer`` int32: destination, source or root; -1 none, -2 MPI_PROC_NULL, -3 a wildcard
              that was never resolved, -4 MPI_ROOT;
            - ``tag`` int32, of collectives the element's size; ``comm`` uint32: row of
              :meth:`communicators`;
            - ``request`` uint32: serial of the request that is started or completed, 0 none;
            - ``flags`` uint8, as doc/formats/native.md lists them;
            - ``region`` text: the chain of regions or functions, as ``"main/solve"``;
            - ``function`` text: the function that makes the call, empty without call paths.

            Of all calls, or of ranks or calls that follow each other, ``begin_ns`` to ``flags`` are
            the trace's own memory, read-only. Else, and of the others, a column costs its values;
            where those are all the same, one value.

        Raises:
            slackline.Error: the trace has no such rank, operation, region or function.
        """
        given = _filter(ranks, interval, operation, region, function)
        selection = self._opened.select_calls(given)

        def chunks() -> Iterator[Table]:
            wanted = range(self.ranks) if given[0] is None else given[0]
            for rank in wanted:
                yield self._call_table(self._opened.select_calls(([rank], *given[1:])), None)

        return self._call_table(selection, chunks)

    def _call_table(self, selection: Any, chunks: Any) -> Table:
        def make(name: str) -> Column:
            return Column(*self._opened.call_column(selection, name))

        return Table(selection.rows, _core.call_column_names(), make, chunks)

    def arguments(self, ranks: Ranks = None) -> Table:
        """Further arguments of calls: ``rank``, ``call`` and ``value`` (int64), a row for each, in
        their order. Of completions they are requests, of MPI_Sendrecv the source, tag and bytes of
        what is received, of others what doc/formats/text.md lists. :func:`slackline.from_arrow`
        takes them with edited calls."""
        return Table.of(self._opened.arguments(_filter(ranks)))

    def messages(self, ranks: Ranks = None, interval: Interval = None) -> Table:
        """Point-to-point messages, by sender and in the order in which each sends them.

        Args:
            ranks: only messages that one of them sends or receives.
            interval: only those whose sending call begins in it.

        Returns:
            A table with ``message``, its number, ``source``, ``destination`` (int32), ``bytes`` (int64), ``tag``, ``comm``;
            the calls ``send_call`` and ``send_done_call`` of the source (the one that hands the
            message over, and the one that completes that) and ``receive_call`` and
            ``receive_done_call`` of the destination, uint32; ``send_begin_ns``, ``send_end_ns``,
            ``receive_begin_ns``, ``receive_end_ns``: when the first of each pair begins and the
            second ends. What the trace does not have is masked.
        """
        return Table.of(self._opened.messages(_filter(ranks, interval)))

    def collectives(self, ranks: Ranks = None) -> Table:
        """Collectives, one row for all members together; MPI_Init and MPI_Finalize are some, too.

        Args:
            ranks: only those in which one of them takes part.

        Returns:
            A table with ``collective``, its number, ``operation`` (in its blocking form), ``comm``, ``root`` (a world rank, -1
            none), ``members`` (their number), ``first_begin_ns`` and ``last_begin_ns`` (when the
            first and the last member enter), ``last_rank`` (which comes last) and ``last_end_ns``
            (when the last one is done; masked where one never is).
        """
        return Table.of(self._opened.collectives(_filter(ranks)))

    def communicators(self) -> Table:
        """``comm`` (its number in other tables), ``name``, ``members``, ``remote_members`` (of an
        intercommunicator, else 0). Number 1 is MPI_COMM_SELF of each rank."""
        return Table.of(self._opened.communicators())

    def members(self, comm: int) -> tuple[list[int], list[int]]:
        """World ranks of a communicator in its order, and of an intercommunicator's remote group.

        Raises:
            IndexError: there is no such communicator.
        """
        if not 0 <= index(comm) < 2**32:
            raise IndexError("no such communicator")
        return self._opened.members(index(comm))

    def regions(self, ranks: Ranks = None, interval: Interval = None) -> Table:
        """Visits of user regions: ``rank``, ``region``, ``depth`` (0: outermost), ``begin_ns``,
        ``end_ns``; by rank and begin."""
        return Table.of(self._opened.regions(_filter(ranks, interval)))

    def counters(self, ranks: Ranks = None) -> Table:
        """Hardware counters: ``rank``, ``before_call`` and an int64 column for each counter: what
        it gained in the computation before that call (after the last one: the number of calls)."""
        return Table.of(self._opened.counters(_filter(ranks)))

    def samples(self, ranks: Ranks = None) -> Table:
        """Where threads were found computing, in recordings that have samples: ``rank``, ``thread``,
        ``time_ns``, ``cpu_ns`` (the CPU time that one stands for), ``before_call`` and ``frame``,
        the innermost function with its line."""
        return Table.of(self._opened.samples(_filter(ranks)))

    def flat_profile(self) -> FlatProfile:
        """Where each rank's time goes, without what is called from there.

        Returns:
            A table with ``rank``, ``name``, ``mpi`` (whether it is an operation of MPI), ``count``
            and ``time_ns``. Other names are those of regions, or of functions where the recording
            has call paths and no regions, for the computation right in them, ``count`` stretches;
            ``"computation"`` is outside of all. Of a rank without threads the times add up to that
            from its start to its stop.

        Raises:
            slackline.Error: the trace has no times.
        """
        return FlatProfile.of(self._opened.flat_profile())

    def time_profile(self, bins: int = 50, interval: Interval = None) -> Table:
        """The same for windows of equal length, of all ranks together.

        Args:
            bins: the number of windows.
            interval: what is divided; None: the whole run.

        Returns:
            A table with a row for each window: ``begin_ns``, ``end_ns``, and an int64 column for
            each name of :meth:`flat_profile`, in ns. What spans windows counts in each by its part.

        Raises:
            slackline.Error: the trace has no times, or there are no bins.
        """
        return Table.of(self._opened.time_profile(_filter(interval=interval), index(bins)))

    def call_tree(self) -> Table:
        """The chains of regions or functions that occur: ``path`` ("main/solve"; first the empty one, outside
        of all), ``name`` (its last part), ``parent`` (row of the chain without it, -1 none),
        ``depth``, and what runs in itself on all ranks: ``calls`` of MPI, ``mpi_ns``,
        ``computation_ns``. The codes of the column ``region`` of :meth:`calls` are rows."""
        return Table.of(self._opened.call_tree())

    def message_histogram(self, bins: int = 20) -> Table:
        """How many point-to-point messages are of which size.

        Args:
            bins: of equal width from the smallest to the largest size.

        Returns:
            A table with a row for each bin: ``begin_bytes``, ``end_bytes`` (float64; the last bin
            includes it), ``messages`` and ``bytes``, their sum (int64).
        """
        return Table.of(self._opened.message_sizes(index(bins)))

    def comm_over_time(self, bins: int = 50, interval: Interval = None) -> Table:
        """How many point-to-point messages are sent when.

        Args:
            bins: of equal width.
            interval: what is divided; None: the whole run.

        Returns:
            A table with a row for each bin: ``begin_ns``, ``end_ns`` (float64), ``messages`` whose
            sending call begins in it, and their ``bytes``.

        Raises:
            slackline.Error: the trace has no times, or there are no bins.
        """
        return Table.of(self._opened.comm_over_time(_filter(interval=interval), index(bins)))

    def comm_matrix(self) -> CommMatrix:
        """Point-to-point messages by pair: ``source``, ``destination`` (int32), ``messages``,
        ``bytes`` (int64). ``.to_numpy()`` is the dense matrix."""
        matrix = CommMatrix.of(self._opened.comm_matrix())
        matrix.ranks = self.ranks
        return matrix

    def findings(self) -> Table:
        """What was wrong, lost or guessed in the input: ``name``, ``severity`` (info, notice,
        data_loss), ``count``, ``sentence``, ``examples``."""
        return Table.of(self._opened.findings())

    def wait_states(self, eager_threshold_bytes: int | None = None) -> Table:
        """Single waits by Scalasca's patterns.

        Args:
            eager_threshold_bytes: messages of at most this many bytes do not wait for their
                receiver. None: a send still under way when its receive begins has waited.

        Returns:
            A table with ``rank``, ``call``, ``operation``, ``pattern`` ("late_sender"),
            ``begin_ns`` of the call, ``wait_ns``, ``cause_rank`` (-1: no single rank),
            ``cause_call`` (masked without one), ``order`` of a late sender's message,
            ``effective`` (what the rank really waited for: the longest one of its call) and
            ``region``. The sum of ``wait_ns`` where ``effective`` is the run's waiting time.

        Raises:
            slackline.Error: the trace has no times.
        """
        eager = None if eager_threshold_bytes is None else index(eager_threshold_bytes)
        if eager is not None and not 0 <= eager < 2**63:
            raise _core.Error(f"cannot use {eager} as the eager threshold: it is out of range. Give bytes, 0 or more.")
        return Table.of(self._opened.wait_states(eager))

    def critical_path(self) -> Table:
        """The critical path's segments in order of time; their lengths add up to the run's.

        Returns:
            A table with ``begin_ns``, ``end_ns`` (from the start of the run), ``rank``, ``call``
            (of computation the call that ends it), ``operation`` ("computation" outside of MPI)
            and ``region``.

        Raises:
            slackline.Error: the trace has no times.
        """
        return Table.of(self._opened.critical_path())

    def efficiency(self, **options: Any) -> Efficiency:
        """POP's efficiency factors, as ``slackline efficiency`` gives them.

        Args:
            options: those of the command, such as ``interval="program"`` or ``scaling="weak"``.

        Returns:
            A table with ``interval`` ("analysed" or "whole"), ``variant`` ("multiplicative",
            "additive", "basicanalysis"), ``factor`` ("parallel", "load_balance", "communication",
            "serialisation", "transfer") and ``value``, a ratio.

        Raises:
            slackline.Error: the trace has no times, and no option ``on`` chooses a run that has them.
        """
        self._require_times("analyse the measured run", options)
        result = self.run("efficiency", **options)["result"]["runs"][0]
        variants = ("multiplicative", "additive", "basicanalysis")
        return Efficiency.of_records([
            {"interval": interval, "variant": variant, "factor": factor, "value": value}
            for interval, part in (("analysed", result["analysed"]), ("whole", result))
            for variant in variants if part.get(variant)
            for factor, value in part[variant].items()], ("interval", "variant", "factor", "value"))

    def phases(self, **options: Any) -> Table:
        """Intervals of the run that behave differently, as ``slackline phases`` finds them.

        Args:
            options: those of the command, such as ``rank=3``.

        Returns:
            A table with ``begin_ns``, ``end_ns`` (from the start of the run), ``kind`` (what limits
            the efficiency most), ``confidence``, ``phase`` (intervals of one number behave alike),
            ``representative``, ``waiting_ns``, ``main_pattern``, ``late_rank``, ``late_share``,
            ``path_rank``, ``path_share`` and the efficiencies ``parallel``, ``load_balance``,
            ``serialisation``, ``transfer`` and, of programs with OpenMP, ``openmp_parallel``.

        Raises:
            slackline.Error: the trace has no times, and no option ``on`` chooses a run that has them.
        """
        self._require_times("analyse the measured run", options)
        regions = self.run("phases", **options)["result"]["regions"]
        return Table.of_records([
            {**{key: value for key, value in region.items() if key != "efficiency"},
             **region["efficiency"]} for region in regions], _PHASE_COLUMNS)

    def query(self, sql: str) -> Table:
        """Rows by SQL, of the trace as it was opened: with its corrected clocks, its predicted or
        simulated times.

        Args:
            sql: one statement of SQLite's over the tables ``calls``, ``messages``, ``collectives``,
                ``regions``, ``communicator_members``, ``ranks`` and ``findings``.

        Returns:
            A table of what is selected, also where that is no row. Columns are int64, float64 or
            text; NULL is masked. Of two columns called ``a`` the second one is ``a:1``.

        Raises:
            slackline.Error: with what SQLite says of a wrong statement.
        """
        return Table.of(self._opened.query(str(sql)))

    def graph(self, model: LogGPS | None = None, **options: Any) -> Graph:
        """The execution graph, for predictions by the LogGPS model.

        Args:
            model: the network; what it leaves out is that of the preset.
            options: of the command line's ``predict``: ``collectives="allreduce=ring"``,
                ``S="64KiB"``, ``rendezvous``, ``computation``, ``topology``, ``ranks_per_node``,
                ``placement``, ``machine`` and others.

        Returns:
            A graph of its own, for which the file is read again.

        Raises:
            slackline.Error: an option makes no sense.
            TypeError: there is no such option.
        """
        if "trace" in options:
            raise TypeError("'graph' has no argument 'trace'")
        known = _core.arguments_of("predict")
        given = {name: value for name, value in self._options.items() if name in known}
        return Graph(_core.graph({"trace": self.path, **given, **options_of(model, **options)}))

    def edited(self, edit: Callable[[Table], Mapping[str, Any]],
               path: str | os.PathLike[str] | None = None) -> Trace:
        """The trace with columns of its calls replaced: an edit of one's own.

        Args:
            edit: gets :meth:`calls` and returns the columns that it changes, as arrays of as many
                rows, such as ``lambda calls: {"bytes": calls["bytes"] // 2}``.
            path: the native trace to write (``.slk``). None: a temporary file, which goes with the
                trace.

        Returns:
            A trace of its own, which is as this one in everything else: call paths, regions,
            counters and samples included. What lies between calls moves with the call before it.

        Raises:
            slackline.Error: the trace has no times, or the calls make no sense.
            KeyError: `edit` names a column that calls do not have, or that cannot change: ``rank``
                and ``call`` tell which call it is, ``region`` and ``function`` where it stands.
            ValueError: a column has another number of rows.
        """
        self._require_times("edit the calls")
        calls = self.calls()
        changed = dict(edit(calls))
        unknown = [name for name in changed if name not in calls]
        if unknown:
            raise KeyError(f"calls have no column {', '.join(unknown)}")
        fixed = [name for name in changed if name in ("rank", "call", "region", "function")]
        if fixed:
            raise KeyError(f"cannot change column {', '.join(fixed)} of calls")
        columns = {name: changed.get(name, calls[name]) for name in calls if name not in ("region", "function")}
        named = call_columns(columns)
        return written_trace(path, lambda name: _core.write_edited(name, named, self._opened))

    def plot(self, ranks: Ranks = None, interval: Interval = "common", ax: Any = None) -> Any:
        """An excerpt of the time line: calls of MPI as bars, a row for each rank.

        Returns:
            matplotlib's Axes.
        """
        return plot_timeline(self.calls(ranks=ranks, interval=interval), self.between(interval), ax)

    def between(self, interval: Interval) -> tuple[int, int]:
        """Begin and end, in ns of the trace's own time, of an interval that every method takes; of
        None those of the whole run.

        Raises:
            slackline.Error: the text is none that ``--interval`` takes.
        """
        if interval is None:
            return self.span()["whole"]
        times = _interval(interval)
        return self._opened.interval(times) if isinstance(times, str) else times

    def span(self) -> dict[str, tuple[int, int]]:
        """When the run begins and ends, in ns of the trace's own time: ``whole``, ``analysed``
        (first return from MPI_Init to last entry into MPI_Finalize), ``common`` (last to first)."""
        return dict(zip(("whole", "analysed", "common"), self._opened.span()))

    @property
    def info(self) -> dict[str, Any]:
        """The input's identity: path, format, bytes, checksum, ranks, calls, timed, program, mpi."""
        return json.loads(self._opened.input_json)

    def run(self, command: str, **options: Any) -> dict[str, Any]:
        """:func:`slackline.run` of a command on this trace, read again from its file.

        The options with which the trace was opened hold for commands that have them.

        Raises:
            slackline.Error: as the command does; or the trace was opened with predicted or simulated
                times, and the command knows only those of the file.
            TypeError: the command has no such argument.
        """
        return run(command, self, **options)

    @property
    def opened_with(self) -> list[str]:
        """The names of the options with which the trace was opened."""
        return sorted(self._options)

    def options_for(self, command: str, options: dict[str, Any]) -> dict[str, Any]:
        """`options` of a command, with those that the trace was opened with where it has them.

        Raises:
            slackline.Error: the trace was opened with predicted or simulated times, and the command
                knows only those of the file.
        """
        known = _core.arguments_of(command)
        if self._options.get("on", "measured") != "measured" and "on" not in known and command in _OF_THE_FILE:
            if command != "convert" or self.on != "predicted":
                raise _core.Error(f"cannot run '{command}': the trace has {self.on} times, and the command knows only "
                                  "those of the file. Open the trace without 'on'.")
            options = {"predicted": True, **options}
        return {**{name: value for name, value in self._options.items() if name in known}, **options}

    def _require_times(self, action: str, options: Mapping[str, Any] | None = None) -> None:
        if not self.timed and not (options and options.get("on")):
            raise _core.Error(f"cannot {action}: the trace has no timestamps. "
                              "Open it with on='predicted' or on='simulated'.")

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{name}</th><td style='text-align:left'>"
                       f"{html.escape(str(value))}</td></tr>" for name, value in self.info.items())
        lost = self.findings()
        findings = lost._repr_html_() if lost.rows else ""
        tables = f"<table><caption>{html.escape(self.path)}</caption>{rows}</table>{findings}"
        return Page(_core.info(self._opened).text("html"), 520)._repr_html_() + folded(tables)

    def __reduce__(self) -> Any:
        """Pickled as its path: the trace is read again where it is unpickled."""
        return open_again, (os.path.abspath(self.path), self._options)

    def __repr__(self) -> str:
        kind = f"{self.on} " if self.on else ""
        return f"<slackline.Trace {self.path!r}: {self.ranks} rank{'s' * (self.ranks != 1)}, {kind}{self.info['calls']} calls>"


def open_trace(path: str | os.PathLike[str] | None = None, *, on: str | None = None,
               fix_clocks: bool = False, model: LogGPS | Platform | None = None, **options: Any) -> Trace:
    """Opens a trace of any format that Slackline reads.

    Args:
        path: a trace file, or a folder that ``slackline record`` made. None: the newest
            slackline-trace* in the current folder.
        on: ``"measured"``, ``"predicted"`` or ``"simulated"``: which run's times the calls get.
            None: those that the trace has.
        fix_clocks: corrects clocks wherever messages or collectives run back in time.
        model: the network of a predicted run, or the platform of a simulated one.
        options: of the model (``L="3us"``, ``o``, ``G``, ``S``, ``network``, ``collectives``,
            ``topology``, ...) with ``on="predicted"``, of the platform (``platform="p.xml"``,
            ``hostfile``, ``map``, ...) with ``on="simulated"``, as on the command line.

    Raises:
        slackline.Error: there is no such trace, it cannot be read, or an option makes no sense.
        TypeError: there is no such option.
    """
    if "trace" in options:
        raise TypeError("'open' has no argument 'trace'; its first one is the path")
    given = options_of(model, **options, on=on, fix_clocks=fix_clocks or None)
    return open_again(None if path is None else os.fspath(path), given)


def open_again(path: str | None, options: dict[str, Any]) -> Trace:
    """The trace with options as :func:`open_trace` passes them on."""
    request = dict(options) if path is None else {**options, "trace": path}
    return Trace(_core.open(request), options)


def written_trace(path: str | os.PathLike[str] | None, write: Callable[[str], None]) -> Trace:
    """The trace that `write` writes to `path`. None: to a temporary file, which goes with the trace."""
    temporary = None
    if path is None:
        temporary = tempfile.TemporaryDirectory(prefix="slackline-")
        path = os.path.join(temporary.name, "trace.slk")
    write(os.fspath(path))
    trace = open_trace(path)
    if temporary is not None:
        weakref.finalize(trace, temporary.cleanup)
    return trace
