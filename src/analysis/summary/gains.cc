// Gain curves.
//
// The question: by how much does the run get shorter if this function does? A profile cannot say,
// as most of a function's time may lie beside the critical path, and the path moves away as the
// function gets faster. Coz answers by experiments ("Coz: Finding Code that Counts with Causal
// Profiling", Curtsinger and Berger 2015). Here the run is executed with less of it. The length at
// a reduction y of a group's times is the maximum of finitely many lines t - y b, one a path, with
// b the group's time on it, and a walk finds both for the longest one. So each point of a curve has
// a line that the curve lies above; where those of two neighbours meet, it is asked again, until
// the curve is known where it must be. If it ends flat, that is Newton's iteration for where it
// does.

#include "analysis/summary/gains.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/paths/scenario_times.h"
#include "analysis/summary/failed_polls.h"
#include "analysis/summary/gain_groups.h"
#include "base/arithmetic.h"
#include "base/error.h"
#include "base/parallel.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

constexpr std::size_t kGainLanes = 8;
constexpr std::size_t kCurvesOfKind = 16;
constexpr std::size_t kCurvesOfRanks = 8;  // of which there may be thousands, all alike
constexpr std::size_t kGainThreads = 2;

/// A point of a curve. Reductions are whole multiples of 1 / units, and lengths of 1 / units ns.
struct CurvePoint {
  std::int64_t reduction = 0;
  std::int64_t length = 0;
  std::int64_t part_ns = 0;  ///< of the group on the longest path

  /// What the curve is not below.
  std::int64_t line_at(std::int64_t other) const { return length - (other - reduction) * part_ns; }
};

/// A curve, as far as it is known, and where it must be asked.
class CurveSearch {
 public:
  CurveSearch(std::int64_t units, CurvePoint unchanged) : units_(units), points_{unchanged} {}

  /// Reductions, none of them twice; none when all is known.
  std::vector<std::int64_t> asks() const {
    if (points_.front().part_ns == 0) return {};
    if (points_.size() == 1) return {units_};
    std::vector<std::int64_t> all;
    const auto ask = [&](std::int64_t reduction) {
      if (std::ranges::find(all, reduction) == all.end()) all.push_back(reduction);
    };
    const std::size_t flat = first_flat();
    if (flat > 0 && flat < points_.size() && meeting(flat) < points_[flat].reduction) {
      ask(meeting(flat));
    }
    for (const int percent : kGainSpeedups) {
      const std::int64_t reduction = percent * units_ / 100;
      const std::size_t r = right_of(reduction);
      // What is asked of the last stretch before it is flat may tell.
      if (is_known(reduction) || (r == flat && !all.empty())) continue;
      // Most curves are two lines.
      ask(points_.size() == 2 && meeting(r) < units_ ? meeting(r) : reduction);
    }
    return all;
  }

  void add(CurvePoint point) {
    points_.insert(points_.begin() + static_cast<std::ptrdiff_t>(right_of(point.reduction)), point);
  }

  double gain_ns(int percent) const {
    const std::int64_t at = percent * units_ / 100;
    return static_cast<double>(points_.front().length - length_at(at)) /
           static_cast<double>(units_);
  }

  double saturation() const {
    if (points_.size() == 1 || points_.back().length == points_.front().length) return 0;
    const std::size_t r = first_flat();
    return r == points_.size() ? 1 : exact_meeting(r) / static_cast<double>(units_);
  }

 private:
  /// The first point that is not before a reduction.
  std::size_t right_of(std::int64_t reduction) const {
    const auto at = std::ranges::lower_bound(points_, reduction, {}, &CurvePoint::reduction);
    return static_cast<std::size_t>(at - points_.begin());
  }
  std::size_t first_flat() const {
    const auto at = std::ranges::find(points_, 0, &CurvePoint::part_ns);
    return static_cast<std::size_t>(at - points_.begin());
  }

