"""Arrow tables of other libraries, structure by structure, as Polars, pyarrow and DuckDB lay them out."""

import ctypes
import struct

import numpy as np
import pytest
from test_arrow import ArrowArray, ArrowArrayStream, ArrowSchema

import slackline

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

_schema_released = dict(ArrowSchema._fields_)["release"](
    lambda schema: setattr(schema.contents, "release", type(schema.contents.release)()))
_array_released = dict(ArrowArray._fields_)["release"](
    lambda array: setattr(array.contents, "release", type(array.contents.release)()))


class Field:
    """A column: its format, its buffers as bytes (None: there is none), and what it consists of."""

    def __init__(self, form, length, buffers, children=(), offset=0, nulls=0):
        self.form, self.length, self.buffers, self.offset, self.nulls = form, length, buffers, offset, nulls
        self.children = list(children)
        self.kept = [None if data is None else ctypes.create_string_buffer(data, max(1, len(data))) for data in buffers]

    def schema(self, name):
        children = [ctypes.pointer(child.schema("item")) for child in self.children]
        self.kept += children
        pointers = (ctypes.POINTER(ArrowSchema) * len(children))(*children)
        return ArrowSchema(self.form, name.encode(), None, 2, len(children), pointers, None, _schema_released, None)

    def array(self):
        children = [ctypes.pointer(child.array()) for child in self.children]
        addresses = [None if data is None else ctypes.addressof(data) for data in self.kept[:len(self.buffers)]]
        buffers = (ctypes.c_void_p * len(addresses))(*addresses)
        self.kept += [children, buffers]
        pointers = (ctypes.POINTER(ArrowArray) * len(children))(*children)
        return ArrowArray(self.length, self.nulls, self.offset, len(addresses), len(children), buffers, pointers, None,
                          _array_released, None)


class Batches:
    """A table of record batches, each a dict of Fields and the offset of its first row."""

    def __init__(self, *batches):
        self.batches = list(batches)

    def __arrow_c_stream__(self, requested_schema=None):
        left = list(self.batches)
        self.kept = []

        def table(form, children, length, offset):
            pointers = (ctypes.POINTER(type(children[0])) * len(children))(*map(ctypes.pointer, children))
            self.kept += [children, pointers]
            if isinstance(children[0], ArrowSchema):
                return ArrowSchema(form, b"", None, 0, len(children), pointers, None, _schema_released, None)
            buffers = (ctypes.c_void_p * 1)(None)
            self.kept.append(buffers)
            return ArrowArray(length, 0, offset, 1, len(children), buffers, pointers, None, _array_released, None)

        def get_schema(stream, out):
            fields = self.batches[0][0]
            out[0] = table(b"+s", [field.schema(name) for name, field in fields.items()], 0, 0)
            return 0

        def get_next(stream, out):
            if not left:
                out[0] = ArrowArray()
                return 0
            fields, offset, length = left.pop(0)
            out[0] = table(b"", [field.array() for field in fields.values()], length, offset)
            return 0

        kinds = dict(ArrowArrayStream._fields_)
        stream = ArrowArrayStream(kinds["get_schema"](get_schema), kinds["get_next"](get_next),
                                  kinds["get_last_error"](lambda stream: None),
                                  kinds["release"](lambda stream: None), None)
        self.kept.append(stream)
        return _new_capsule(ctypes.addressof(stream), b"arrow_array_stream", None)


def numbers(values, kind=np.int64, form=b"l", **rest):
    return Field(form, len(values), [None, np.array(values, kind).tobytes()], **rest)


def views(texts, valid=None):
    """The layout "string view", which Polars gives out: short texts within the view, others beside."""
    beside = b""
    packed = b""
    for text in texts:
        data = text.encode()
        if len(data) <= 12:
            packed += struct.pack("<i12s", len(data), data)
        else:
            packed += struct.pack("<i4sii", len(data), data[:4], 0, len(beside))
            beside += data
    bits = None if valid is None else np.packbits(valid, bitorder="little").tobytes()
    return Field(b"vu", len(texts), [bits, packed, beside, struct.pack("<q", len(beside))],
                 nulls=0 if valid is None else -1)


