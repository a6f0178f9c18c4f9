#pragma once

#include <string_view>
#include <vector>

#include "analysis/model/overview.h"
#include "analysis/summary/diagnosis.h"
#include "calls/run_span.h"
#include "report/object.h"
#include "report/report.h"

namespace slackline {

/// A number that says how a run does, and of which part of the run: each occurs once.
struct Headline {
  std::string_view metric;  ///< "parallel_efficiency"
  double value = 0;         ///< shares and factors from 0 to 1, times in ns
  TimeInterval interval;    ///< from the start of the run
};

/// The efficiencies, time shares and causes of the analysed interval, and the efficiencies of each
/// phase in it. Empty for a run without length.
std::vector<Headline> headlines(const Diagnosis& diagnosis);

using HeadlinesJson = JsonOf<struct HeadlinesJsonTag>;
const JsonType& declared_type(const HeadlinesJsonTag*);
/// The same for the result, with the predicted over the measured time of the `program`,
/// TimeShares::program, where `model` has both.
HeadlinesJson to_json(std::vector<Headline> headlines, const Overview& model,
                      const TimeInterval& program);

}  // namespace slackline
