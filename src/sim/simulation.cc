#include "sim/simulation.h"

#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/units.h"
#include "sim/engine/engine.h"
#include "sim/sharing/max_min_sharing.h"
#include "sim/simgrid/lazy_simulation.h"

namespace slackline {

Simulation simulate(const Trace& trace, const Platform& platform,
                    const std::vector<HostId>& host_of_rank, const SimulationOptions& options) {
  if (host_of_rank.size() != static_cast<std::size_t>(trace.ranks())) {
    throw Error("cannot place the ranks",
                fmt::format("the trace has {}, but hosts are given for {}",
                            count_of(static_cast<std::uint64_t>(trace.ranks()), "rank"),
                            host_of_rank.size()),
                "Name a host for every rank.");
  }
  const LinkView links(platform, options.link_scales);
  const sim::Engine::Input input{trace, platform, host_of_rank, options, links};
  if (options.model.lazy) return simgrid::simulate_lazily(input);
  auto sharing =
      std::make_unique<MaxMinSharing>(links, MaxMinSharing::Options{.groups = !options.link_usage});
  return *sim::Engine(input, std::move(sharing)).run();
}

}  // namespace slackline