def lists(rows, offsets=np.int32, form=b"+l", kind=np.int64, element=b"l"):
    begins = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(offsets)
    return Field(form, len(rows), [None, begins.tobytes()], [numbers(np.concatenate(rows), kind, element)])


def table(operations, args=None, count=4, **rest):
    fields = {"rank": numbers([0, 0, 1, 1], np.int32, b"i"), "operation": operations,
              "begin_ns": numbers([0, 100, 0, 100]), "end_ns": numbers([10, 110, 10, 110]), **rest}
    if args is not None:
        fields["args"] = args
    return Batches((fields, 0, count))


NAMES = ["MPI_Init", "MPI_Neighbor_alltoallv", "MPI_Init", "MPI_Finalize"]


def test_string_views_are_read():
    made = slackline.from_arrow(table(views(["init", "MPI_Neighbor_alltoall", "init", "MPI_Finalize"])))
    assert made.calls()["operation"].tolist() == ["MPI_Init", "MPI_Neighbor_alltoall", "MPI_Init", "MPI_Finalize"]


def test_string_views_without_a_value_are_refused():
    with pytest.raises(ValueError, match="operation has nulls"):
        slackline.from_arrow(table(views(["init", "x" * 20, "init", "init"], [True, False, True, True])))


@pytest.mark.parametrize("layout", [
    {"offsets": np.int64, "form": b"+L"}, {"kind": np.int32, "element": b"i"},
    {"offsets": np.int64, "form": b"+L", "kind": np.uint16, "element": b"S"}, {}])
def test_lists_of_every_layout_are_read(layout):
    rows = [np.array(row, np.int64) for row in ([], [1, 2], [], [3])]
    made = slackline.from_arrow(table(views(["init", "waitall", "init", "waitall"]), lists(rows, **layout)))
    assert made.arguments()["value"].tolist() == [1, 2, 3] and made.arguments()["rank"].tolist() == [0, 0, 1]


def test_lists_of_what_is_no_whole_number_are_refused():
    rows = [np.array(row, float) for row in ([1.0], [], [], [])]
    with pytest.raises(slackline.Error, match="not supported"):
        slackline.from_arrow(table(views(NAMES), lists(rows, kind=np.float64, element=b"g")))


def test_rows_of_a_batch_may_begin_later_than_its_columns():
    whole = {"rank": numbers([7, 7, 0, 0, 1, 1], np.int32, b"i"), "begin_ns": numbers([9, 9, 0, 100, 0, 100]),
             "end_ns": numbers([9, 9, 10, 110, 10, 110]), "operation": views(["fly", "fly", "init", "finalize", "init", "finalize"]),
             "flags": numbers([9, 9, 9, 0, 0, 0, 0], np.uint8, b"C", offset=1)}
    whole["flags"].length = 6
    halves = Batches((whole, 2, 2), (whole, 4, 2))
    calls = slackline.from_arrow(halves).calls()
    assert calls["rank"].tolist() == [0, 0, 1, 1] and calls["begin_ns"].tolist() == [0, 100, 0, 100]
    assert calls["operation"].tolist() == ["MPI_Init", "MPI_Finalize"] * 2 and calls["flags"].tolist() == [0] * 4


@pytest.mark.parametrize("way", ["dict", "pandas", "stream", "empty batch"])
def test_empty_tables_are_traces_without_calls(way, late_sender):
    import pandas

    empty = {"rank": [], "operation": [], "begin_ns": [], "end_ns": [], "bytes": [], "args": []}
    given = {"dict": empty, "pandas": pandas.DataFrame(empty),
             "stream": slackline.open(late_sender).calls(operation="MPI_Barrier"),
             "empty batch": Batches((table(views(NAMES)).batches[0][0], 0, 0))}[way]
    regions = {"rank": [], "region": [], "begin_ns": [], "end_ns": []}
    made = slackline.from_arrow(given, ranks=2, regions=regions)
    assert made.ranks == 2 and made.calls().rows == 0
    assert made.calls()["operation"].tolist() == [] and made.regions().rows == 0
