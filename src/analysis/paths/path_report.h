#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/paths/critical_path.h"
#include "analysis/paths/imbalance.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"

namespace slackline {

/// Whether the segments are in the result, too, if there are no more than kSegmentsListed.
enum class PathDetail : std::uint8_t { sums, segments };
inline constexpr std::uint64_t kSegmentsListed = 100'000;

/// Result and sections of a critical path with the imbalance of its run's collectives; times in ns.
/// `on` is what run it is: measured, predicted or simulated.
using CriticalPathJson = JsonOf<struct CriticalPathJsonTag>;
const JsonType& declared_type(const CriticalPathJsonTag*);
Described<CriticalPathJson> describe(const CriticalPath& path, const ImbalanceMetrics& imbalance,
                                     const CallPaths& paths, std::string_view on,
                                     PathDetail detail = PathDetail::segments);
using IntervalPathJson = JsonOf<struct IntervalPathJsonTag>;
const JsonType& declared_type(const IntervalPathJsonTag*);
Described<IntervalPathJson> describe(const IntervalPath& path, const ImbalanceMetrics& imbalance,
                                     const Trace& trace, std::string_view on);

}  // namespace slackline
