#pragma once

#include <vector>

#include "analysis/efficiency/efficiency.h"
#include "report/report.h"

namespace slackline {

/// How the factors of the analysed interval change with the ranks: the sentences that name the one
/// that degrades most and why, all factors over ranks, and the speed-up beside the ideal one. Two
/// runs at least, of which the first is the reference. The same for scripts in `result`, under
/// `scaling`.
Section scaling_section(const std::vector<Efficiency>& runs, Scaling scaling, Json& result);

}  // namespace slackline
