#pragma once

#include <pybind11/pybind11.h>

namespace slackline::python {

/// The keyword arguments of all commands whose values have a unit: for each keyword the option's
/// first one, the unit of the number that it takes (None: it takes text with a unit), and an
/// example.
pybind11::dict quantities();

}  // namespace slackline::python
