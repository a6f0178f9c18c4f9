#pragma once

#include <cstddef>
#include <vector>

#include "graph/collectives/choice.h"
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
  bool record = false;          ///< keep when each call begins and ends
  bool link_usage = false;      ///< keep which messages used which link when
  std::size_t slowed_kept = 0;  ///< how many of the messages that lost most; link usage says where
  std::vector<LinkScale> link_scales{};  ///< changes of the machine
};

}  // namespace slackline
