"""The way in for traces of formats that Slackline does not read: columns of calls."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import Any

import numpy as np

from . import _core
from .trace import Trace, open_trace

_NUMBERS = {"rank": np.int32, "begin_ns": np.int64, "end_ns": np.int64, "bytes": np.uint64, "peer": np.int32,
            "tag": np.int32, "comm": np.uint32, "request": np.uint32, "thread": np.uint16, "flags": np.uint8}


def _joined(batches: list[Any]) -> Any:
    """A column of several batches as an array, or a list of text or of lists."""
    if not batches:
        return np.empty(0)
    if isinstance(batches[0][0], tuple):
        return [elements[begin:end] if there else None for (offsets, elements), _, valid in batches
                for begin, end, there in zip(offsets, offsets[1:], _validity(offsets[1:], valid))]
    if batches[0][1] is not None:
        return np.concatenate([_texts(*batch) for batch in batches])
    return np.ma.concatenate([np.ma.MaskedArray(values, False if valid is None else ~valid)
                           for values, _, valid in batches])


def _validity(values: Any, valid: Any) -> Any:
    return np.ones(len(values), bool) if valid is None else valid


def _texts(codes: Any, categories: list[str], valid: Any) -> Any:
    there = _validity(codes, valid)
    texts = np.full(len(codes), None, dtype=object)
    texts[there] = np.array(categories, dtype=object)[codes[there]]
    return texts


def _columns(table: Any) -> dict[str, Any]:
    if hasattr(table, "__arrow_c_stream__"):
        stream = table.__arrow_c_stream__()
        return {name: _joined(batches) for name, batches in _core.arrow_columns(stream).items()}
    if isinstance(table, Mapping) or hasattr(table, "columns"):
        return {name: table[name] for name in (table if isinstance(table, Mapping) else table.columns)}
    raise TypeError("a table has __arrow_c_stream__, or is a DataFrame or a mapping of columns")


def _coded(values: Any) -> tuple[np.ndarray, list[str]]:
    """Codes into the different texts, which stand in the order of their first appearance."""
    texts, first, codes = np.unique(np.asarray(values, dtype=str), return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)
    place = np.empty(len(texts), dtype=np.int32)
    place[by_appearance] = np.arange(len(texts), dtype=np.int32)
    return place[codes], texts[by_appearance].tolist()


_REQUIRED = ("rank", "operation", "region", "begin_ns", "end_ns")


def _has_nulls(values: Any) -> bool:
    if np.ma.isMaskedArray(values):
        return bool(np.ma.getmaskarray(values).any())
    return bool(values.isna().any()) if hasattr(values, "isna") else any(value is None for value in values)


def _of_one_dimension(name: str, values: Any) -> Any:
    if np.ndim(values) != 1:
        raise ValueError(f"column {name} is not of one dimension")
    if name in _REQUIRED and _has_nulls(values):
        raise ValueError(f"column {name} has nulls")
    return values


def _filled(name: str, values: Any, dtype: Any) -> np.ndarray:
    values = _of_one_dimension(name, values)
    default = -1 if name == "peer" else 0
    if np.ma.isMaskedArray(values):
        values = values.filled(default)
    elif hasattr(values, "fillna"):
        values = values.fillna(default)
    given = np.asarray(values)
    if given.size == 0:
        return np.empty(0, dtype)
    limits = np.iinfo(dtype)
    whole = given.dtype.kind in "iub" or (given.dtype.kind == "f" and bool((given == np.trunc(given)).all()))
    if not whole:
        raise ValueError(f"column {name} is not of whole numbers")
    if int(given.min()) < limits.min or int(given.max()) > limits.max:
        raise ValueError(f"column {name} has values beyond {limits.min} to {limits.max}")
    return np.ascontiguousarray(given, dtype=dtype)


def _of_one_length(what: str, columns: Mapping[str, Any], names: Any) -> int:
    lengths = {len(columns[name]) for name in names if name in columns}
    if len(lengths) > 1:
        raise ValueError(f"the columns of {what} are not of one length")
    return lengths.pop()


def _argument_lists(arguments: Any, given: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Where each call's arguments begin, and all of them; `arguments` name rank and call."""
    columns = _columns(arguments)
    rank, call = (np.asarray(given[name], dtype=np.int64) for name in ("rank", "call"))
    of_rank, of_call = (np.asarray(columns[name], dtype=np.int64) for name in ("rank", "call"))
    stride = int(max(call.max(initial=0), of_call.max(initial=0))) + 1
    keys, keys_of = rank * stride + call, of_rank * stride + of_call
    order = np.argsort(keys_of, kind="stable")
    begin, end = (np.searchsorted(keys_of[order], keys, side=side) for side in ("left", "right"))
    first = np.concatenate([[0], np.cumsum(end - begin)])
    picked = np.arange(first[-1]) + np.repeat(begin - first[:-1], end - begin)
    return first, np.asarray(columns["value"], dtype=np.int64)[order][picked]


