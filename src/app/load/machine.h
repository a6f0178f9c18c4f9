#pragma once

#include "app/options/run_request.h"
#include "base/findings.h"
#include "report/object.h"
#include "report/report.h"
#include "sim/platform/platform.h"
#include "sim/platform/rank_map.h"
#include "sim/simulation.h"
#include "sim/smpi_options.h"
#include "trace/trace.h"

namespace slackline {

/// A platform, the host of each rank, and how the run is simulated.
struct Machine {
  Platform platform;
  RankMap hosts{};
  SmpiOptions smpi{};
  SimulationOptions simulation{};
};

/// Reads the platform's files; settings in them that are not supported become findings. Throws
/// Error.
Machine resolve_machine(const PlatformOptions& options, const Trace& trace, Findings& findings);

using PlatformJson = JsonOf<struct PlatformJsonTag>;
const JsonType& declared_type(const PlatformJsonTag*);
/// The effective options, for Report::options.
PlatformJson to_json(const PlatformOptions& options, const SmpiOptions& smpi);

}  // namespace slackline
