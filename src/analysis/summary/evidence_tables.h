#pragma once

#include <vector>

#include "analysis/summary/diagnosis.h"
#include "report/report.h"

namespace slackline {

/// Adds to the sections that describe `d` what its sentences (judgement.h, app/report/answers.h)
/// take their figures from and no analysis shows by itself: who and what causes wait time, in sum;
/// the calls that take most time; where losses lie in time; the critical path in the analysed
/// interval.
void add_evidence(const Diagnosis& d, const Trace& trace, const CallPaths& paths,
                  std::vector<Section>& sections);

}  // namespace slackline