  std::int64_t length_at(std::int64_t reduction) const {
    const std::size_t r = right_of(reduction);
    if (r == points_.size()) return points_.front().length;  // nothing to gain
    if (r == 0) return points_.front().length;
    return std::max(points_[r - 1].line_at(reduction), points_[r].line_at(reduction));
  }

  /// Between the lines of its neighbours and what connects them is no more than a step's gain.
  bool is_known(std::int64_t reduction) const {
    const std::size_t r = right_of(reduction);
    const CurvePoint& right = points_[r];
    if (right.reduction == reduction) return true;
    const CurvePoint& left = points_[r - 1];
    const Int128 width = right.reduction - left.reduction;
    const Int128 most = Int128{left.length} * (right.reduction - reduction) +
                        Int128{right.length} * (reduction - left.reduction);
    return most - width * length_at(reduction) <= width * points_.front().part_ns;
  }

  /// Where the line of a point meets that of the one before it.
  double exact_meeting(std::size_t r) const {
    const CurvePoint& left = points_[r - 1];
    const std::int64_t above = points_[r].line_at(left.reduction);
    return static_cast<double>(left.reduction) +
           ratio_of(static_cast<double>(left.length - above),
                    static_cast<double>(left.part_ns - points_[r].part_ns));
  }
  /// The first reduction behind that.
  std::int64_t meeting(std::size_t r) const {
    const CurvePoint& left = points_[r - 1];
    const std::int64_t above = left.length - points_[r].line_at(left.reduction);
    const std::int64_t rate = left.part_ns - points_[r].part_ns;
    if (rate <= 0 || above <= 0) return points_[r].reduction;
    return left.reduction + (above + rate - 1) / rate;
  }

  std::int64_t units_;
  std::vector<CurvePoint> points_;  // by reduction
};

/// What is asked of one lane.
struct GroupReduction {
  std::size_t group = 0;
  std::int64_t reduction = 0;
};

/// What a run's activities take.
struct RunCosts {
  const GainOwners& owners;
  const FailedPolls& polls;
  const PolledGaps& gaps;
  std::int64_t units;  ///< per ns
};

/// A run with less of what belongs to up to eight groups, each in a lane of its own.
class GroupLanes : public ScenarioCosts<GroupTimes<kGainLanes>> {
 public:
  using Times = GroupTimes<kGainLanes>;

  explicit GroupLanes(const RunCosts& costs) : costs_(costs), lanes_of_(costs.owners.size()) {
    units_per_ns = costs.units;
  }

  void set(std::size_t lane, const GainGroup& group, std::int64_t reduction) {
    reductions_[lane] = reduction;
    for (const std::uint32_t owner : group.owners) {
      lanes_of_[owner] = static_cast<std::uint8_t>(lanes_of_[owner] | 1U << lane);
    }
  }

  PolledWait polled(std::int32_t rank, CallIndex call) const override {
    return costs_.polls.of(rank, call);
  }
  void add_gap(std::int32_t rank, CallIndex call, std::int64_t ns, Times& at) const override {
    if (costs_.gaps.contains(rank, call)) return;
    for (std::int64_t& t : at.at) t += ns * units_per_ns;
    const std::uint8_t* const lanes = lanes_of_.data() + costs_.owners.first_of(rank);
    for (const GainOwners::Part& part : costs_.owners.before(rank, call)) {
      reduce(lanes[part.owner], part.ns, at);
    }
  }
  void add_call(std::int32_t rank, CallIndex call, std::int64_t ns, Times& at) const override {
    for (std::int64_t& t : at.at) t += ns * units_per_ns;
    if (ns > 0) reduce(lanes_of_[costs_.owners.of_call(rank, call)], ns, at);
  }

 private:
  void reduce(unsigned lanes, std::int64_t ns, Times& at) const {
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(lanes));
      at.at[k] -= ns * reductions_[k];
      at.part[k] += ns;
    }
  }

  const RunCosts costs_;
  std::vector<std::uint8_t> lanes_of_;  // by owner, a bit each
  ScenarioTimes<kGainLanes> reductions_{};
};

