#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/efficiency/efficiency.h"
#include "analysis/efficiency/scaling_law.h"
#include "report/object.h"
#include "report/report.h"
#include "trace/trace.h"

namespace slackline {

/// What a code region (or function, in a program without regions) does in a run, without what it
/// calls; the mean over ranks.
struct RegionQuantities {
  double computation_ns = 0;
  double messages = 0;  ///< sent point to point
  double bytes = 0;     ///< of these
};

/// What is fitted over the ranks of several runs.
struct RunQuantities {
  std::int32_t ranks = 0;
  std::map<std::string, RegionQuantities, std::less<>> by_region{};  ///< "": outside of all
};

/// One pass over the calls.
RunQuantities run_quantities(const Trace& trace);

using ScalingLawsJson = JsonOf<struct ScalingLawsJsonTag>;
const JsonType& declared_type(const ScalingLawsJsonTag*);

/// Laws for the computation, messages and bytes of each region and for the efficiency factors of
/// the analysed interval, with their values at twice and four times the most ranks; three numbers
/// of ranks at least, else nothing.
struct ScalingLaws {
  Section section;
  ScalingLawsJson result;
};
std::optional<ScalingLaws> scaling_laws(const std::vector<RunQuantities>& quantities,
                                        const std::vector<Efficiency>& runs);

}  // namespace slackline
