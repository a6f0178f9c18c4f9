#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/findings.h"
#include "trace/trace.h"

namespace slackline {

/// What a model or a simulation takes as the computation between two calls.
struct ComputationChoice {
  std::string name;                 ///< "wall" or "cpu"; empty if nobody asked and both are one
  std::optional<Trace> cpu_time{};  ///< the trace with CPU time as computation, if that is used
  Findings findings{};              ///< what was done, where it makes a difference
};

/// `wanted`: "wall" (all time between calls), "cpu" (less the time off the processor and other
/// pauses that the recording knows), or "auto": cpu for a trace whose ranks shared processors
/// (Finding `oversubscribed`) and whose time off them is known, else wall. Copies the trace only if
/// CPU time is used. Throws usage Error for another name.
ComputationChoice choose_computation(std::string_view wanted, const Trace& trace);

}  // namespace slackline
