#pragma once

#include "formats/raw/function_symbols.h"

struct Dwfl_Module;

namespace slackline::raw {

/// The symbols of `module` that have a size; their names live as long as it does. Reads all of
/// them. Only where there is libdw.
FunctionSymbols module_symbols(Dwfl_Module* module);

}  // namespace slackline::raw
