#pragma once

#include <string>

namespace slackline::python {

/// The sentence of an Error in terms of Python: options are keyword arguments. "Omit --param, or
/// give --to 20us." becomes "Omit param, or give to='20us'." Quoted text stays as it is.
std::string in_python_terms(const std::string& sentence);

}  // namespace slackline::python
