#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/platform/rank_map.h"
#include "sim/simulation.h"
#include "sim/smpi_options.h"

namespace slackline {

/// What varies over a sweep, and its values as they were written.
struct SweepAxis {
  std::string name;  ///< bandwidth, latency (of a group: bandwidth@c.up), compute, collectives, ..
  std::vector<std::string> values;
};

/// Reads "bandwidth=0.5,1,2,latency=1,10": an item with '=' begins an axis, others are its values.
/// bandwidth, latency and compute are factors; collectives is a selector; model a network model;
/// anything else the name of an option of SimGrid. Throws usage Error.
std::vector<SweepAxis> parse_sweep(std::string_view text);

struct SweepCase {
  std::vector<std::string> values;  ///< of each axis
  Simulation simulation;
};

/// Simulates every combination of the axes' values, several at a time on the same trace and
/// platform. Throws what the first failing one throws.
std::vector<SweepCase> sweep(const Trace& trace, const Platform& platform, const RankMap& hosts,
                             const SmpiOptions& smpi, const SimulationOptions& base,
                             const std::vector<SweepAxis>& axes);

/// Sets one axis to a value: in `options`, or in `smpi` for an option of SimGrid. Throws usage
/// Error.
void apply_axis(std::string_view name, std::string_view value, SmpiOptions& smpi,
                SimulationOptions& options);

}  // namespace slackline
