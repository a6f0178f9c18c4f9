#include "trace/symbol_names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace slackline {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

/// "f(int) const" -> "f", "f<void (int)>(int)" -> "f<void (int)>": the last parentheses that belong
/// together are the parameters.
std::string without_parameters(std::string name) {
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 1;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return name.substr(0, i);
  }
  return name;
}

}  // namespace

std::string readable_symbol(std::string_view name) {
  std::string whole(name);
  if (name.starts_with("_Z")) {
    int status = -1;
    const std::unique_ptr<char, Free> plain(
        abi::__cxa_demangle(whole.c_str(), nullptr, nullptr, &status));
    return status == 0 && plain != nullptr ? without_parameters(plain.get()) : whole;
  }
  constexpr std::string_view kModule = "_MOD_";
  constexpr std::string_view kBegin = "__";
  const std::size_t module_end = whole.find(kModule);
  if (!name.starts_with(kBegin) || module_end == std::string::npos || module_end <= kBegin.size()) {
    return whole;
  }
  return whole.substr(kBegin.size(), module_end - kBegin.size()) +
         "::" + whole.substr(module_end + kModule.size());
}

}  // namespace slackline
