#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "analysis/paths/activities.h"
#include "calls/call_set.h"
#include "calls/run_span.h"

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

  /// A part of a call that is waiting by asking again and again: it ends when `source` comes, or,
  /// without one, before that, and the call that waits for that as well comes later.
  struct Polled {
    std::int64_t wait_ns = 0;
    std::optional<CallSource> source{};
  };
  virtual Polled polled(std::int32_t /*rank*/, CallIndex /*call*/) const { return {}; }

  /// Scenarios in which ranks wait for each other where all of them synchronise, and nowhere else.
  std::array<bool, K> alone{};
  /// Scenarios in which no rank waits for a lock that another one holds.
  std::array<bool, K> unlocked{};
  /// Waiting is added up, and may be skipped, in calls that were in here as measured; times from
  /// the start of the run.
  TimeInterval counted{0, std::numeric_limits<std::int64_t>::max()};
};

template <std::size_t K>
struct ScenarioRun {
  ScenarioTimes<K> makespan_ns{};
  /// Moments that every path goes through: where all ranks that have calls are synchronised and
  /// nothing is under way.
  std::uint64_t synchronisations = 0;
  ScenarioTimes<K> waiting_ns{};            ///< of all ranks
  std::vector<ScenarioTimes<K>> met_at_ns;  ///< when all ranks met, in order; linear in these
};

/// How long the run would be in each scenario: every call begins when its rank is there, and ends
/// when the last of what it waited for in the measured run is there, plus what it takes itself.
/// Where the costs are the measured ones, each moment is the measured one, to the nanosecond.
/// `sources`: all of `run`'s. O(calls + members of collectives); 8 K + 8 bytes a source.
template <std::size_t K>
ScenarioRun<K> run_scenarios(const Activities& run, const CallSet& sources,
                             const ScenarioCosts<K>& costs);

}  // namespace slackline
