#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "property/loop_execution.h"
#include "trace/trace.h"

namespace slackline::testing {

/// A timed run whose phases and iterations are known, as nobody but its generator knows them.
struct PlantedRun {
  Trace trace{1, true};
  std::string shape;  ///< in words, for messages
  std::size_t iterations = 0;
  std::vector<std::size_t> changes;    ///< iterations with which another phase begins
  std::vector<std::size_t> outliers;   ///< iterations that take much longer
  std::vector<std::int64_t> begin_ns;  ///< of each iteration, the ranks' median; and the last's end
};

/// The `seed`-th run: 2 to 64 ranks, 20 to 400 iterations of 6 shapes, up to 5 phases in which all,
/// some or one of the ranks compute longer or the network is slower, noise from none to 10 %,
/// independent, with long tails or drifting, up to 3 outliers. Changes are at least four times the
/// noise, so that they can be placed to one iteration.
PlantedRun planted_run(std::uint64_t seed);

/// A kind of loop that real programs have, with or without phases. 2 to 16 ranks.
struct PlantedKind {
  std::string_view name;
  PlantedRun (*run)(std::uint64_t seed);
  std::uint64_t runs;         ///< of 1,000
  bool outliers_are_planted;  ///< all of them are in PlantedRun::outliers
};
const std::vector<PlantedKind>& planted_kinds();

/// `ranks` ranks with `iterations` allreduces, of which `slow` computes `factor` times as long from
/// iteration `from` to `to`. Noise of 2 %.
Trace one_slow_rank(std::int32_t ranks, std::size_t iterations, std::int32_t slow, double factor,
                    std::size_t from, std::size_t to);

}  // namespace slackline::testing
