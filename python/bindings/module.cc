// The module slackline._core: what slackline's Python files are made of. It converts arguments and
// results and decides nothing.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "app/load/input.h"
#include "app/options/option_values.h"
#include "app/version.h"
#include "base/error.h"
#include "base/lost_input.h"
#include "bindings/arrow.h"
#include "bindings/column.h"
#include "bindings/module_parts.h"
#include "bindings/opened.h"
#include "bindings/released.h"
#include "bindings/tables.h"
#include "report/json.h"

namespace slackline::python {
namespace {

namespace py = pybind11;

/// An interval as Python gives it: two times, or a text that --interval reads.
TimeInterval interval_of(const Trace& trace, const py::handle& given) {
  if (py::isinstance<py::str>(given)) {
    const auto interval = resolve_interval(given.cast<std::string>(), trace);
    return interval ? *interval : run_span(trace).common;
  }
  const auto [begin, end] = given.cast<std::pair<std::int64_t, std::int64_t>>();
  return {begin, end};
}

/// A filter as Python gives it: (ranks or None, interval or None, operations, regions, functions).
CallFilter filter_of(const Opened& opened, const py::tuple& given) {
  CallFilter filter;
  if (!given[0].is_none()) filter.ranks = given[0].cast<std::vector<std::int32_t>>();
  if (!given[1].is_none()) filter.interval = interval_of(opened.trace(), given[1]);
  filter.operations = given[2].cast<std::vector<std::string>>();
  filter.regions = given[3].cast<std::vector<std::string>>();
  filter.functions = given[4].cast<std::vector<std::string>>();
  return filter;
}

template <class Make>
py::dict table(Make make) {
  return to_python(released(std::move(make)));
}

using TraceClass = py::class_<Opened, OpenedPtr>;

void define_calls(TraceClass& trace) {
  trace.def("select_calls", [](const OpenedPtr& self, const py::tuple& given) {
    return released([self, filter = filter_of(*self, given)] {
      return std::make_shared<CallSelection>(select_calls(*self, filter));
    });
  });
  trace.def("call_column",
            [](const OpenedPtr& self, const std::shared_ptr<CallSelection>& selection,
               const std::string& name) {
              return to_python(released([=] { return call_column(self, *selection, name); }));
            });
}

using FilteredTable = Columns (*)(const Opened&, const CallFilter&);
using BinnedTable = Columns (*)(const Opened&, const CallFilter&, std::int64_t);
using WholeTable = Columns (*)(const Opened&);

void define_tables(TraceClass& trace) {
  const auto filtered = [&](const char* name, FilteredTable make) {
    trace.def(name, [make](const OpenedPtr& self, const py::tuple& given) {
      return table([self, make, filter = filter_of(*self, given)] { return make(*self, filter); });
    });
  };
  filtered("messages", messages_table);
  filtered("collectives", collectives_table);
  filtered("regions", regions_table);
  filtered("arguments", arguments_table);
  filtered("counters", counters_table);
  filtered("samples", samples_table);
  const auto whole = [&](const char* name, WholeTable make) {
    trace.def(name, [make](const OpenedPtr& self) {
      return table([self, make] { return make(*self); });
    });
  };
  whole("communicators", communicators_table);
  whole("comm_matrix", comm_matrix_table);
  whole("critical_path", critical_path_table);
  whole("flat_profile", flat_profile_table);
  whole("call_tree", call_tree_table);
  trace.def("message_sizes", [](const OpenedPtr& self, std::int64_t bins) {
    return table([=] { return message_sizes_table(*self, bins); });
  });
  const auto binned = [&](const char* name, BinnedTable make) {
    trace.def(name, [make](const OpenedPtr& self, const py::tuple& given, std::int64_t bins) {
      return table([self, make, bins, filter = filter_of(*self, given)] {
        return make(*self, filter, bins);
      });
    });
  };
  binned("time_profile", time_profile_table);
  binned("comm_over_time", comm_over_time_table);
  trace.def("findings", [](const OpenedPtr& self) {
    Findings all = self->trace().findings();
    all.merge(self->run().findings);
    return to_python(findings_table(all));
  });
  trace.def("wait_states", [](const OpenedPtr& self, std::optional<std::uint64_t> eager) {
    return table([=] { return wait_states_table(*self, eager); });
  });
}

PyObject* refused_new(PyTypeObject* type, PyObject* /*args*/, PyObject* /*keywords*/) {
  PyErr_Format(PyExc_TypeError, "cannot make objects of %s", type->tp_name);
  return nullptr;
}

void define_trace(py::module_& m) {
  py::class_<CallSelection, std::shared_ptr<CallSelection>> selection(m, "CallSelection");
  refuse_new(selection);
  selection.def_property_readonly("rows", &CallSelection::rows);
  TraceClass trace(m, "Opened");
  refuse_new(trace);
  trace.def_property_readonly("ranks", [](const Opened& self) { return self.trace().ranks(); });
  trace.def_property_readonly("timed", [](const Opened& self) { return self.trace().timed(); });
  trace.def_property_readonly("on", [](const Opened& self) { return self.run().on; });
  trace.def_property_readonly("path", [](const Opened& self) { return self.opened().path; });
  trace.def_property_readonly(
      "input_json", [](const Opened& self) { return json_text(input_to_json(self.opened())); });
  trace.def_property_readonly("counter_names",
                              [](const Opened& self) { return self.trace().counters(); });
  trace.def("members", [](const Opened& self, std::uint32_t comm) {
    const auto& all = self.trace().communicators();
    if (comm >= all.size()) throw py::index_error("no such communicator");
    return std::pair(all[comm].members, all[comm].remote);
  });
  trace.def("interval", [](const Opened& self, const py::str& text) {
    const TimeInterval interval = interval_of(self.trace(), text);
    return std::pair(interval.begin_ns, interval.end_ns);
  });
  trace.def("query", [](const OpenedPtr& self, const std::string& sql) {
    return table([=] { return query_table(*self, sql); });
  });
  trace.def("span", [](const OpenedPtr& self) {
    const RunSpan span = released([self] { return run_span(self->trace()); });
    const auto pair = [](const TimeInterval& i) { return std::pair(i.begin_ns, i.end_ns); };
    return std::tuple(pair(span.whole), pair(span.analysed), pair(span.common));
  });
  define_calls(trace);
  define_tables(trace);
}

}  // namespace

void refuse_new(const py::object& made) {
  reinterpret_cast<PyTypeObject*>(made.ptr())->tp_new = refused_new;
}

PYBIND11_MODULE(_core, m) {
  survive_lost_input();
  m.attr("version") = version();
  static const py::exception<Error> error(m, "Error", PyExc_RuntimeError);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const Error& e) {
      PyErr_SetString(error.ptr(), in_python_terms(e.what()).c_str());
    }
  });
  m.def("abandoned_computations", abandoned_computations);
  m.def("set_progress", set_progress);
  m.def("call_column_names", call_column_names);
  m.def("arrow_schema", arrow_schema);
  m.def("arrow_array", arrow_array);
  m.def("arrow_stream", arrow_stream);
  define_trace(m);
  define_requests(m);
  define_graph(m);
  define_import(m);
}

}  // namespace slackline::python
