#include "formats/raw/function_names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace slackline::raw {

namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

/// "ns::f(int) const" -> "ns::f". The parameters are the last parentheses that belong together.
std::string without_parameters(std::string name) {
  const std::size_t close = name.rfind(')');
  if (close == std::string::npos) return name;
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      if (i > 0) name.resize(i);
      return name;
    }
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
  std::string plain = without_clone_suffix(symbol);
  int status = -1;
  const std::unique_ptr<char, Free> demangled(
      plain.starts_with("_Z") ? abi::__cxa_demangle(plain.c_str(), nullptr, nullptr, &status)
                              : nullptr);
  if (status == 0 && demangled != nullptr) return without_parameters(demangled.get());
  const std::size_t module_end = plain.find("_MOD_");
  if (plain.starts_with("__") && module_end != std::string::npos && module_end > 2) {
    return plain.substr(2, module_end - 2) + "::" + plain.substr(module_end + 5);
  }
  return plain;
}

}  // namespace slackline::raw
