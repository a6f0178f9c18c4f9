#pragma once

#include <pybind11/pybind11.h>

namespace slackline::python {

// Tables as PyCapsules of the Arrow C data interface. `columns` is a list of
// (name, values, categories or None, valid or None): contiguous NumPy arrays, text as codes into
// `categories`, which becomes a dictionary. Values are shared, not copied, but for booleans.
// A table is a struct whose children are its columns.

/// A capsule "arrow_schema".
pybind11::capsule arrow_schema(const pybind11::list& columns);
/// A capsule "arrow_array", of `rows` rows.
pybind11::capsule arrow_array(const pybind11::list& columns, std::int64_t rows);
/// A capsule "arrow_array_stream" of the batches (rows, columns) that `batches` yields, each when
/// it is asked for; all have the schema of `columns`.
pybind11::capsule arrow_stream(const pybind11::list& columns, const pybind11::iterator& batches);

/// The columns of all batches of an "arrow_array_stream" capsule, which is used up: a dict from
/// names to lists of (values, categories or None, valid or None), one for each batch. Of lists of
/// integers `values` is (offsets, elements). Numbers, booleans, text, dictionaries of text and
/// lists of int64 are read, with copies. Throws usage Error for other types.
pybind11::dict arrow_columns(const pybind11::capsule& stream);

}  // namespace slackline::python
