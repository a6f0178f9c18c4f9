// What Python writes: tables from elsewhere as traces, and text.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "bindings/arrow.h"
#include "bindings/module_parts.h"
#include "bindings/opened.h"
#include "bindings/released.h"
#include "bindings/trace_from_columns.h"
#include "formats/native/writer.h"

namespace slackline::python {
namespace {

namespace py = pybind11;

/// Copied, as the computation that uses it must not hold objects of Python's.
template <class T>
void read(const py::dict& columns, const char* name, std::vector<T>& target) {
  if (!columns.contains(name)) return;
  const auto values =
      columns[name].cast<py::array_t<T, py::array::c_style | py::array::forcecast>>();
  target.assign(values.data(), values.data() + values.size());
}

void read(const py::dict& columns, const char* name, std::vector<std::string>& target) {
  if (columns.contains(name)) target = columns[name].cast<std::vector<std::string>>();
}

CallColumns call_columns(const py::dict& given) {
  CallColumns columns;
  read(given, "rank", columns.rank);
  read(given, "operation", columns.operation);
  read(given, "operations", columns.operations);
  read(given, "begin_ns", columns.begin_ns);
  read(given, "end_ns", columns.end_ns);
  read(given, "bytes", columns.bytes);
  read(given, "peer", columns.peer);
  read(given, "tag", columns.tag);
  read(given, "comm", columns.comm);
  read(given, "request", columns.request);
  read(given, "thread", columns.thread);
  read(given, "flags", columns.flags);
  read(given, "args", columns.args);
  read(given, "first_arg", columns.first_arg);
  return columns;
}

RegionColumns region_columns(const py::dict& given) {
  RegionColumns columns;
  read(given, "rank", columns.rank);
  read(given, "region", columns.region);
  read(given, "regions", columns.regions);
  read(given, "begin_ns", columns.begin_ns);
  read(given, "end_ns", columns.end_ns);
  return columns;
}

void write_trace(const std::string& path, std::int32_t ranks, const py::dict& calls,
                 const py::dict& regions,
                 const std::vector<std::vector<std::int32_t>>& communicators) {
  released([=, calls = call_columns(calls), regions = region_columns(regions)] {
    write_native(trace_from_columns(ranks, calls, regions, communicators), path);
    return true;
  });
}

void write_edited(const std::string& path, const py::dict& calls, const OpenedPtr& edited) {
  released([=, calls = call_columns(calls)] {
    expects(calls.rank.size() == edited->trace().call_count(), "there is a row for each call");
    write_native(with_columns(edited->trace(), calls), path, edited->opened().samples);
    return true;
  });
}

}  // namespace

void define_import(py::module_& m) {
  m.def("arrow_columns", arrow_columns);
  m.def("write_file", [](const std::string& path, const std::string& text) {
    released([=] {
      write_file(path, text);
      return true;
    });
  });
  m.def("write_trace", write_trace);
  m.def("write_edited", write_edited);
}

}  // namespace slackline::python
