#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "analysis/paths/activities.h"
#include "base/large_pages.h"
#include "calls/call_set.h"
#include "calls/run_span.h"

namespace slackline {

/// Times in K scenarios, side by side, in ns.
template <std::size_t K>
using ScenarioTimes = std::array<std::int64_t, K>;

/// Times in K scenarios, each with the part of it that the activities of one group take: the
/// longest path there, and of equally long ones the one with most of the group.
template <std::size_t K>
struct GroupTimes {
  ScenarioTimes<K> at{};  ///< in units of 1 / ScenarioCosts::units_per_ns ns
  ScenarioTimes<K> part{};
};

template <class Times>
struct ScenarioLanesOf;
template <std::size_t K>
struct ScenarioLanesOf<ScenarioTimes<K>> : std::integral_constant<std::size_t, K> {};
template <std::size_t K>
struct ScenarioLanesOf<GroupTimes<K>> : std::integral_constant<std::size_t, K> {};

/// A part of a call that is waiting by asking again and again: it ends when `source` comes, or,
/// without one, before that, and the call that waits for that as well comes later.
struct PolledWait {
  std::int64_t wait_ns = 0;
  std::optional<CallSource> source{};
};

/// What the activities of a measured run take in some scenarios in which some of them took less;
/// `Times`: ScenarioTimes or GroupTimes.
template <class Times>
class ScenarioCosts {
 public:
  static constexpr std::size_t kScenarios = ScenarioLanesOf<Times>::value;

  ScenarioCosts() = default;
  ScenarioCosts(const ScenarioCosts&) = delete;
  ScenarioCosts& operator=(const ScenarioCosts&) = delete;
  virtual ~ScenarioCosts() = default;

  /// Adds to the times of a rank what the computation before a call takes; `ns`: as measured.
  virtual void add_gap(std::int32_t rank, CallIndex call, std::int64_t ns, Times& at) const = 0;
  /// The same of a call without its waiting.
  virtual void add_call(std::int32_t rank, CallIndex call, std::int64_t ns, Times& at) const = 0;

  virtual PolledWait polled(std::int32_t /*rank*/, CallIndex /*call*/) const { return {}; }

  /// Scenarios in which a call does not wait for that, beside those of the next two.
  virtual std::array<bool, kScenarios> omitted(std::int32_t /*rank*/, CallIndex /*call*/,
                                               const CallWork::Wait& /*wait*/) const {
    return {};
  }

  /// Scenarios in which ranks wait for each other where all of them synchronise, and nowhere else.
  std::array<bool, kScenarios> alone{};
  /// Scenarios in which no rank waits for a lock that another one holds.
  std::array<bool, kScenarios> unlocked{};
  /// Waiting is added up, and may be skipped, in calls that were in here as measured; times from
  /// the start of the run.
  TimeInterval counted{0, std::numeric_limits<std::int64_t>::max()};
  std::int64_t units_per_ns = 1;  ///< all times are in these units
};

/// How the longest path of the first scenario runs.
struct ScenarioPath {
  /// A call that ended when what it waited for was there, plus its work.
  struct Step {
    CallIndex call = 0;
    std::int64_t polled_ns = 0;  ///< that are no work of it
    std::optional<CallSource>
        source{};  ///< the call that it waited for last; none: it did not wait
  };
  std::int32_t last_rank = 0;                ///< that is there last
  std::vector<std::vector<Step>> by_rank{};  ///< in program order
};

template <class Times>
struct ScenarioRun {
  Times makespan_ns{};
  /// Moments that every path goes through: where all ranks that have calls are synchronised and
  /// nothing is under way.
  std::uint64_t synchronisations = 0;
  /// All ranks' together; none with GroupTimes.
  ScenarioTimes<ScenarioLanesOf<Times>::value> waiting_ns{};
  std::vector<Times> met_at_ns;  ///< when all ranks met, in order; linear in these
};

/// What a walk remembers of sources, kept between walks, as most of their time would go into
/// getting it from the system.
template <class Times>
struct ScenarioMemory {
  struct Entered {
    Times times;
    std::uint32_t step;
  };
  BigVector<Entered> entered{};
};

/// How long the run would be in each scenario: every call begins when its rank is there, and ends
/// when the last of what it waited for in the measured run is there, plus what it takes itself.
/// Where the costs are the measured ones, each moment is the measured one, to the nanosecond.
/// `sources`: all of `run`'s. O(calls + members of collectives); a Times and 8 bytes a source. With
/// `path`, tells that, too: 40 bytes a call that waited. `memory`: for one walk at a time.
template <class Times>
ScenarioRun<Times> run_scenarios(const Activities& run, const CallSet& sources,
                                 const ScenarioCosts<Times>& costs, ScenarioMemory<Times>& memory,
                                 ScenarioPath* path = nullptr);
template <class Times>
ScenarioRun<Times> run_scenarios(const Activities& run, const CallSet& sources,
                                 const ScenarioCosts<Times>& costs) {
  ScenarioMemory<Times> memory;
  return run_scenarios(run, sources, costs, memory);
}

/// Calls visit_call(rank, call, polled_ns) and visit_gap(rank, call) for what is on the path, from
/// its end to its begin. O(calls on it + log of those that waited each).
template <class VisitCall, class VisitGap>
void for_path(const ScenarioPath& path, const Activities& run, VisitCall visit_call,
              VisitGap visit_gap) {
  std::int32_t rank = path.last_rank;
  for (std::size_t left = run.calls(rank); left > 0; --left) {
    auto call = static_cast<CallIndex>(left - 1);
    const auto& steps = path.by_rank[static_cast<std::size_t>(rank)];
    const auto step = std::ranges::lower_bound(steps, call, {}, &ScenarioPath::Step::call);
    const bool known = step != steps.end() && step->call == call;
    visit_call(rank, call, known ? step->polled_ns : 0);
    if (known && step->source) {
      rank = step->source->rank;
      call = step->source->index;
    }
    visit_gap(rank, call);
    left = std::size_t{call} + 1;
  }
}

}  // namespace slackline
