#pragma once

#include <optional>
#include <string>

#include "analysis/model/overview.h"
#include "analysis/summary/diagnosis.h"
#include "calls/call_paths.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "trace/trace.h"

namespace slackline {

/// A run as comparisons see it.
struct ComparedRun {
  std::string name;
  const Trace& trace;
  const CallPaths& paths;
  const Overview& model;
  const Diagnosis* measured = nullptr;  ///< null: known by its model only
};

using RunComparisonJson = JsonOf<struct RunComparisonJsonTag>;
const JsonType& declared_type(const RunComparisonJsonTag*);
/// How `b` differs from `a`: a judgement, and tables by metric, operation, call path and rank
/// (where they have equally many), with the largest differences first; T(L) of both. What only one
/// of them has counts as nothing in the other. Measured figures where both were measured.
Described<RunComparisonJson> compare_runs(const ComparedRun& a, const ComparedRun& b);

}  // namespace slackline
