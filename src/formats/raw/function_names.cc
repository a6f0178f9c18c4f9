#include "formats/raw/function_names.h"

#include "trace/symbol_names.h"

namespace slackline::raw {

namespace {

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

}  // namespace slackline::raw
