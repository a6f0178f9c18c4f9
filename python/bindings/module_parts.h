#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace slackline::python {

// Parts of the module slackline._core, each defined by the file of its name.

/// Objects of this class come from functions of the module only: one that Python's __new__ made
/// would hold nothing.
void refuse_new(const pybind11::object& made);

/// open(), execute() and Report: what goes through the requests of src/app.
void define_requests(pybind11::module_& m);
/// Graph: the same of an execution graph that is there.
void define_graph(pybind11::module_& m);
/// What makes traces of tables from elsewhere.
void define_import(pybind11::module_& m);

/// The sentence of an Error in terms of Python: options are keyword arguments. "Omit --param, or
/// give --to 20us." becomes "Omit param, or give to='20us'." Quoted text stays as it is.
std::string in_python_terms(const std::string& sentence);

}  // namespace slackline::python
