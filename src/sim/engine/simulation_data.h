#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/findings.h"
#include "base/noise.h"
#include "graph/collectives/choice.h"
#include "sim/network/link_usage.h"
#include "sim/network/network_model.h"
#include "sim/sharing/link_view.h"

namespace slackline {

/// The algorithm that performs a collective call; never null.
using ChooseAlgorithm = ChooseCollective;

struct SimulationOptions {
  NetworkModel model = network_model("smpi");
  ChooseAlgorithm choose{};     ///< required
  double compute_scale = 1;     ///< factor for measured computation
  double reference_speed = 0;   ///< flop/s of the hosts it was measured on; 0: those simulated
  Noise compute_noise{};        ///< of each computation, in seconds
  Noise message_noise{};        ///< of each message's latency, in seconds
  bool record = false;          ///< keep when each call begins and ends
  bool link_usage = false;      ///< keep which messages used which link when
  std::size_t slowed_kept = 0;  ///< how many of the messages that lost most; link usage says where
  std::vector<LinkScale> link_scales{};  ///< changes of the machine
};

/// How a rank spent its time, in seconds; the four add up to the makespan.
struct RankTimes {
  double compute = 0;
  double overhead = 0;  ///< sending and receiving overheads, polling, files
  double transfer = 0;  ///< waiting for messages in flight
  double wait = 0;      ///< waiting for the other side, or for the end of the other ranks
};

/// All ranks' calls of one operation.
struct OperationTimes {
  std::uint64_t calls = 0;
  double seconds = 0;  ///< inside of them
};

struct CallTimes {
  double begin = 0, end = 0;  ///< seconds
};

/// Messages whose transfer took longer than it would have with the network to itself.
struct Contention {
  std::uint64_t messages = 0;
  std::uint64_t slowed = 0;  ///< by more than 1 %
  double alone_seconds = 0;  ///< the sum over all messages, each with the network to itself
  double actual_seconds = 0;
  double worst_ratio = 1;  ///< the largest ratio of a message's actual time and its time alone
};

/// What a simulation found. Times in seconds from the start of the first rank.
struct Simulation {
  double makespan = 0;
  std::int32_t last_rank = 0;
  std::vector<double> rank_end{};
  std::vector<RankTimes> ranks{};
  std::vector<OperationTimes> operations{};  ///< by Operation
  Contention contention{};
  std::vector<SlowedMessage> slowed{};  ///< the one that lost most first
  Findings findings{};
  /// With `record`: by rank and call; and by rank and region pair of a trace in flops (its actions
  /// that are no call), when each ended.
  std::vector<std::vector<CallTimes>> calls{};
  std::vector<std::vector<double>> region_ends{};
  std::shared_ptr<const LinkUsage> links{};  ///< with `link_usage`
  std::uint64_t events = 0;                  ///< simulated times at which something happened
  std::uint64_t solved_flows = 0;            ///< rates computed
};

}  // namespace slackline
