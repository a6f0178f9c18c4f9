#pragma once

#include <string>

#include "advice/advice.h"
#include "analysis/model/overview.h"
#include "analysis/summary/diagnosis.h"
#include "report/report.h"
#include "trace/trace.h"

namespace slackline {

/// What the first screen of a report is written from.
struct FirstScreenInputs {
  const Trace& trace;
  const std::string& path;    ///< of the trace, for the commands that show more
  const Diagnosis* measured;  ///< null: an untimed trace
  const Overview& model;
  const Advice* advice;  ///< null: not computed
};

/// At most 30 lines of 100 columns as text: where the time goes, what limits the run, in which code
/// and since when, what to change and what that gains, how much latency is tolerable, how far to
/// trust it, and how to see more. Every number is one of the inputs.
Section first_screen(const FirstScreenInputs& inputs);

}  // namespace slackline
