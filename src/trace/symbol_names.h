#pragma once

#include <string>
#include <string_view>

namespace slackline {

/// The name of a function as people write it, where `name` is the linker's: C++ without parameters
/// ("_ZN3app5solveEi" becomes "app::solve"), procedures of Fortran's modules as "module::procedure"
/// ("__deck_MOD_read_deck"). Every other name, such as a region's, stays as it is.
std::string readable_symbol(std::string_view name);

/// The same of a name that is known to be from a symbol table: also without the suffixes that
/// compilers give to clones (".isra.0") and to procedures inside others (".0").
std::string readable_name(std::string_view symbol);

}  // namespace slackline
