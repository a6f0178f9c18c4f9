#pragma once

#include <pybind11/pybind11.h>

namespace slackline::python {

// Parts of the module slackline._core, each defined by the file of its name.

/// open_run() and execute(): everything that goes through the requests of src/app.
void define_requests(pybind11::module_& m);

}  // namespace slackline::python
