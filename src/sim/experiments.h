#pragma once

#include <cstdint>
#include <functional>
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
/// seed that of the noise; anything else the name of an option of SimGrid. Throws usage Error.
std::vector<SweepAxis> parse_sweep(std::string_view text);

/// The axis of a sweep with other numbers of ranks, the first one: of programs that are run.
inline constexpr std::string_view kRanksAxis = "ranks";

/// How many combinations of values there are.
std::size_t combinations(const std::vector<SweepAxis>& axes);

/// One combination: its values, and the simulation that they ask for.
struct SweepSetting {
  std::vector<std::string> values;
  SimulationOptions options;
};
/// The i-th combination, of which the first axis changes fastest. Throws usage Error.
SweepSetting sweep_setting(const std::vector<SweepAxis>& axes, std::size_t i, SmpiOptions smpi,
                           const SimulationOptions& base);

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

/// The largest factor by which something can grow worse while a program's makespan stays within a
/// degradation, as far as simulation can tell.
struct SimulatedTolerance {
  double degradation = 0;  ///< 0.01: 1 %
  double factor = 1;       ///< the largest one found within it
  double beyond = 1;       ///< the next one tried, which is not within it
  bool unlimited = false;  ///< nothing that was tried exceeds it
};

struct ToleranceSearch {
  double base = 0;  ///< makespan at factor 1
  std::vector<SimulatedTolerance> tolerances{};
  std::vector<std::pair<double, double>> tried{};  ///< factor and makespan, ascending
  bool monotone = true;                            ///< among what was tried, worse was never faster
};

/// Looks for the first crossing of each degradation from factor 1 upwards, by steps that double and
/// then by bisection until the factor is known within `precision`. A simulated makespan is neither
/// convex nor always monotone in a link's speed, so that crossings between two samples that are
/// both within can escape; `monotone` tells whether anything like that was seen.
/// `makespan(factor)` is evaluated about 20 + 7 times a degradation.
ToleranceSearch search_tolerances(const std::function<double(double)>& makespan,
                                  const std::vector<double>& degradations, double largest = 1 << 16,
                                  double precision = 0.01);

}  // namespace slackline
