#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "analysis/waits/delay_costs.h"
#include "analysis/waits/sampled_causes.h"
#include "analysis/waits/wait_states.h"
#include "base/arithmetic.h"
#include "base/keyed_rows.h"
#include "calls/computation_code.h"
#include "calls/run_part.h"
#include "trace/trace.h"

namespace slackline {

/// Waiting of one pattern in one operation of one rank, at one place in the code.
struct WaitInCode {
  /// What caused most of it, directly or through the waiting of others.
  struct Cause {
    std::int32_t rank = -1;  ///< -1: not known
    FrameId frame = 0;       ///< of computation the line at which most of it ended; 0 not known
    double share = 0;        ///< the part of the waiting that comes from there
  };

  WaitPattern pattern = WaitPattern::late_sender;
  Operation operation = Operation::none;
  std::int32_t rank = 0;
  FrameId frame = 0;  ///< of the call that waits; 0 not known
  PathId path = 0;    ///< its path, of `names`
  std::uint64_t count = 0;
  std::int64_t sum_ns = 0;
  Cause cause{};
};

/// How much waiting there is in places of the code, and what caused it: other activities, and
/// waiting in other places.
struct WaitsByCode {
  struct Place {
    WaitPattern pattern;
    Operation operation;
    std::int32_t rank;
    FrameId frame;
    PathId path;
    auto operator<=>(const Place&) const = default;
  };
  struct Waiting {
    Place of;
    std::uint64_t count;
    std::int64_t sum_ns;
    std::int64_t effective_ns;  ///< of effective states

    const Place& key() const { return of; }
    void add(const Waiting& other) {
      count += other.count;
      sum_ns += other.sum_ns;
      effective_ns += other.effective_ns;
    }
  };
  template <class Cause>
  struct PlaceAndCause {
    Place place;
    Cause cause;
    auto operator<=>(const PlaceAndCause&) const = default;
  };
  /// In ns.
  template <class Cause>
  using Caused = KeyedSum<PlaceAndCause<Cause>, FixedPointSum>;

  // Ascending by key.
  std::vector<Waiting> waiting{};
  std::vector<Caused<RankActivity>> direct{};
  std::vector<Caused<Place>> indirect{};

  auto tables() { return std::tie(waiting, direct, indirect); }
  void add_up() { add_up_tables(tables()); }
};

/// Collects them while delay_costs() runs over the same waits and names.
class WaitsByCodeCollector : public DelayVisitor {
 public:
  /// To be called once, after delay_costs().
  virtual WaitsByCode take() = 0;
};
/// The arguments must outlive the collector. `names`: activities by functions where call paths were
/// recorded.
std::unique_ptr<WaitsByCodeCollector> collect_waits_by_code(const Trace& trace,
                                                            const WaitStates& waits,
                                                            const CallActivities& names);

/// How long late ranks took in what the others wait for, by place in the code.
struct CauseTimes {
  struct ActivityAtFrame {
    RankActivity activity;
    FrameId frame;
    auto operator<=>(const ActivityAtFrame&) const = default;
  };

  // Ascending by key; ns.
  std::vector<KeyedSum<ActivityAtFrame, std::int64_t>> at_frames{};
  std::vector<SampledCauseTime> in_functions{};  ///< where there are samples

  auto tables() { return std::tie(at_frames, in_functions); }
  void add_up() { add_up_tables(tables()); }
};

/// Names the causes of the waiting of a whole run by their lines.
class CodeCauses {
 public:
  /// `tree` and `ranks`: of the run. Keeps a reference to `tree`. O(causes + frames).
  CodeCauses(const WaitsByCode& waits, const CallTree& tree, std::int32_t ranks);

  /// Whether times_of() has anything to do.
  bool needs_calls() const { return !tree_.empty() && !frames_.empty(); }
  /// `names`, as of the collector, and `code`: of `trace`, a part of the run. O(calls).
  CauseTimes times_of(const Trace& trace, const CallActivities& names, const ComputationCode& code,
                      const RunPart& part) const;
  /// All waiting by place, largest first. `times`: of all parts of the run. To be called once.
  std::vector<WaitInCode> take(const CauseTimes& times);

 private:
  void add_times(const Trace& trace, const CallActivities& names, const RunPart& part,
                 CauseTimes& times) const;
  void find_frames(const CauseTimes& times);
  std::vector<LateComputation> late_computations() const;

  const CallTree& tree_;
  std::vector<WaitInCode> places_;
  std::vector<std::optional<RankActivity>> largest_;  // the largest cause of each place
  std::map<RankActivity, FrameId> frames_;            // of these causes
  std::optional<SampledCauses> sampled_;
};

}  // namespace slackline
