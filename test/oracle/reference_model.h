#pragma once

#include <stdexcept>

#include "graph/build.h"
#include "oracle/time_system.h"
#include "trace/trace.h"

namespace slackline::oracle {

/// The execution waits forever, or the trace holds something that the reference does not model.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// LogGPS timing of a sound trace, written from the formulas of the protocols (eager: LogGP;
/// handshake, rdma-read: LLAMP appendix B; see doc/) and MPI's matching rule, without src/graph's
/// graph builder: one equation for each completion, none left out. Slow and plain.
///
/// Collectives are taken as the steps that the same algorithms give. Throws Unsupported for
/// programs that deadlock under the options' S.
TimeSystem reference_times(const Trace& trace, const GraphOptions& options);

}  // namespace slackline::oracle
