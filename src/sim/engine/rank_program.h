#pragma once

#include <cstdint>

#include "base/findings.h"
#include "calls/call_actions.h"
#include "sim/engine/collective_execution.h"
#include "sim/engine/live_calls.h"
#include "sim/engine/simulation_data.h"

namespace slackline::sim {

/// Interprets a rank's program: which call or computation comes next, and what a call starts. Cost:
/// O(1) a call beside what it starts.
class RankProgram {
 public:
  struct Parts {
    ContextScheduler& contexts;
    MessagePassing& messages;
    Requests& requests;
    Polling& polling;
    CollectiveExecution& collectives;
    TimeAccounting& accounting;
    ContextOrder* order;  ///< may be nullptr
    LiveCalls* live;      ///< may be nullptr
  };
  /// All must outlive it.
  RankProgram(const Trace& trace, const Platform& platform, const SimulationOptions& options,
              Parts parts, Findings& findings);

  /// Creates the context of a rank's program, which begins at the rank's start relative to
  /// `origin_ns`.
  void create(std::int32_t rank, std::int64_t origin_ns);
  /// Ends what the context's program is in, and starts what comes next. False at the end of the
  /// program.
  bool next(ExecutionContext& context);

 private:
  bool region_is_next(const ExecutionContext& context) const;
  void begin_region(ExecutionContext& context);
  bool begin_gap(ExecutionContext& context);
  bool wait_for_rest(ExecutionContext& context);
  class Actions;
  void begin_call(ExecutionContext& context);
  void post(ExecutionContext& context, const PostedMessage& message, bool send);
  void exchange(ExecutionContext& context, const PostedMessage* from, const PostedMessage& to);
  void complete(ExecutionContext& context, const Call& call);
  void unsuccessful_test(ExecutionContext& context, std::uint32_t request);
  void enter_probe(ExecutionContext& context, const Call& call);
  void access_file(ExecutionContext& context);
  void enter_collective(ExecutionContext& context, const Call& call);
  bool peer_exists(std::int32_t peer);

  const Trace& trace_;
  const Platform& platform_;
  const SimulationOptions& options_;
  const bool in_flops_;
  Parts parts_;
  Findings& findings_;
};

}  // namespace slackline::sim