def _calls(table: Any, arguments: Any) -> dict[str, Any]:
    given = _columns(table)
    missing = [name for name in ("rank", "operation", "begin_ns", "end_ns") if name not in given]
    if missing:
        raise TypeError(f"calls have no column {', '.join(missing)}")
    calls: dict[str, Any] = {name: _filled(name, given[name], dtype) for name, dtype in _NUMBERS.items()
                             if name in given}
    calls["operation"], calls["operations"] = _coded(_of_one_dimension("operation", given["operation"]))
    if arguments is not None:
        calls["first_arg"], calls["args"] = _argument_lists(arguments, given)
    elif "args" in given:
        lists = [np.asarray(() if value is None else value, dtype=np.int64) for value in given["args"]]
        calls["first_arg"] = np.concatenate([[0], np.cumsum([len(value) for value in lists])])
        calls["args"] = np.concatenate([np.empty(0, np.int64), *lists])
    rows = _of_one_length("calls", calls, (*_NUMBERS, "operation"))
    if "first_arg" in calls and len(calls["first_arg"]) != rows + 1:
        raise ValueError("the columns of calls are not of one length")
    return calls


def _regions(table: Any) -> dict[str, Any]:
    if table is None:
        return {}
    given = _columns(table)
    regions: dict[str, Any] = {name: _filled(name, given[name], _NUMBERS[name])
                               for name in ("rank", "begin_ns", "end_ns")}
    regions["region"], regions["regions"] = _coded(_of_one_dimension("region", given["region"]))
    _of_one_length("regions", regions, ("rank", "begin_ns", "end_ns", "region"))
    return regions


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
    columns = _calls(calls, arguments)
    count = max(1, int(columns["rank"].max(initial=-1)) + 1) if ranks is None else index(ranks)
    if not 0 < count < 2**31:
        raise _core.Error(f"cannot make a trace of {count} ranks: there has to be at least one. Give 'ranks'.")
    groups = [[index(member) for member in members] for members in communicators]
    return _written(path, lambda name: _core.write_trace(name, count, columns, _regions(regions), groups))


def edited_trace(path: str | os.PathLike[str] | None, calls: Any, edited: Any) -> Trace:
    """The opened trace `edited` with these columns of its calls."""
    columns = _calls(calls, None)
    return _written(path, lambda name: _core.write_edited(name, columns, edited))


def _written(path: str | os.PathLike[str] | None, write: Callable[[str], None]) -> Trace:
    """The trace that `write` writes to `path`, or to a temporary file."""
    temporary = None
    if path is None:
        temporary = tempfile.TemporaryDirectory(prefix="slackline-")
        path = os.path.join(temporary.name, "trace.slk")
    write(os.fspath(path))
    trace = open_trace(path)
    if temporary is not None:
        weakref.finalize(trace, temporary.cleanup)
    return trace
