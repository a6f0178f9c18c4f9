#pragma once

#include <array>
#include <string_view>

#include "analysis/efficiency/efficiency.h"
#include "analysis/waits/wait_summary.h"
#include "app/load/path_analysis.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"

namespace slackline {

/// What is known of a run that has been analysed in stretches.
struct MeasuredInStretches {
  Efficiency efficiency;
  WaitSummary waits;
  MeasuredPath path;
};

/// The sections of its report, of section_names().
inline constexpr std::array<std::string_view, 5> kSectionsInStretches{"questions", "efficiency",
                                                                      "waits", "path", "imbalance"};

using LargeRunJson = JsonOf<struct LargeRunJsonTag>;
const JsonType& declared_type(const LargeRunJsonTag*);
/// With a finding that says what it has not. `job`: the trace without calls.
Described<LargeRunJson> describe(const MeasuredInStretches& run, const Trace& job,
                                 const CallPaths& paths);

}  // namespace slackline