/// These lanes, which also add up the time in calls by operation.
class SummingLanes : public GroupLanes {
 public:
  SummingLanes(const RunCosts& costs, std::vector<std::int64_t>& ns)
      : GroupLanes(costs), owners_(costs.owners), ns_(ns) {}
  void add_call(std::int32_t rank, CallIndex call, std::int64_t ns, Times& at) const override {
    GroupLanes::add_call(rank, call, ns, at);
    ns_[owners_.of_call(rank, call)] += ns;
  }

 private:
  const GainOwners& owners_;
  std::vector<std::int64_t>& ns_;
};

/// Times in units must be numbers of 64 bits, and percents whole multiples of one: an Error for
/// runs of more than 266 days.
std::int64_t units_for(const Activities& run) {
  const auto fits = [&](std::int64_t units) {
    return run.makespan_ns() < (std::int64_t{1} << 61) / units;
  };
  std::int64_t units = 1'000'000;
  while (units > 100 && !fits(units)) units /= 10;
  if (fits(units)) return units;
  throw Error("cannot compute gain curves", "the run takes more than 266 days",
              "Check its times with 'slackline info'.");
}

std::int64_t sum(const std::vector<std::int64_t>& by_owner, const GainGroup& group) {
  std::int64_t all = 0;
  for (const std::uint32_t owner : group.owners) all += by_owner[owner];
  return all;
}

/// The curves of groups of a run.
class RunGains {
 public:
  RunGains(const Activities& run, const WaitStates& waits, const ComputationCode& code,
           const CallPaths& paths)
      : run_(run),
        gaps_(run.trace(), waits, code, own_frames(run.trace().call_tree())),
        polls_(run.trace(), waits),
        owners_(run, paths, code, gaps_),
        sources_(run.sources()),
        units_(units_for(run)),
        ns_(owners_.computation()),
        on_path_ns_(owners_.size()) {}

  Gains find(bool call_paths) {
    execute_unchanged();
    Gains result;
    result.run_ns = static_cast<double>(run_span(run_.trace()).common.length_ns());
    choose(owners_.groups(ns_, call_paths), result.others);
    refine();
    for (std::size_t i = 0; i < groups_.size(); ++i) result.curves.push_back(curve(i));
    std::ranges::stable_sort(result.curves, {}, [](const GainCurve& c) {
      return std::pair(std::ranges::find(kGainKinds, c.kind) - kGainKinds.begin(),
                       -c.gain_ns.back());
    });
    return result;
  }

 private:
  using Memory = ScenarioMemory<GroupLanes::Times>;

  RunCosts costs() const { return {owners_, polls_, gaps_, units_}; }

  void execute_unchanged() {
    ScenarioPath path;
    const SummingLanes summing(costs(), ns_);
    unchanged_ = run_scenarios(run_, sources_, summing, memory_[0], &path).makespan_ns.at.front();
    // Those are outside of the analysed interval.
    for (const Operation o : {Operation::init, Operation::init_thread, Operation::finalize}) {
      ns_[static_cast<std::size_t>(o)] = 0;
    }
    CallWork work;
    for_path(
        path, run_,
        [&](std::int32_t rank, CallIndex call, std::int64_t polled_ns) {
          run_.look(rank, call, work);
          on_path_ns_[owners_.of_call(rank, call)] += work.work_ns() - polled_ns;
        },
        [&](std::int32_t rank, CallIndex call) {
          for (const GainOwners::Part& part : owners_.before(rank, call)) {
            on_path_ns_[owners_.first_of(rank) + part.owner] += part.ns;
          }
        });
  }

