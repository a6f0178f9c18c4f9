#pragma once

#include <string>
#include <vector>

#include "analysis/regression/history.h"

namespace slackline {

/// Runs as gauges in the text format of OpenMetrics 1.0 without timestamps, which is valid in the
/// one of Prometheus, too, as node_exporter's textfile collector reads it; of repeats the medians
/// (doc/formats/summary.md). O(runs).
std::string openmetrics(const std::vector<HistoryEntry>& entries);

}  // namespace slackline
