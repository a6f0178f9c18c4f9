#pragma once

#include "base/findings.h"

namespace slackline {

// What writers of several formats find.

inline constexpr FindingKind kFactsLost{"facts_left_out", Severity::info,
                                        "Clock corrections, CPU times, call paths, samples, OpenMP "
                                        "regions and earlier warnings are not stored in this "
                                        "format."};

}  // namespace slackline
