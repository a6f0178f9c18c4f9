#pragma once

#include <string>
#include <vector>

#include "bindings/call_selection.h"
#include "bindings/column.h"

namespace slackline::python {

/// The columns of a table of calls, in their order.
std::vector<std::string> call_column_names();

/// One of them. Where the selected calls are all of the trace, or consecutive ones, most are the
/// trace's own arrays and cost nothing; else O(rows). `opened` is kept alive by the result.
Column call_column(const OpenedPtr& opened, const CallSelection& selection,
                   const std::string& name);

}  // namespace slackline::python
