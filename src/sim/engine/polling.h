#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/engine/context_scheduler.h"
#include "sim/engine/requests.h"
#include "sim/engine/statistics.h"
#include "sim/network/network_model.h"

namespace slackline::sim {

/// MPI_Test, MPI_Probe, and the probes of collectives by order of arrival: their outcome is for the
/// simulation to find, after the time they take has been paid. As in SimGrid (smpi/test,
/// smpi/iprobe, smpi/grow-injected-times) a poll takes the longer, the more polls of all ranks in a
/// row were in vain. Cost: O(1) a poll; a probe by a collective O(channels).
class Polling {
 public:
  /// All must outlive it.
  Polling(const NetworkModel& model, const Platform& platform, ContextScheduler& contexts,
          const Matching& matching, Requests& requests, TimeAccounting& accounting)
      : model_(model),
        platform_(platform),
        contexts_(contexts),
        matching_(matching),
        requests_(requests),
        accounting_(accounting) {}

  /// The context tests a request, which is its rank's with that serial number.
  void begin_test(ExecutionContext& context, const Request& request, std::uint32_t serial);
  /// The time of the test has been paid.
  void end_test(ExecutionContext& context);

  /// The context polls until there is a message on the channel.
  void begin_probe(ExecutionContext& context, const Channel& channel);
  /// The time of one poll has been paid.
  void poll_again(ExecutionContext& context);

  /// One poll of a program that runs while it is simulated, which itself knows what can be found:
  /// the context pays for it, then `found` is told. `blocking`: it polls until it finds.
  void begin_live_poll(ExecutionContext& context, bool blocking);
  void end_live_poll(ExecutionContext& context, bool blocking, bool found);

  /// The context looks for a message of its collective on the channel, once or until there is one.
  void begin_collective_probe(ExecutionContext& context, const Channel& channel,
                              CollectiveProbe kind);
  /// The time of that has been paid; returns whether there was one.
  bool end_collective_probe(ExecutionContext& context);

  /// Contexts that poll until they find a message: each keeps a computation or pause going.
  std::size_t polling() const { return polling_; }
  /// Whether there is a message that the context polls for.
  bool can_find(const ExecutionContext& context) const;

 private:
  void pay_for_probe(ExecutionContext& context, ExecutionContext::State state);
  void account_probe(const ExecutionContext& context, bool found);

  const NetworkModel& model_;
  const Platform& platform_;
  ContextScheduler& contexts_;
  const Matching& matching_;
  Requests& requests_;
  TimeAccounting& accounting_;
  std::size_t polling_ = 0;
  std::uint32_t failed_tests_ = 1, failed_probes_ = 1;  // of all ranks, as SimGrid counts
};

}  // namespace slackline::sim
