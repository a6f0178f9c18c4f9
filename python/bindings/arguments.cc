#include "bindings/arguments.h"

namespace slackline::python {

namespace py = pybind11;

void Arguments::read(const py::handle& value, std::string& target) {
  target = py::str(value).cast<std::string>();
}

void Arguments::read(const py::handle& value, std::optional<std::string>& target) {
  target = py::str(value).cast<std::string>();
}

void Arguments::read(const py::handle& value, std::vector<std::string>& target) {
  target.clear();
  if (py::isinstance<py::str>(value)) {
    target.push_back(value.cast<std::string>());
    return;
  }
  for (const py::handle& element : value) {
    target.push_back(py::str(element).cast<std::string>());
  }
}

void Arguments::refuse_unknown(const std::string& command) const {
  for (const auto& [key, value] : given_) {
    const auto name = key.cast<std::string>();
    if (known_.contains(name)) continue;
    throw py::type_error("'" + command + "' has no argument '" + name + "'");
  }
}

void fill(ModelOptions& options, Arguments& arguments) {
  arguments("L", "latency", options.latency);
  arguments("o", "overhead", options.overhead);
  arguments("G", "gap_per_byte", options.gap_per_byte);
  arguments("S", "eager_threshold", options.eager_threshold);
  arguments("network", options.network);
  arguments("machine", options.machine);
  arguments("params", options.params_file);
  arguments("rendezvous", options.rendezvous);
  arguments("collectives", options.collectives);
  arguments("computation", options.computation);
}

void fill(NetworkOptions& options, Arguments& arguments) {
  arguments("topology", options.topology);
  arguments("ranks_per_node", options.ranks_per_node);
  arguments("placement", options.placement);
  arguments("hosts", options.hosts);
  arguments("intra_node", options.intra_node);
}

void fill(PlatformOptions& options, Arguments& arguments) {
  arguments("platform", options.platform);
  arguments("hostfile", options.hostfile);
  arguments("map", options.map);
  arguments("option", options.options);
  arguments("options", options.option_files);
  arguments("compute_scale", options.compute_scale);
  arguments("reference_speed", options.reference_speed);
}

void fill(LogGOPSOptions& options, Arguments& arguments) {
  arguments("model", options.model);
  arguments("g", "gap", options.gap);
  arguments("overhead_per_byte", options.overhead_per_byte);
  arguments("noise", options.noise_file);
  arguments("noise_seed", options.noise_seed);
  arguments("noise_cosched", options.noise_coscheduled);
  arguments("loggopsim_flaws", options.simulator_flaws);
}

void fill(ModelRequest& request, Arguments& arguments) {
  arguments("trace", request.trace);
  arguments("fix_clocks", request.clocks.fix);
  arguments("keep_clocks", request.clocks.keep);
  fill(request.model, arguments);
}

void fill(RunRequest& request, Arguments& arguments) {
  arguments("trace", request.trace);
  arguments("on", request.on);
  arguments("fix_clocks", request.clocks.fix);
  arguments("keep_clocks", request.clocks.keep);
  fill(request.model, arguments);
  fill(request.network, arguments);
  fill(request.platform, arguments);
}

}  // namespace slackline::python
