"""Tables from elsewhere as columns of calls and regions, in the types that a trace has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core

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


def call_columns(table: Any, arguments: Any = None) -> dict[str, Any]:
    """The columns of calls that `table` has, with their arguments, which may be a table of their own.

    Raises:
        TypeError: a column is missing, or `table` is no table.
        ValueError: the columns are not of one length or dimension, one that is needed has nulls, or
            numbers do not fit.
    """
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


def region_columns(table: Any) -> dict[str, Any]:
    """The columns of visits of regions that `table` has; none of None. Raises as :func:`call_columns`."""
    if table is None:
        return {}
    given = _columns(table)
    regions: dict[str, Any] = {name: _filled(name, given[name], _NUMBERS[name])
                               for name in ("rank", "begin_ns", "end_ns")}
    regions["region"], regions["regions"] = _coded(_of_one_dimension("region", given["region"]))
    _of_one_length("regions", regions, ("rank", "begin_ns", "end_ns", "region"))
    return regions
