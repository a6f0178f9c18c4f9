#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/engine/collective_execution.h"
#include "sim/engine/context_order.h"
#include "sim/engine/context_scheduler.h"
#include "sim/engine/matching.h"
#include "sim/engine/message_passing.h"
#include "sim/engine/polling.h"
#include "sim/engine/profile_events.h"
#include "sim/engine/rank_program.h"
#include "sim/engine/requests.h"
#include "sim/engine/simulation_data.h"
#include "sim/engine/statistics.h"
#include "sim/network/network.h"
#include "sim/network/network_model.h"
#include "sim/sharing/max_min_sharing.h"
#include "trace/trace.h"

namespace slackline::sim {

/// Executes all ranks of a trace in simulated time; see engine.cc.
class Engine {
 public:
  /// What is to be simulated. All must outlive the engine.
  struct Input {
    const Trace& trace;
    const Platform& platform;
    const std::vector<HostId>& host_of_rank;
    const SimulationOptions& options;
    LinkView& links;            ///< of the platform, under options.link_scales; profiles change it
    LiveCalls* live = nullptr;  ///< of a program that runs meanwhile, and extends the trace
  };
  /// `order` may be nullptr, and must outlive the engine.
  Engine(const Input& input, std::unique_ptr<BandwidthSharing> sharing,
         ContextOrder* order = nullptr);

  /// Once only. Nothing if `order` gives up. Throws Error for a deadlock, and for messages of a
  /// program that are never received.
  std::optional<Simulation> run();
  /// After run() has given nothing: what was simulated until then, when all ranks end now.
  Simulation given_up();

 private:
  void create_programs();
  void advance(ExecutionContext& context);
  void resume_after_time(ExecutionContext& context);
  void arrive(const Network::Arrival& arrival);
  double follow_profiles(double until);
  bool follow(const ProfileEvents::Event& event);
  bool is_finished(std::int32_t rank) const;
  bool is_stuck() const;
  void finish(ExecutionContext& context);
  [[noreturn]] void deadlock() const;
  void finish_result();
  void report_unmatched();

  const Trace& trace_;
  const Platform& platform_;
  const NetworkModel& model_;
  ContextOrder* const order_;
  LiveCalls* const live_;
  Simulation result_;
  std::shared_ptr<LinkUsage> usage_;
  Overheads overheads_;
  Matching matching_;
  Network network_;
  ProfileEvents profiles_;
  ContextScheduler contexts_;
  TimeAccounting accounting_;
  ContentionStatistics contention_;
  Requests requests_;
  MessagePassing messages_;
  Polling polling_;
  CollectiveExecution collectives_;
  RankProgram program_;
  std::size_t unfinished_ = 0;  ///< ranks
};

/// How MaxMinSharing is to work for a simulation: without share groups where single links are
/// shown or change.
MaxMinSharing::Options sharing_options(const Engine::Input& input);

class LiveCalls;

/// Throws the Error for a program in which no context can go on: which ranks wait in which call of
/// which call path for what, and since when, a line for each. `live`: where the calls come from if
/// not from the trace; else null.
[[noreturn]] void throw_deadlock(const Trace& trace, const ContextScheduler& contexts,
                                 const Matching& matching, const LiveCalls* live);

}  // namespace slackline::sim
