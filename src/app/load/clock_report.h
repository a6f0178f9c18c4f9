#pragma once

#include <vector>

#include "calls/clock_correction.h"
#include "report/object.h"
#include "report/report.h"
#include "trace/trace.h"

namespace slackline {

using ClocksJson = JsonOf<struct ClocksJsonTag>;
const JsonType& declared_type(const ClocksJsonTag*);

/// Adds what was added to each clock and what is feasible: a section `clocks` with those that were
/// moved most. Returns all of them, for `clocks` in the result.
ClocksJson add_clocks(const ClockEstimate& estimate, const Trace& trace,
                      std::vector<Section>& sections);

}  // namespace slackline
