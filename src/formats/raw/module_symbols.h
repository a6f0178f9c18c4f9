#pragma once

#include <cstdint>
#include <vector>

#include "formats/raw/function_symbols.h"

struct Dwfl_Module;

namespace slackline::raw {

/// The symbols of `module` that have a size; their names live as long as it does. Reads all of
/// them. Only where there is libdw.
FunctionSymbols module_symbols(Dwfl_Module* module);

/// Where the functions of `module` begin, ascending, by the table for unwinding (.eh_frame_hdr of
/// the Linux Standard Base): stripped files have it, too. Empty without one. Only where there is
/// libdw.
std::vector<std::uint64_t> function_begins(Dwfl_Module* module);

}  // namespace slackline::raw
