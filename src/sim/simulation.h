#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/findings.h"
#include "graph/collectives/choice.h"
#include "sim/link_usage.h"
#include "sim/link_view.h"
#include "sim/network_model.h"
#include "sim/platform/platform.h"
#include "sim/slowed_messages.h"
#include "trace/trace.h"

namespace slackline {

/// Which algorithm a collective call is performed by; never null.
using ChooseAlgorithm = ChooseCollective;

struct SimulationOptions {
  NetworkModel model = network_model("smpi");
  ChooseAlgorithm choose{};     ///< required
  double compute_scale = 1;     ///< of measured computation
  double reference_speed = 0;   ///< flop/s of the hosts it was measured on; 0: those simulated
  bool record = false;          ///< keep when each call begins and ends
  bool link_usage = false;      ///< keep who used which link when
  std::size_t slowed_kept = 0;  ///< of the messages that lost most; link usage says by which link
  std::vector<LinkScale> link_scales{};  ///< the machine, but for these
};

/// How a rank spent its time, in seconds; the four add up to the makespan.
struct RankTimes {
  double compute = 0;
  double overhead = 0;  ///< sending and receiving overheads, polling
  double transfer = 0;  ///< waiting for messages on their way
  double wait = 0;      ///< waiting for the other side, or for the end of the others
};

/// All ranks' calls of one operation.
struct OperationTimes {
  std::uint64_t calls = 0;
  double seconds = 0;  ///< inside of them
};

struct CallTimes {
  double begin = 0, end = 0;  ///< seconds
};

/// Messages whose transfer took longer than it would have with the network for itself.
struct Contention {
  std::uint64_t messages = 0;
  std::uint64_t slowed = 0;  ///< by more than 1 %
  double alone_seconds = 0;  ///< all messages' transfers, each alone
  double actual_seconds = 0;
  double worst_ratio = 1;
};

/// What a simulation found. Times in seconds from the start of the first rank.
struct Simulation {
  double makespan = 0;
  std::int32_t last_rank = 0;
  std::vector<double> rank_end{};
  std::vector<RankTimes> ranks{};
  std::vector<OperationTimes> operations{};  ///< by Operation
  Contention contention{};
  std::vector<SlowedMessage> slowed{};  ///< from the one that lost most
  Findings findings{};
  /// With `record`: by rank and call; by rank and region pair of a trace in flops (its actions that
  /// are no call), when each ended.
  std::vector<std::vector<CallTimes>> calls{};
  std::vector<std::vector<double>> region_ends{};
  std::shared_ptr<const LinkUsage> links{};  ///< with `link_usage`
  std::uint64_t events = 0;                  ///< dates at which something happened
  std::uint64_t solved_flows = 0;            ///< rates computed
};

/// Replays `trace` on `platform`, rank r on host_of_rank[r]. Throws Error for a deadlock (who waits
/// for what and since when), hosts without a route, and a mapping of the wrong size.
///
/// Cost: messages times what changes with each; memory about 500 bytes a rank beside the trace.
/// spec: SMPI model.
Simulation simulate(const Trace& trace, const Platform& platform,
                    const std::vector<HostId>& host_of_rank, const SimulationOptions& options);

}  // namespace slackline
