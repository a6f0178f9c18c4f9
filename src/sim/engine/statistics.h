#pragma once

#include <cstddef>

#include "sim/engine/execution_context.h"
#include "sim/engine/matching.h"
#include "sim/engine/simulation_data.h"
#include "sim/network/network.h"
#include "trace/trace.h"

namespace slackline::sim {

/// Attributes each rank's simulated time to computation, overhead, transfer and wait, and to calls.
/// Only a rank's program counts; what its nonblocking collectives do beside it does not. Seconds.
class TimeAccounting {
 public:
  /// Writes to `result`; with `record` also when each call and region ends. Both must outlive it.
  TimeAccounting(const Trace& trace, bool record, Simulation& result);

  void add_compute(const ExecutionContext& context, double seconds) {
    if (context.main) times(context).compute += seconds;
  }
  void add_overhead(const ExecutionContext& context, double seconds) {
    if (context.main) times(context).overhead += seconds;
  }
  /// The context has waited until `now` for a message that left at `message_left`: until then it
  /// waited, afterwards the message was in flight; unless receive overheads filled the time.
  void add_wait(ExecutionContext& context, double message_left, double now);

  /// The call, computation or region that the context's program is in has ended.
  void end_item(ExecutionContext& context, double now);
  /// The rank's program has ended.
  void end_rank(std::int32_t rank, double now) { result_.rank_end[index(rank)] = now; }
  /// The whole simulation has ended: its makespan, and waiting for it.
  void finish();

 private:
  static std::size_t index(std::int32_t rank) { return static_cast<std::size_t>(rank); }
  CallTimes& call_times(std::size_t rank, std::uint32_t call);
  RankTimes& times(const ExecutionContext& context) { return result_.ranks[index(context.rank)]; }

  const Trace& trace_;
  const bool record_;
  Simulation& result_;
};

/// How much messages slowed each other down, over all messages, and those that lost most. Seconds.
class ContentionStatistics {
 public:
  /// Keeps `most_slowed` messages. `result` must outlive it.
  ContentionStatistics(std::size_t most_slowed, Simulation& result)
      : slowed_(most_slowed), result_(result) {}

  /// A message has arrived. Cost: O(log most_slowed).
  void add(const Network::Arrival& arrival, const Transfer& transfer, double now);
  void finish() { result_.slowed = slowed_.sorted(); }

 private:
  SlowedMessages slowed_;
  Simulation& result_;
};

}  // namespace slackline::sim
