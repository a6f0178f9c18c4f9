"""The way in for traces of formats that Slackline does not read: columns of calls."""

from __future__ import annotations

import os
from collections.abc import Sequence
from operator import index
from typing import Any

from . import _core
from .columns import call_columns, region_columns
from .trace import Trace, written_trace


def from_arrow(calls: Any, path: str | os.PathLike[str] | None = None, *, arguments: Any = None,
               regions: Any = None, communicators: Sequence[Sequence[int]] = (),
               ranks: int | None = None) -> Trace:
    """A trace of columns of calls: the way in for formats that nobody has written a reader for.

    Args:
        calls: a table, as any object with ``__arrow_c_stream__`` (Polars, pyarrow, DuckDB), a
            pandas DataFrame, or a mapping from names to arrays. Its columns are those of
            :meth:`Trace.calls`: ``rank``, ``operation`` ("MPI_Isend" or "isend"), ``begin_ns`` and
            ``end_ns``, and where they mean something ``bytes``, ``peer`` (world rank: destination,
            source or root), ``tag``, ``comm``, ``request`` (a number that is one rank's own: given
            by what starts a request, named by what completes it), ``thread``, ``flags`` and
            ``args`` (lists of int64: of ``waitall`` the requests; of ``sendrecv`` source, tag and
            bytes of what is received). Calls of a rank stand in its program's order. Other columns
            are ignored.
        path: the native trace to write (``.slk``). None: a temporary file, which goes with the
            trace.
        arguments: instead of the column ``args``, a table like that of :meth:`Trace.arguments`; then
            `calls` have a column ``call`` that it refers to.
        regions: visits of user regions, a table with ``rank``, ``region``, ``begin_ns``, ``end_ns``.
        communicators: members of those with the numbers 2, 3, ..., as world ranks in their order.
        ranks: their number; by default one more than the largest rank.

    Returns:
        The trace, read from its file.

    Raises:
        slackline.Error: an operation, a rank or a communicator does not exist, or the file cannot
            be written.
        TypeError: a column is missing, or `calls` is no table.
        ValueError: the columns are not of one length or dimension, one that is needed has nulls, or
            numbers do not fit.
    """
    columns = call_columns(calls, arguments)
    count = max(1, int(columns["rank"].max(initial=-1)) + 1) if ranks is None else index(ranks)
    if not 0 < count < 2**31:
        raise _core.Error(f"cannot make a trace of {count} ranks: there has to be at least one. Give 'ranks'.")
    groups = [[index(member) for member in members] for members in communicators]
    visits = region_columns(regions)
    return written_trace(path, lambda name: _core.write_trace(name, count, columns, visits, groups))
