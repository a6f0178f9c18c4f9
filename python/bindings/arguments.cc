#include "bindings/arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/options/model_names.h"
#include "base/error.h"

namespace slackline::python {

namespace py = pybind11;

py::object Arguments::number_of(const py::handle& value) {
  if (!py::isinstance<py::str>(value)) return py::reinterpret_borrow<py::object>(value);
  PyObject* number = PyLong_FromUnicodeObject(value.ptr(), 10);
  if (number == nullptr) {
    PyErr_Clear();
    number = PyFloat_FromString(value.ptr());
  }
  if (number == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(number);
}

void Arguments::refuse_type(const std::string& name) const {
  const auto shown = py::repr(given_[py::str(name)]).cast<std::string>();
  throw py::type_error("argument '" + name + "' cannot be " + shown);
}

void Arguments::require_in_range(const std::string& name, std::int64_t value, std::int64_t least,
                                 std::int64_t most) {
  if (value >= least && value <= most) return;
  const std::string range = most == kNoLimit ? fmt::format("{} or more", least)
                                             : fmt::format("a number from {} to {}", least, most);
  throw usage_error(fmt::format("cannot use {} as {}", value, name), "it is out of range",
                    fmt::format("Give {}.", range));
}

void Arguments::not_negative(const char* name, double& target) {
  (*this)(name, target);
  if (target >= 0) return;
  throw usage_error(fmt::format("cannot use {} as {}", target, name), "it is out of range",
                    "Give 0 or more.");
}

void Arguments::one_of(const char* name, std::string& target,
                       const std::vector<std::string>& values) {
  std::optional<std::string> given;
  (*this)(name, given);
  if (!given) return;
  if (std::ranges::find(values, *given) == values.end()) {
    throw usage_error(fmt::format("cannot use '{}' as {}", *given, name), "there is no such value",
                      fmt::format("Give one of {}.", fmt::join(values, ", ")));
  }
  target = *given;
}

void Arguments::read(const py::handle& value, std::string& target) {
  target = py::str(value).cast<std::string>();
}

void Arguments::read(const py::handle& value, std::optional<std::string>& target) {
  target = py::str(value).cast<std::string>();
}

void Arguments::read(const py::handle& value, std::vector<std::string>& target) {
  target.clear();
  if (py::isinstance<py::str>(value) || !py::isinstance<py::iterable>(value)) {
    target.push_back(py::str(value).cast<std::string>());
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
  arguments.one_of("network", options.network, network_names());
  arguments("machine", options.machine);
  arguments("params", options.params_file);
  arguments.one_of("rendezvous", options.rendezvous, rendezvous_names());
  arguments("collectives", options.collectives);
  arguments.one_of("computation", options.computation, {"auto", "wall", "cpu"});
}

void fill(NetworkOptions& options, Arguments& arguments) {
  arguments("topology", options.topology);
  arguments.in_range("ranks_per_node", options.ranks_per_node, 1);
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
  arguments.not_negative("compute_scale", options.compute_scale);
  arguments("reference_speed", options.reference_speed);
}

void fill(LogGOPSOptions& options, Arguments& arguments) {
  arguments.one_of("model", options.model, {"loggps", "loggops"});
  arguments("g", "gap", options.gap);
  arguments("overhead_per_byte", options.overhead_per_byte);
  arguments("noise", options.noise_file);
  arguments("noise_seed", options.noise_seed);
  arguments("noise_cosched", options.noise_coscheduled);
  arguments("loggopsim_flaws", options.simulator_flaws);
}

void fill(ReadingOptions& options, Arguments& arguments) {
  arguments("fix_clocks", options.fix_clocks);
  arguments("keep_clocks", options.keep_clocks);
  arguments("memory", options.memory);
}

void fill(ModelRequest& request, Arguments& arguments) {
  arguments("trace", request.trace);
  python::fill(request.reading, arguments);
  fill(request.model, arguments);
}

void fill(RunRequest& request, Arguments& arguments) {
  arguments("trace", request.trace);
  arguments("on", request.on);
  python::fill(request.reading, arguments);
  fill(request.model, arguments);
  fill(request.network, arguments);
  fill(request.platform, arguments);
}

}  // namespace slackline::python
