#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "analysis/paths/activities.h"
#include "calls/call_set.h"

namespace slackline {

/// Times in K scenarios, side by side, in ns.
template <std::size_t K>
using ScenarioTimes = std::array<std::int64_t, K>;

/// What the activities of a measured run take in K scenarios in which some of them took less.
template <std::size_t K>
class ScenarioCosts {
 public:
  ScenarioCosts() = default;
  ScenarioCosts(const ScenarioCosts&) = delete;
  ScenarioCosts& operator=(const ScenarioCosts&) = delete;
  virtual ~ScenarioCosts() = default;

  /// Adds to the times of a rank what the computation before a call takes; `ns`: as measured.
  virtual void add_gap(std::int32_t rank, CallIndex call, std::int64_t ns,
                       ScenarioTimes<K>& at) const = 0;
  /// The same of a call without its waiting.
  virtual void add_call(std::int32_t rank, CallIndex call, std::int64_t ns,
                        ScenarioTimes<K>& at) const = 0;
};

template <std::size_t K>
struct ScenarioRun {
  ScenarioTimes<K> makespan_ns{};
  /// Moments that every path goes through: where all ranks that have calls are synchronised and
  /// nothing is under way.
  std::uint64_t synchronisations = 0;
};

/// How long the run would be in each scenario: every call begins when its rank is there, and ends
/// when the last of what it waited for in the measured run is there, plus what it takes itself.
/// Where the costs are the measured ones, each moment is the measured one, to the nanosecond.
/// `sources`: all of `run`'s. O(calls + members of collectives); 8 K + 8 bytes a source.
template <std::size_t K>
ScenarioRun<K> run_scenarios(const Activities& run, const CallSet& sources,
                             const ScenarioCosts<K>& costs);

}  // namespace slackline
