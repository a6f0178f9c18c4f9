#pragma once

#include "analysis/phases/monitor.h"
#include "analysis/phases/run_windows.h"

namespace slackline {

/// Fills in intervals and phases of a monitor whose fixed windows are known: where they begin and
/// end, their kinds and efficiencies. O(windows^2).
void find_focus_intervals(const RunWindows& windows, Monitor& out);

}  // namespace slackline
