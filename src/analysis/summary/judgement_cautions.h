#pragma once

#include <vector>

#include "analysis/summary/judgement.h"

namespace slackline {

/// What of the input makes a judgement uncertain: a machine with too few processors, clocks that
/// disagree, parts of the recording that were lost.
std::vector<Judgement> cautions(const Diagnosis& diagnosis, const Trace& trace);

/// What recording a call took on average; 0 without calls.
double recording_per_call_ns(const TimeShares& shares);

}  // namespace slackline
