#pragma once

#include "graph/build.h"
#include "report/report.h"
#include "timing/loggps.h"

namespace slackline {

/// Everything that a prediction depends on beside the trace.
struct ModelChoice {
  LogGPS model;
  GraphOptions graph;
  std::string network;  ///< name of the preset the values started from; empty if none
};

/// The effective options, for a Report: values with units, as the command line reads them.
Json to_json(const ModelChoice& choice);

}  // namespace slackline
