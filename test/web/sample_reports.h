#pragma once

#include "report/report.h"

namespace slackline {

// Reports to look at and to test the writers with. They are made up, but have the size and the
// proportions of a real one: a LULESH-like run on 64 ranks whose T(L) has nine pieces.

/// What `slackline report` says about a run: summary, T(L) with zones, critical path, findings.
Report sample_report();

/// Two ranks and one message, the running example of LLAMP: T = max(1.5 us, L + 1.115 us), by its
/// three points.
Report two_rank_report();

/// The same shape in which every text is hostile: markup, script ends, broken UTF-8, control and
/// bidirectional characters, very long names; and numbers that are none.
Report hostile_report();

}  // namespace slackline
