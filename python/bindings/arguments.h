#pragma once

#include <pybind11/pybind11.h>

#include <set>
#include <string>
#include <utility>

#include "app/options/option_list.h"

namespace slackline::python {

/// Keyword arguments on their way into a request. Their names are those of the command line's
/// options, with underscores; what is None or missing keeps the request's default.
class Arguments {
 public:
  explicit Arguments(pybind11::dict given) : given_(std::move(given)) {}

  /// Sets the variables of the options that are given. Throws usage Error for values that an option
  /// does not take and for options that exclude each other, TypeError for values of another kind.
  void fill(const OptionList& options);
  /// Throws TypeError for an argument that nobody asked for.
  void refuse_unknown(const std::string& command) const;
  const std::set<std::string>& known() const { return known_; }

 private:
  void fill(const Option& option, const std::string& keyword);
  /// Is the option given, and not as a flag that is off?
  bool has(const Option& option) const;

  pybind11::dict given_;
  std::set<std::string> known_;
};

}  // namespace slackline::python
