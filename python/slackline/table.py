"""Tables: named columns of one length, as NumPy arrays, for pandas and for all who read Arrow."""

from __future__ import annotations

import html
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core

if TYPE_CHECKING:
    import pandas

Array = npt.NDArray[Any]


class Column(NamedTuple):
    """A column as it is stored.

    Attributes:
        values: shape (rows,). Text is stored as codes into `categories`.
        categories: the texts that `values` are codes of, without duplicates; None where the column
            is not text.
        valid: shape (rows,), of booleans: where there is a value. None where there always is.
    """

    values: Array
    categories: list[str] | None = None
    valid: Array | None = None


def compact(column: Column) -> Column:
    """The same text with only those categories that occur, each once."""
    if column.categories is None:
        return column
    used, codes = np.unique(column.values, return_inverse=True)
    texts = [column.categories[code] for code in used]
    unique = list(dict.fromkeys(texts))
    position = {text: i for i, text in enumerate(unique)}
    recoded = np.array([position[text] for text in texts], dtype=np.int32)[codes]
    return Column(recoded.astype(np.int32, copy=False), unique, column.valid)


class Table(Mapping[str, Array]):
    """Named columns of one length; a mapping from their names to NumPy arrays, whose length is its
    number of rows, as that of a DataFrame.

    Columns are made when they are first asked for, and kept. An array that is the trace's own
    memory, without a copy, is read-only. Every table offers the Arrow PyCapsule interface, so that
    ``polars.from_arrow(table)``, ``pyarrow.table(table)`` and DuckDB's ``FROM table`` read it.
    """

    def __init__(self, rows: int, names: Sequence[str], make: Callable[[str], Column],
                 chunks: Callable[[], Iterable[Table]] | None = None) -> None:
        self._rows = rows
        self._names = list(names)
        self._make = make
        self._made: dict[str, Column] = {}
        self._chunks = chunks

    @classmethod
    def of(cls, columns: Mapping[str, Column]) -> Table:
        """A table of columns that are there already."""
        stored = {name: compact(Column(*column)) for name, column in columns.items()}
        rows = max((len(column.values) for column in stored.values()), default=0)
        return cls(rows, list(stored), stored.__getitem__)

    @classmethod
    def of_records(cls, records: Sequence[Mapping[str, Any]], names: Sequence[str] = ()) -> Table:
        """A table with a row for each record. The first record's keys name the columns; `names` do
        where there is none."""
        names = list(records[0]) if records else list(names)
        return cls.of({name: _column_of([record[name] for record in records]) for name in names})

    @property
    def columns(self) -> list[str]:
        """The columns' names, in their order."""
        return list(self._names)

    @property
    def rows(self) -> int:
        """The number of rows, as ``len(table)``."""
        return self._rows

    def column(self, name: str) -> Column:
        """The column as it is stored: codes and categories where it is text.

        Raises:
            KeyError: there is no column of that name.
        """
        if name not in self._made:
            if name not in self._names:
                raise KeyError(f"no column {name!r}; there are {', '.join(self._names)}")
            self._made[name] = self._make(name)
        return self._made[name]

    def __getitem__(self, name: str) -> Array:
        """Shape (rows,): text as str; a masked array where there are rows without a value."""
        values, categories, valid = self.column(name)
        if categories is not None:
            values = np.array(categories or [""], dtype=str)[values]
        return values if valid is None else np.ma.MaskedArray(values, ~valid)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return self._rows

    # The views of Mapping would take the number of rows for that of columns.

    def keys(self) -> KeysView[str]:
        return dict.fromkeys(self._names).keys()

    def values(self) -> ValuesView[Array]:
        return self.to_dict().values()

    def items(self) -> ItemsView[str, Array]:
        return self.to_dict().items()

    def to_pandas(self, columns: Sequence[str] | None = None, *, copy: bool = False) -> pandas.DataFrame:
        """A DataFrame of `columns` (default: all); text is categorical, integers with holes Int64.

        Arrays are shared with the table, not copied: O(1) beyond what making the columns takes.
        Those that are the trace's own memory cannot be changed in place (``frame["begin_ns"] -= 5``
        fails, ``frame["begin_ns"] = frame["begin_ns"] - 5`` does not), unless `copy` asks for a
        frame of its own.
        """
        import pandas as pd

        wanted = self._names if columns is None else list(columns)
        series = {name: _to_pandas(self.column(name)) for name in wanted}
        return pd.DataFrame(series, copy=copy, index=pd.RangeIndex(self._rows))

    def to_dict(self) -> dict[str, Array]:
        """All columns, as ``dict(table)``."""
        return {name: self[name] for name in self._names}

    def _exported(self) -> list[tuple[str, Array, list[str] | None, Array | None]]:
        return [(name, np.ascontiguousarray(column.values), column.categories, column.valid)
                for name in self._names for column in [self.column(name)]]

    def __arrow_c_schema__(self) -> object:
        """The Arrow schema, a struct of the columns, as a PyCapsule ``arrow_schema``."""
        return _core.arrow_schema(self._exported())

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """Schema and array of all rows as PyCapsules; `requested_schema` is not followed."""
        columns = self._exported()
        return _core.arrow_schema(columns), _core.arrow_array(columns, self._rows)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A PyCapsule ``arrow_array_stream``: calls rank by rank without a copy, else one batch."""
        def batches() -> Iterator[tuple[int, list[Any]]]:
            for chunk in self._chunks() if self._chunks else [self]:
                yield chunk.rows, chunk._exported()

        empty = self._schema_table()
        return _core.arrow_stream(empty._exported(), batches())

    def _schema_table(self) -> Table:
        """One that has the same schema and is cheap to make."""
        if self._chunks is None:
            return self
        return next(iter(self._chunks()), self)

    def __reduce__(self) -> Any:
        """Pickled with all columns, without the trace."""
        columns = {name: self.column(name) for name in self._names}
        attributes = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        return _restored, (type(self), self._rows, columns, attributes)

    def __repr__(self) -> str:
        return f"<slackline.Table: {self._rows} rows, columns {', '.join(self._names)}>"

    def _repr_html_(self, most: int = 20) -> str:
        """The first rows, for notebooks."""
        names = "".join(f"<th>{html.escape(name)}</th>" for name in self._names)
        shown = {name: self._head(name, most) for name in self._names}
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(str(shown[name][i]))}</td>" for name in self._names)
            + "</tr>" for i in range(min(most, self._rows)))
        more = f"<p>{self._rows:,} rows</p>" if self._rows > most or self._rows == 0 else ""
        return f"<table><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>{more}"

    def _head(self, name: str, most: int) -> list[Any]:
        values, categories, valid = self.column(name)
        shown = [_readable(v) if categories is None else categories[v] for v in values[:most].tolist()]
        if valid is None:
            return shown
        return [v if there else "" for v, there in zip(shown, valid[:most].tolist())]


def _restored(kind: type[Table], rows: int, columns: dict[str, Column], attributes: dict[str, Any]) -> Table:
    table = kind(rows, list(columns), columns.__getitem__)
    vars(table).update(attributes)
    return table


def _readable(value: Any) -> Any:
    """Ratios to four digits, and times to a tenth of a nanosecond or better."""
    if not isinstance(value, float) or not 1e-3 <= abs(value) < 1e15:
        return f"{value:.4g}" if isinstance(value, float) else value
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _column_of(values: list[Any]) -> Column:
    present = [value for value in values if value is not None]
    valid = None if len(present) == len(values) else np.array([value is not None for value in values])
    if any(isinstance(value, str) for value in present):
        texts = ["" if value is None else str(value) for value in values]
        categories = list(dict.fromkeys(texts))
        code = {text: i for i, text in enumerate(categories)}
        return Column(np.array([code[text] for text in texts], dtype=np.int32), categories, valid)
    if valid is not None:
        fill = type(present[0])() if present else 0.0
        values = [fill if value is None else value for value in values]
    return Column(np.array(values) if values else np.empty(0), None, valid)


def _to_pandas(column: Column) -> Any:
    import pandas as pd

    values, categories, valid = column
    if categories is not None:
        codes = values if valid is None else np.where(valid, values, -1)
        return pd.Categorical.from_codes(codes, categories=pd.Index(categories, dtype=object))
    if valid is None:
        return values
    if values.dtype == np.bool_:
        return pd.arrays.BooleanArray(values, ~valid)
    if values.dtype.kind == "f":
        return np.where(valid, values, np.nan)
    return pd.arrays.IntegerArray(values.astype(np.int64), ~valid)
