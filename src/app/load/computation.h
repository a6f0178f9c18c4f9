#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/findings.h"
#include "calls/cpu_time.h"
#include "trace/trace.h"

namespace slackline {

/// What a model or a simulation takes as the computation between two calls.
struct ComputationChoice {
  std::string name;                 ///< "wall" or "cpu"; empty if nobody asked and both are one
  std::optional<Trace> cpu_time{};  ///< the trace with that as computation, unless it is all time
  Findings findings{};              ///< what was done, where it makes a difference
};

/// `wanted`: "wall" (all time between calls), "cpu" (less the time off the processor and other
/// pauses that the recording knows), or "auto": cpu for a trace whose ranks shared processors
/// (Finding `oversubscribed`) and whose time off them is known, else wall without what recording
/// the calls took, where that is known and more than a hundredth of it. Copies the trace only then.
/// Throws usage Error for another name.
ComputationChoice choose_computation(std::string_view wanted, const Trace& trace);

/// The choice for a run whose calls are not all there at once.
struct ComputationRule {
  enum class LeftOut { nothing, recording, pauses };
  std::string name;  ///< as ComputationChoice::name
  LeftOut left_out = LeftOut::nothing;
  Findings findings{};
};
/// `times`: of the whole run, which is `job`'s. Throws usage Error for another name.
ComputationRule choose_computation(std::string_view wanted, const Trace& job,
                                   const OffComputation& times);
/// The run, or a part of it, with that as computation.
Trace computing(const ComputationRule& rule, Trace trace);

}  // namespace slackline
