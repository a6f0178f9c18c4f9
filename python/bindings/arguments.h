#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <limits>
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
    try {
      read(given_[key], target);
    } catch (const pybind11::cast_error&) {
      refuse_type(name);
    } catch (const pybind11::error_already_set&) {
      refuse_type(name);
    }
  }
  /// A number from `least` to `most`. Throws usage Error for others.
  template <class Value>
  void in_range(const char* name, Value& target, std::int64_t least, std::int64_t most = kNoLimit) {
    std::optional<std::int64_t> given;
    (*this)(name, given);
    if (!given) return;
    require_in_range(name, *given, least, most);
    target = static_cast<Value>(*given);
  }
  /// Throws usage Error for numbers below 0.
  void not_negative(const char* name, double& target);
  /// One of these texts. Throws usage Error for others.
  void one_of(const char* name, std::string& target, const std::vector<std::string>& values);
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
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int32_t>::max();

  template <class Value>
  static void read(const pybind11::handle& value, Value& target) {
    target = number_of(value).cast<Value>();
  }
  /// Numbers may be given as text, too.
  static pybind11::object number_of(const pybind11::handle& value);
  [[noreturn]] void refuse_type(const std::string& name) const;
  static void require_in_range(const std::string& name, std::int64_t value, std::int64_t least,
                               std::int64_t most);
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
