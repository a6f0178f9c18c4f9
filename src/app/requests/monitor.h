#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "app/options/ideal_network.h"
#include "app/options/run_request.h"

namespace slackline {

class OptionList;
struct Report;

/// Efficiencies over time and the phases that they show.
struct MonitorRequest {
  RunRequest run{.reading = {bytes_per_call::kMonitor}};
  std::optional<std::int32_t> rank{};  ///< followed call by call; default: the one with most calls
  std::size_t windows = 256;           ///< of equal width, that the run is cut into
  std::string causality = "dimemas";   ///< of collectives on the ideal network: dimemas or data
  std::string rendezvous = kRendezvousFrom;  ///< blocking sends of at least that size wait there
  std::string interval = "common";           ///< as resolve_interval() reads
};
void declare(OptionList& options, MonitorRequest& request);

/// Throws Error.
Report execute(const MonitorRequest& request);

}  // namespace slackline
