#include "sim/simulation.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "base/error.h"
#include "sim/engine.h"

namespace slackline {
namespace {

constexpr std::uint32_t kFewHosts = 128;

}  // namespace

Simulation simulate(const Trace& trace, const Platform& platform,
                    const std::vector<HostId>& host_of_rank, const SimulationOptions& options) {
  if (host_of_rank.size() != static_cast<std::size_t>(trace.ranks())) {
    throw Error("cannot place the ranks",
                fmt::format("the trace has {} ranks, and hosts are given for {}", trace.ranks(),
                            host_of_rank.size()),
                "Name a host for every rank.");
  }
  // With few hosts SimGrid's own procedure costs next to nothing.
  if (!options.model.lazy || platform.host_count() > kFewHosts) {
    sim::Engine quick(trace, platform, host_of_rank, options, OrderOfEnds::notice);
    if (auto result = quick.run()) return std::move(*result);
  }
  return *sim::Engine(trace, platform, host_of_rank, options, OrderOfEnds::follow).run();
}

}  // namespace slackline