  /// Those of each kind with most time on the critical path; what the others can gain, instead.
  void choose(std::vector<GainGroup> all, std::vector<OtherGains>& others) {
    std::ranges::stable_sort(all, {}, [&](const GainGroup& g) {
      return std::tuple(std::ranges::find(kGainKinds, g.kind) - kGainKinds.begin(),
                        -sum(on_path_ns_, g), -sum(ns_, g));
    });
    std::size_t of_kind = 0;
    for (GainGroup& g : all) {
      if (groups_.empty() || groups_.back().kind != g.kind) of_kind = 0;
      const std::size_t most = g.kind == "rank" ? kCurvesOfRanks : kCurvesOfKind;
      if (of_kind++ < most) {
        const std::int64_t on_path = sum(on_path_ns_, g);
        searches_.emplace_back(units_, CurvePoint{0, unchanged_, on_path});
        groups_.push_back(std::move(g));
        continue;
      }
      if (of_kind == most + 1) {
        others.push_back({g.kind, 0, static_cast<double>(sum(on_path_ns_, g))});
      }
      ++others.back().groups;
    }
  }

  void refine() {
    while (true) {
      std::vector<GroupReduction> asked;
      for (std::size_t i = 0; i < groups_.size(); ++i) {
        for (const std::int64_t reduction : searches_[i].asks()) asked.push_back({i, reduction});
      }
      if (asked.empty()) return;
      std::vector<CurvePoint> found(asked.size());
      parallel_for(memory_.size(), [&](std::size_t thread) {
        for (std::size_t i = thread * kGainLanes; i < asked.size();
             i += memory_.size() * kGainLanes) {
          const std::size_t count = std::min(kGainLanes, asked.size() - i);
          execute(std::span(asked).subspan(i, count), std::span(found).subspan(i, count),
                  memory_[thread]);
        }
      });
      for (std::size_t i = 0; i < asked.size(); ++i) searches_[asked[i].group].add(found[i]);
    }
  }

  void execute(std::span<const GroupReduction> asked, std::span<CurvePoint> found,
               Memory& memory) const {
    GroupLanes lanes(costs());
    for (std::size_t k = 0; k < asked.size(); ++k) {
      lanes.set(k, groups_[asked[k].group], asked[k].reduction);
    }
    const auto times = run_scenarios(run_, sources_, lanes, memory).makespan_ns;
    for (std::size_t k = 0; k < asked.size(); ++k) {
      found[k] = {asked[k].reduction, times.at[k], times.part[k]};
    }
  }

  GainCurve curve(std::size_t i) const {
    const GainGroup& g = groups_[i];
    const auto operations = ns_.begin() + kOperationCount;
    const bool calls = g.kind == "operation";
    const std::int64_t all =
        calls ? std::reduce(ns_.begin(), operations) : std::reduce(operations, ns_.end());
    GainCurve c{.name = g.name, .kind = g.kind};
    c.time_ns = static_cast<double>(sum(ns_, g));
    c.share = ratio_of(c.time_ns, static_cast<double>(all));
    c.on_path_ns = static_cast<double>(sum(on_path_ns_, g));
    for (std::size_t s = 0; s < kGainSpeedups.size(); ++s) {
      c.gain_ns[s] = searches_[i].gain_ns(kGainSpeedups[s]);
    }
    c.saturation = searches_[i].saturation();
    return c;
  }

  const Activities& run_;
  const PolledGaps gaps_;
  const FailedPolls polls_;
  const GainOwners owners_;
  const CallSet sources_;
  const std::int64_t units_;
  std::vector<std::int64_t> ns_;          // by owner, of all ranks
  std::vector<std::int64_t> on_path_ns_;  // by owner
  std::array<Memory, kGainThreads> memory_;
  std::int64_t unchanged_ = 0;  // length of the run, in units
  std::vector<GainGroup> groups_;
  std::vector<CurveSearch> searches_;  // by group
};

}  // namespace

Gains gains(const Activities& run, const WaitStates& waits, const ComputationCode& code,
            const CallPaths& paths, bool call_paths) {
  if (run.trace().call_count() == 0) return {};
  return RunGains(run, waits, code, paths).find(call_paths);
}

}  // namespace slackline
