#pragma once

#include <utility>

#include "page/simulated_run.h"
#include "sim/platform/rank_map.h"
#include "sim/platform/read_platform.h"
#include "sim/smpi_options.h"

namespace slackline::testing {

// One wire of 1 GB/s without latency between two hosts; messages share it. SMPI adds 16 bytes to
// each message.
inline constexpr const char* kWire =
    "<platform version='4.1'><zone id='w' routing='Full'>"
    "<host id='a' speed='1Gf' core='2'/><host id='b' speed='1Gf' core='2'/>"
    "<link id='wire' bandwidth='1GBps' latency='0us'/>"
    "<route src='a' dst='b'><link_ctn id='wire'/></route></zone></platform>";

/// A trace of which each two ranks run on one host.
struct SimulatedOnWire {
  explicit SimulatedOnWire(Trace t)
      : trace(std::move(t)), platform(parse_platform_xml(kWire, "wire.xml", findings)) {
    SimulationOptions options;
    options.model = network_model("raw");
    options.choose = SmpiOptions{}.collectives();
    options.record = options.link_usage = true;
    const RankMap hosts =
        place_ranks("cyclic:2", platform, static_cast<std::uint32_t>(trace.ranks()));
    simulation = simulate(trace, platform, hosts, options);
  }
  SimulatedRun run() const { return {simulation, platform, "wire.xml", 8}; }

  Findings findings;
  Trace trace;
  Platform platform;
  Simulation simulation;
};

}  // namespace slackline::testing
