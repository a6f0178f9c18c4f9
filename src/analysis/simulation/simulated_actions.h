#pragma once

#include <string>

#include "sim/simulation.h"
#include "trace/trace.h"

namespace slackline {

/// A simulation (recorded) as SimGrid's replay prints it: one line "end-date rank action" for each
/// finished action, by date; seconds with 12 digits. Actions of a trace that has calls only are its
/// calls, by their names in time-independent traces where those have one.
std::string simulated_actions(const Simulation& simulation, const Trace& trace);

}  // namespace slackline
