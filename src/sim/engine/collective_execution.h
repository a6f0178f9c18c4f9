#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/findings.h"
#include "graph/collective_index.h"
#include "sim/engine/collective_nodes.h"
#include "sim/engine/live_calls.h"
#include "sim/engine/message_passing.h"
#include "sim/engine/polling.h"
#include "sim/engine/requests.h"
#include "trace/trace.h"

namespace slackline::sim {

/// Performs collective calls as the messages of the chosen algorithm (Bédaride et al., PMBS 2013,
/// section 4.3), one step at a time. Cost: O(1) a step beside its message.
class CollectiveExecution {
 public:
  struct Parts {
    ContextScheduler& contexts;
    MessagePassing& messages;
    Requests& requests;
    Polling& polling;
    TimeAccounting& accounting;
    LiveCalls* live;  ///< may be nullptr
  };
  /// All must outlive it; `findings` gets what the index of collectives finds.
  CollectiveExecution(const Trace& trace, const std::vector<HostId>& host_of_rank,
                      const ChooseCollective& choose, const NetworkModel& model, Parts parts,
                      Findings& findings);

  /// The context's rank enters this collective call of its program.
  void enter(ExecutionContext& context, const Call& call);
  /// The next step of the collective that the context is in.
  void step(ExecutionContext& context);

 private:
  /// The record of a collective by order of arrival.
  struct KnownArrivals {
    ArrivalRecord record{};
    std::size_t complete = 0;  ///< ranks that know all of their steps
  };

  void expand(ExecutionContext& context);
  void keep_arrivals(const CollectiveIndex::Instance& instance, std::uint32_t sequence,
                     const Arrivals& arrivals, ArrivalRecord&& first);
  void start_message(ExecutionContext& context, const CollectiveStep& step);
  void wait_for_one(ExecutionContext& context, std::int32_t place);
  void probe(ExecutionContext& context, const CollectiveStep& step);
  void end_probe(ExecutionContext& context);
  void pass_time(ExecutionContext& context, double seconds);
  static std::int32_t member(const ExecutionContext& context, std::int32_t peer);

  const ChooseCollective& choose_;
  const NetworkModel& model_;
  Parts parts_;
  Findings& findings_;
  CollectiveIndex collectives_;
  CollectiveNodes nodes_;
  std::vector<CollectiveCursor> of_rank_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, KnownArrivals> arrivals_;  // by call
};

}  // namespace slackline::sim
