#pragma once

#include <string>
#include <string_view>

namespace slackline::raw {

/// A symbol of a linker as people write it: C++ names demangled and without parameters, Fortran's
/// module procedures as "module::procedure", and without the suffixes of compilers' clones
/// (".isra.0").
std::string readable_name(std::string_view symbol);

}  // namespace slackline::raw
