#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/paths/critical_path.h"
#include "analysis/paths/imbalance.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/typed_report.h"

namespace slackline {

/// Whether the segments are in the result, too, if there are no more than kSegmentsListed.
enum class PathDetail : std::uint8_t { sums, segments };
inline constexpr std::uint64_t kSegmentsListed = 100'000;

/// Result and sections of a critical path with the imbalance of its run's collectives; times in ns.
/// `on` is what run it is: measured, predicted or simulated.
extern const Rows<CriticalPath, struct PathOf> kCriticalPath;
using CriticalPathJson = JsonBy<kCriticalPath>;
Described<CriticalPathJson> describe(const CriticalPath& path, const ImbalanceMetrics& imbalance,
                                     const CallPaths& paths, std::string_view on,
                                     PathDetail detail = PathDetail::segments);
extern const Rows<IntervalPath, struct IntervalPathOf> kIntervalPath;
using IntervalPathJson = JsonBy<kIntervalPath>;
Described<IntervalPathJson> describe(const IntervalPath& path, const ImbalanceMetrics& imbalance,
                                     const Trace& trace, std::string_view on);

}  // namespace slackline
