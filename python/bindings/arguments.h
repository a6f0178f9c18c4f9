#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <concepts>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/options/loggops_options.h"
#include "app/options/model_request.h"
#include "app/options/platform_options.h"
#include "app/options/run_request.h"

namespace slackline::python {

/// Keyword arguments on their way into a request. Their names are those of the command line's
/// options, with underscores; what is None or missing keeps the request's default.
class Arguments {
 public:
  explicit Arguments(pybind11::dict given) : given_(std::move(given)) {}

  template <class Value>
  void operator()(const char* name, Value& target) {
    known_.insert(name);
    const pybind11::str key(name);
    if (!given_.contains(key) || given_[key].is_none()) return;
    read(given_[key], target);
  }
  /// Two names of one option.
  template <class Value>
  void operator()(const char* name, const char* other, Value& target) {
    (*this)(name, target);
    (*this)(other, target);
  }
  /// Throws TypeError for an argument that nobody asked for.
  void refuse_unknown(const std::string& command) const;
  const std::set<std::string>& known() const { return known_; }

 private:
  template <class Value>
  static void read(const pybind11::handle& value, Value& target) {
    target = value.cast<Value>();
  }
  static void read(const pybind11::handle& value, std::string& target);
  static void read(const pybind11::handle& value, std::optional<std::string>& target);
  /// One text is a list of it alone.
  static void read(const pybind11::handle& value, std::vector<std::string>& target);

  pybind11::dict given_;
  std::set<std::string> known_;
};

// The parts that requests share.
void fill(ModelOptions& options, Arguments& arguments);
void fill(NetworkOptions& options, Arguments& arguments);
void fill(PlatformOptions& options, Arguments& arguments);
void fill(LogGOPSOptions& options, Arguments& arguments);
/// Without the network's.
void fill(ModelRequest& request, Arguments& arguments);
void fill(RunRequest& request, Arguments& arguments);

}  // namespace slackline::python
