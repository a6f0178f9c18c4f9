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

/// "inner.0" -> "inner": a procedure inside another one, in Fortran or in GNU's C.
std::string_view without_number(std::string_view symbol) {
  const std::size_t dot = symbol.find_last_not_of("0123456789");
  const bool numbered = dot != std::string_view::npos && dot > 0 && dot + 1 < symbol.size();
  return numbered && symbol[dot] == '.' ? symbol.substr(0, dot) : symbol;
}

std::string without_clone_suffix(std::string_view symbol) {
  for (const std::string_view suffix : {".isra.", ".constprop.", ".part.", ".cold", ".lto_priv.",
                                        "._omp_fn.", ".localalias", ".llvm."}) {
    const std::size_t at = symbol.find(suffix);
    if (at != std::string_view::npos && at > 0) symbol = symbol.substr(0, at);
  }
  return std::string(without_number(symbol));
}

}  // namespace

std::string readable_name(std::string_view symbol) {
  return readable_symbol(without_clone_suffix(symbol));
}

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
