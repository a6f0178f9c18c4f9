#pragma once

#include <pybind11/pybind11.h>

namespace slackline::python {

/// The columns of all batches of an "arrow_array_stream" capsule, which is used up: a dict from
/// names to lists of (values, categories or None, valid or None), one for each batch. Of lists of
/// integers `values` is (offsets, elements). Numbers, booleans, text, dictionaries of text and
/// lists of int64 are read, with copies. Throws usage Error for other types.
pybind11::dict arrow_columns(const pybind11::capsule& stream);

}  // namespace slackline::python
