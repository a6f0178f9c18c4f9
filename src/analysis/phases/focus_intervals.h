#pragma once

#include <vector>

#include "analysis/phases/loop_changes.h"
#include "analysis/phases/monitor.h"
#include "analysis/phases/run_windows.h"
#include "calls/iterations.h"

namespace slackline {

/// A share of the run: shorter loops and other stretches have no interval of their own.
inline constexpr double kShortestInterval = 0.01;

/// A loop of the run, and how its iterations differ.
struct AnalysedLoop {
  IterationLoop loop;
  LoopChanges changes;
};

/// Fills in intervals, phases and iterations of a monitor: where intervals begin and end, their
/// kinds and efficiencies. `loops` are the run's, in order of time; outside of them changes are
/// looked for in windows of time. O(intervals * ranks * log calls).
void find_focus_intervals(const std::vector<AnalysedLoop>& loops, RunWindows& windows,
                          Monitor& out);

}  // namespace slackline
