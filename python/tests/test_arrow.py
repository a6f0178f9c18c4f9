"""The Arrow C data interface, structure by structure, as its specification lays them out."""

import ctypes

import numpy as np
import pytest

import slackline


class ArrowSchema(ctypes.Structure):
    pass


ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.POINTER(ArrowSchema)), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))),
    ("private_data", ctypes.c_void_p)]


class ArrowArray(ctypes.Structure):
    pass


ArrowArray._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))), ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))), ("private_data", ctypes.c_void_p)]


class ArrowArrayStream(ctypes.Structure):
    pass


ArrowArrayStream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowArrayStream), ctypes.POINTER(ArrowSchema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowArrayStream), ctypes.POINTER(ArrowArray))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(ArrowArrayStream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArrayStream))), ("private_data", ctypes.c_void_p)]

TYPES = {b"c": np.int8, b"C": np.uint8, b"s": np.int16, b"S": np.uint16, b"i": np.int32, b"I": np.uint32,
         b"l": np.int64, b"L": np.uint64, b"f": np.float32, b"g": np.float64}

_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def struct_in(capsule, name, kind):
    return kind.from_address(_get_pointer(capsule, name))


def bits(address, length):
    packed = np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_uint8)), ((length + 7) // 8,))
    return np.unpackbits(packed, bitorder="little")[:length].astype(bool)


def fixed(address, kind, length):
    size = np.dtype(kind).itemsize * length
    return np.frombuffer(ctypes.string_at(address, size), dtype=kind) if length else np.empty(0, kind)


def texts(array):
    assert array.n_buffers == 3
    offsets = fixed(array.buffers[1], np.int32, array.length + 1)
    return [ctypes.string_at(array.buffers[2] + int(begin), int(end - begin)).decode()
            for begin, end in zip(offsets, offsets[1:])]


def values_of(schema, array):
    """A column as a list with None for its holes, read by nothing but the specification."""
    assert array.offset == 0 and array.n_buffers == 2
    if schema.format == b"b":
        values = bits(array.buffers[1], array.length).tolist()
    else:
        values = fixed(array.buffers[1], TYPES[schema.format], array.length).tolist()
    if schema.dictionary:
        assert schema.dictionary.contents.format == b"u"
        words = texts(array.dictionary.contents)
        values = [words[code] for code in values]
    if array.buffers[0]:
        valid = bits(array.buffers[0], array.length)
        assert array.null_count == (~valid).sum() and schema.flags & 2
        values = [value if there else None for value, there in zip(values, valid)]
    else:
        assert array.null_count == 0
    return values


def table_of(schema, array):
    assert schema.format == b"+s" and array.n_children == schema.n_children and array.n_buffers == 1
    columns = {}
    for i in range(schema.n_children):
        child = array.children[i].contents
        assert child.length == array.length
        columns[schema.children[i].contents.name.decode()] = values_of(schema.children[i].contents, child)
    return columns


def expected_of(table):
    return {name: np.ma.getdata(table[name]).tolist() if not np.ma.isMaskedArray(table[name])
            else table[name].tolist() for name in table}


TABLES = ["calls", "messages", "collectives", "communicators", "comm_matrix", "wait_states", "critical_path", "phases",
          "efficiency", "findings", "regions", "counters"]


@pytest.mark.parametrize("name", TABLES)
def test_array_holds_the_table(traces, name):
    table = getattr(slackline.open(traces / "lammps-melt.slk"), name)()
    schema_capsule, array_capsule = table.__arrow_c_array__()
    schema = struct_in(schema_capsule, b"arrow_schema", ArrowSchema)
    array = struct_in(array_capsule, b"arrow_array", ArrowArray)
    assert array.length == table.rows
    assert table_of(schema, array) == expected_of(table)


def test_memory_is_shared_and_outlives_the_trace(traces):
    calls = slackline.open(traces / "stencil2d.slk").calls(ranks=1)
    expected = calls["begin_ns"].copy()
    _, capsule = calls.__arrow_c_array__()
    column = struct_in(capsule, b"arrow_array", ArrowArray).children[calls.columns.index("begin_ns")].contents
    assert column.buffers[1] == calls["begin_ns"].ctypes.data
    del calls
    assert fixed(column.buffers[1], np.int64, column.length).tolist() == expected.tolist()


def test_a_column_can_be_moved_out_of_the_table(traces):
    calls = slackline.open(traces / "stencil2d.slk").calls(ranks=1)
    _, capsule = calls.__arrow_c_array__()
    array = struct_in(capsule, b"arrow_array", ArrowArray)
    moved = ArrowArray()
    ctypes.memmove(ctypes.byref(moved), array.children[0], ctypes.sizeof(ArrowArray))
    array.children[0].contents.release = type(moved.release)()
    array.release(ctypes.byref(array))
    assert not array.release
    assert moved.length == 605 and fixed(moved.buffers[1], np.int32, 605).tolist() == [1] * 605
    moved.release(ctypes.byref(moved))
    assert not moved.release


def test_stream_gives_calls_rank_by_rank_without_a_copy(traces):
    trace = slackline.open(traces / "stencil2d.slk")
    calls = trace.calls(operation=["MPI_Isend", "MPI_Waitall"])
    capsule = calls.__arrow_c_stream__()
    stream = struct_in(capsule, b"arrow_array_stream", ArrowArrayStream)
    schema = ArrowSchema()
    assert stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)) == 0
    read = {name: [] for name in calls}
    batches = 0
    while True:
        array = ArrowArray()
        assert stream.get_next(ctypes.byref(stream), ctypes.byref(array)) == 0
        if not array.release:
            break
        batches += 1
        for name, values in table_of(schema, array).items():
            read[name] += values
        array.release(ctypes.byref(array))
    schema.release(ctypes.byref(schema))
    assert batches == 4 and read == expected_of(calls)
    whole = trace.calls(ranks=[0])
    assert np.shares_memory(whole["end_ns"], next(iter(trace.calls()._chunks()))["end_ns"])


def test_schema_alone(traces):
    messages = slackline.open(traces / "stencil2d.slk").messages()
    capsule = messages.__arrow_c_schema__()
    schema = struct_in(capsule, b"arrow_schema", ArrowSchema)
    fields = {schema.children[i].contents.name: schema.children[i].contents for i in range(schema.n_children)}
    assert fields[b"bytes"].format == b"l" and fields[b"source"].format == b"i"
    assert fields[b"receive_call"].flags & 2 and not fields[b"source"].flags & 2
