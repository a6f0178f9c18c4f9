// An execution graph that is kept, for many questions. Its model's L, o and G are values that each
// question may change; what else the graph was built by (S, collectives, topology) holds for all.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <string>

#include "app/load/loaded_graph.h"
#include "app/options/shared_options.h"
#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/commands.h"
#include "bindings/module_parts.h"
#include "bindings/released.h"

namespace slackline::python {
namespace {

namespace py = pybind11;

class Graph {
 public:
  explicit Graph(const ModelRequest& request) : request_(request), loaded_(load_graph(request)) {}

  const ModelRequest& request() const { return request_; }
  const ExecutionGraph& graph() const { return loaded_.graph; }

  /// Under the L, o and G of `request`. One question after the other.
  Report answer(const ModelRequest& request,
                const std::function<Report(const LoadedGraph&)>& question) {
    const std::lock_guard lock(mutex_);
    set_parameters(loaded_, request);
    return question(loaded_);
  }

 private:
  std::mutex mutex_;
  ModelRequest request_;
  LoadedGraph loaded_;
};

using GraphPtr = std::shared_ptr<Graph>;

GraphPtr load(const py::dict& given) {
  ModelRequest request;
  OptionList options;
  declare(options, request);
  declare_clocks(options, request.reading);
  Arguments arguments(given);
  arguments.fill(options);
  arguments.refuse_unknown("graph");
  return released([request] { return std::make_shared<Graph>(request); });
}

/// `parameters`: L, o and G, where they differ from the graph's.
ReportPtr ask(const GraphPtr& graph, const std::string& name, const py::dict& parameters,
              const py::dict& given) {
  const ReportingCommand& command = command_named(name);
  expects(command.prepare_on_graph != nullptr, "the command can be asked of a graph");
  Arguments arguments(given);
  const auto question = command.prepare_on_graph(arguments);
  arguments.refuse_unknown(name);
  ModelRequest request = graph->request();
  OptionList model;
  declare(model, request.model);
  Arguments(parameters).fill(model);
  return released([=] { return std::make_shared<Report>(graph->answer(request, question)); });
}

}  // namespace

void define_graph(py::module_& m) {
  py::class_<Graph, GraphPtr> graph(m, "Graph");
  refuse_new(graph);
  graph.def_property_readonly("vertices", [](const Graph& g) { return g.graph().vertex_count(); })
      .def_property_readonly("edges", [](const Graph& g) { return g.graph().edge_count(); })
      .def("ask", ask);
  m.def("graph", load);
}

}  // namespace slackline::python
