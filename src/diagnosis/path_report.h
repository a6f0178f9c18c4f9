#pragma once

#include "diagnosis/imbalance.h"
#include "diagnosis/measured_path.h"
#include "report/report.h"

namespace slackline {

Report describe(const MeasuredPath& path, const ImbalanceMetrics& imbalance, const Trace& trace,
                const CallPaths& paths);
Report describe(const IntervalPath& path, const ImbalanceMetrics& imbalance, const Trace& trace);

}  // namespace slackline
