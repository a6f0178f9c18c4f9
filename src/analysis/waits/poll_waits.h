#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/waits/collective_waits.h"
#include "analysis/waits/wait_states.h"
#include "calls/call_matching.h"
#include "calls/open_polls.h"
#include "trace/trace.h"

namespace slackline {

/// The waiting of one rank in polls that found nothing (MPI_Test and its kind, MPI_Iprobe,
/// MPI_Improbe), call by call in program order.
class PollWaits {
 public:
  /// Keeps references; appends to `states`.
  PollWaits(const Trace& trace, const CallMatching& matching, const CollectiveWaits& collectives,
            const WaitOptions& options, std::int32_t rank, std::vector<WaitState>& states);

  /// A poll that fails is kept until a call succeeds for the same requests or the same message:
  /// only that one tells what was waited for.
  void look(CallIndex call);

 private:
  struct Cause {
    std::int64_t begin_ns;
    std::int32_t rank;
    CallIndex call;
    WaitPattern pattern;
  };

  std::optional<Cause> cause_of(CallIndex call, Operation operation) const;
  std::optional<Cause> cause_of(const CallMatching::Completion& completion, CallIndex call) const;
  void add(CallIndex call, const Cause& cause);

  const Trace& trace_;
  const CallMatching& matching_;
  const CollectiveWaits& collectives_;
  const WaitOptions& options_;
  const std::int32_t rank_;
  std::vector<WaitState>& states_;
  OpenPolls<CallIndex> open_;
};

}  // namespace slackline
