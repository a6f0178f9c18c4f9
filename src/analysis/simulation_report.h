#pragma once

#include "report/report.h"
#include "sim/simulation.h"
#include "trace/trace.h"

namespace slackline {

/// Fills result and sections; the caller adds options, input and findings. Link usage is described
/// when the simulation kept it.
Report describe(const Simulation& simulation, const Trace& trace, const Platform& platform);

}  // namespace slackline
