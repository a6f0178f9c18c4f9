// Gain curves.
//
// The question: by how much does the run get shorter if this function does? A profile cannot say,
// as most of a function's time may lie beside the critical path, and the path moves away as the
// function gets faster. Coz answers by experiments ("Coz: Finding Code that Counts with Causal
// Profiling", Curtsinger and Berger 2015). Here T at a reduction y of a group's costs is the
// maximum of finitely many lines t - y b, one a path, with b the group's time on it. A group that
// the critical path has nothing of gains nothing. Of the others, the lines at no and at full
// reduction say whether there is anything in between, and if the curve ends flat, Newton's
// iteration finds where: the last y at which any path with b > 0 is longer than all without.

#include "analysis/model/gains.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>

#include "analysis/model/gain_targets.h"
#include "base/arithmetic.h"
#include "base/parallel.h"
#include "base/units.h"
#include "calls/computation_code.h"
#include "timing/cost/linear_cost.h"
#include "timing/group_speedup.h"

namespace slackline {
namespace {

/// A path's ticks stay below 2^53, so that doubles hold them; sums with rounding, too.
constexpr Int128 kMostTicks = Int128{1} << 52;

/// The largest unit in which all costs are whole, or, for very long runs, in which they can be
/// counted.
std::int64_t tick_for(const LinearCost& cost, double makespan_ns) {
  std::int64_t tick = std::gcd(cost.tick_fs(), cost.base_fs());
  const double makespan_fs = makespan_ns * static_cast<double>(kFemtosPerNano);
  while (makespan_fs / static_cast<double>(tick) >= static_cast<double>(kMostTicks)) tick *= 10;
  return tick;
}

/// Lengths at a number of percent are in ticks times this.
constexpr int kScale = 100;

Ticks percent(int value) {
  return {value, kScale};
}

/// The curves of up to eight groups of one kind.
class CurveBatch {
 public:
  /// Refers to all; `targets` are indices into the owners' targets.
  CurveBatch(const GainOwners& owners, const AttributedGraph& graph,
             const std::vector<GainTarget>& targets, std::vector<std::size_t> batch,
             const std::vector<std::int64_t>& on_path, double ticks_per_ns)
      : owners_(owners),
        targets_(targets),
        batch_(std::move(batch)),
        ticks_per_ns_(ticks_per_ns),
        makespan_(graph.most_ticks),
        speedup_(graph, groups()) {
    for (const std::size_t g : batch_) unchanged_.push_back({makespan_, on_path[g]});
  }

  void run(std::vector<GainCurve>& curves) {
    find_removed(curves);
    find_gains(curves);
    find_saturations(curves);
  }

 private:
  std::vector<CostGroup> groups() const {
    std::vector<CostGroup> result;
    for (const std::size_t g : batch_) result.push_back(targets_[g].group);
    return result;
  }

  double ns(Int128 ticks, Int128 denominator = 1) const {
    return static_cast<double>(static_cast<long double>(ticks) /
                               static_cast<long double>(denominator) /
                               static_cast<long double>(ticks_per_ns_));
  }

  void find_removed(std::vector<GainCurve>& curves) {
    GroupSpeedup::Reductions all;
    all.fill(percent(100));
    std::array<PathComposition, GroupSpeedup::kMost> compositions;
    removed_ = speedup_.paths_at(all, Side::left, compositions);
    for (std::size_t k = 0; k < batch_.size(); ++k) {
      GainCurve& curve = curves[batch_[k]];
      curve.on_path_ns = ns(unchanged_[k].group_ticks);
      if (left(removed_[k]) < makespan_) {
        curve.takes_over =
            successor(targets_[batch_[k]], std::move(compositions[k]), left(removed_[k]));
      }
    }
  }

  /// What remains of a path without its group.
  static std::int64_t left(const GroupPath& path) { return path.ticks - path.group_ticks; }

  GainCurve::Successor successor(const GainTarget& target, PathComposition ticks,
                                 std::int64_t length) const {
    std::vector<std::int64_t> by_label(owners_.labels.size());
    std::vector<std::int64_t>& reduced = ticks[static_cast<std::size_t>(target.group.kind)];
    for (const std::uint32_t owner : target.group.owners) {
      if (owner < reduced.size()) reduced[owner] = 0;
    }
    const bool ranks = target.kind == "rank";
    for (std::size_t i = 0; i < ticks[0].size(); ++i) {
      by_label[ranks ? owners_.rank_label_of[i] : owners_.label_of[0][i]] += ticks[0][i];
    }
    for (std::size_t i = 0; !ranks && i < ticks[1].size(); ++i) {
      by_label[owners_.label_of[1][i]] += ticks[1][i];
    }
    const auto most = std::ranges::max_element(by_label);
    if (most == by_label.end() || *most == 0) return {};
    const CostLabel& label = owners_.labels[static_cast<std::size_t>(most - by_label.begin())];
    return {label.name, label.kind,
            ratio_of(static_cast<double>(*most), static_cast<double>(length))};
  }

  /// One line from end to end.
  bool straight(std::size_t k) const {
    return left(removed_[k]) == makespan_ - unchanged_[k].group_ticks;
  }

  void find_gains(std::vector<GainCurve>& curves) {
    bool all_straight = true;
    for (std::size_t k = 0; k < batch_.size(); ++k) {
      curves[batch_[k]].gain_ns.back() = ns(makespan_ - left(removed_[k]));
      all_straight = all_straight && straight(k);
    }
    for (std::size_t i = 0; i + 1 < kGainSpeedups.size(); ++i) {
      const Ticks reduction = percent(kGainSpeedups[i]);
      if (!all_straight) lengths_[i] = speedup_.lengths_at(reduction);
      for (std::size_t k = 0; k < batch_.size(); ++k) {
        const Int128 unchanged = Int128{makespan_} * kScale;
        if (straight(k)) {
          lengths_[i][k] = unchanged - reduction.numerator * unchanged_[k].group_ticks;
        }
        curves[batch_[k]].gain_ns[i] = ns(unchanged - lengths_[i][k], kScale);
      }
    }
  }

  /// The reduction at which `path` is as short as the run without the group.
  Ticks meets_rest(const GroupPath& path, std::size_t k) const {
    return make_ticks(path.ticks - removed_[k].ticks, path.group_ticks);
  }

  /// Where the chord through the last two known points above the rest meets it: convex curves lie
  /// above their chords' extensions, so the curve ends there or later.
  Ticks first_guess(std::size_t k) const {
    const Int128 rest = Int128{removed_[k].ticks} * kScale;
    Int128 guess = Int128{makespan_} * kScale - rest;  // of the line of the critical path
    Int128 divisor = Int128{unchanged_[k].group_ticks} * kScale;
    Int128 before = Int128{makespan_} * kScale;
    int before_at = 0;
    for (std::size_t i = 0; i + 1 < kGainSpeedups.size(); ++i) {
      const Int128 length = lengths_[i][k];
      if (length <= rest) break;
      const int step = kGainSpeedups[i] - before_at;
      guess = (before - length) * kGainSpeedups[i] + (length - rest) * step;
      divisor = (before - length) * kScale;
      before = length;
      before_at = kGainSpeedups[i];
    }
    const Ticks chord = make_ticks(guess, divisor);
    const bool small = chord.denominator < kMostTicks && chord.numerator < kMostTicks;
    return small ? chord : meets_rest(unchanged_[k], k);
  }

  void find_saturations(std::vector<GainCurve>& curves) const {
    GroupSpeedup::Reductions at;
    at.fill(percent(0));
    std::array<bool, GroupSpeedup::kMost> open{};
    for (std::size_t k = 0; k < batch_.size(); ++k) {
      const bool ends_flat = removed_[k].group_ticks == 0;
      open[k] = ends_flat && removed_[k].ticks < makespan_;
      if (open[k]) at[k] = first_guess(k);
      if (!ends_flat) at[k] = percent(100);
    }
    while (std::ranges::find(open, true) != open.end()) {
      const GroupSpeedup::Paths paths = speedup_.paths_at(at, Side::right);
      for (std::size_t k = 0; k < batch_.size(); ++k) {
        if (!open[k]) continue;
        const Ticks next = paths[k].group_ticks == 0 ? at[k] : meets_rest(paths[k], k);
        open[k] = at[k] < next;
        if (open[k]) at[k] = next;
      }
    }
    for (std::size_t k = 0; k < batch_.size(); ++k) {
      curves[batch_[k]].saturation =
          static_cast<double>(at[k].numerator) / static_cast<double>(at[k].denominator);
    }
  }

  const GainOwners& owners_;
  const std::vector<GainTarget>& targets_;
  std::vector<std::size_t> batch_;
  double ticks_per_ns_;
  std::int64_t makespan_;
  GroupSpeedup speedup_;
  std::vector<GroupPath> unchanged_;  ///< by group: the critical path as the program is
  GroupSpeedup::Paths removed_{};     ///< at full reduction
  /// At the other kGainSpeedups, times kScale.
  std::array<std::array<Int128, GroupSpeedup::kMost>, kGainSpeedups.size() - 1> lengths_{};
};

std::int64_t sum(const PathComposition& ticks, const CostGroup& group) {
  const std::vector<std::int64_t>& by_owner = ticks[static_cast<std::size_t>(group.kind)];
  std::int64_t sum = 0;
  for (const std::uint32_t owner : group.owners) {
    if (owner < by_owner.size()) sum += by_owner[owner];
  }
  return sum;
}

/// Curves with what a plain profile says, and no gains.
std::vector<GainCurve> profile(const GainOwners& owners, const std::vector<GainTarget>& targets,
                               double ticks_per_ns) {
  std::array<double, 2> all{};
  for (std::size_t kind = 0; kind < all.size(); ++kind) {
    all[kind] =
        static_cast<double>(std::reduce(owners.ticks()[kind].begin(), owners.ticks()[kind].end()));
  }
  std::vector<GainCurve> curves;
  for (const GainTarget& t : targets) {
    const auto ticks = static_cast<double>(sum(owners.ticks(), t.group));
    GainCurve curve{.name = t.name, .kind = t.kind};
    curve.time_ns = ticks / ticks_per_ns;
    curve.share = ratio_of(ticks, all[static_cast<std::size_t>(t.group.kind)]);
    curves.push_back(std::move(curve));
  }
  return curves;
}

/// Ticks of each target's group on a longest path of the unchanged program. Where that is none, the
/// group gains nothing, as this path stays as long as it is.
std::vector<std::int64_t> ticks_on_path(const AttributedGraph& graph,
                                        const std::vector<GainTarget>& targets) {
  GroupSpeedup::Reductions none;
  none.fill(percent(0));
  std::array<PathComposition, GroupSpeedup::kMost> compositions;
  GroupSpeedup(graph, {&targets.front().group, 1}).paths_at(none, Side::right, compositions);
  std::vector<std::int64_t> ticks;
  for (const GainTarget& t : targets) ticks.push_back(sum(compositions[0], t.group));
  return ticks;
}

std::vector<std::vector<std::size_t>> batches(const std::vector<GainTarget>& targets,
                                              const std::vector<std::int64_t>& on_path) {
  std::vector<std::vector<std::size_t>> result;
  for (const OwnerKind kind : {OwnerKind::computation, OwnerKind::communication}) {
    std::size_t room = 0;
    for (std::size_t g = 0; g < targets.size(); ++g) {
      if (on_path[g] == 0 || targets[g].group.kind != kind) continue;
      if (room == 0) {
        result.emplace_back();
        room = GroupSpeedup::kMost;
      }
      result.back().push_back(g);
      --room;
    }
  }
  return result;
}

std::vector<GainCurve> find_curves(const GainOwners& owners, const AttributedGraph& graph,
                                   const std::vector<GainTarget>& targets, double ticks_per_ns) {
  std::vector<GainCurve> curves = profile(owners, targets, ticks_per_ns);
  if (targets.empty()) return curves;
  const std::vector<std::int64_t> on_path = ticks_on_path(graph, targets);
  const std::vector<std::vector<std::size_t>> all = batches(targets, on_path);
  parallel_for(all.size(), [&](std::size_t b) {
    CurveBatch(owners, graph, targets, all[b], on_path, ticks_per_ns).run(curves);
  });
  return curves;
}

constexpr std::array<std::string_view, 7> kKinds{
    "computation", "region", "function", "call-path", "rank", "operation", "network"};

void sort(std::vector<GainCurve>& curves) {
  std::ranges::stable_sort(curves, {}, [](const GainCurve& c) {
    return std::pair(std::ranges::find(kKinds, c.kind) - kKinds.begin(), -c.gain_ns.back());
  });
}

}  // namespace

Gains gains(const Trace& trace, const ExecutionGraph& graph, const CallPaths& paths,
            const ModelChoice& choice, const GainOptions& options) {
  Gains result;
  const ComputationCode code(trace, options.samples);
  with_cost(graph, choice, {Parameter::latency}, [&](const LinearCost& cost) {
    {
      MakespanFunction t(graph, cost);
      result.makespan_ns = t.value_ns(t.line_at(t.base()), t.base());
    }
    const std::int64_t tick_fs = tick_for(cost, result.makespan_ns);
    GainOwners owners(trace, graph, paths, code);
    const AttributedGraph reduced = owners.attribute(cost, tick_fs);
    const std::vector<GainTarget> targets = owners.targets(options.call_paths);
    result.curves = find_curves(owners, reduced, targets,
                                static_cast<double>(kFemtosPerNano) / static_cast<double>(tick_fs));
  });
  sort(result.curves);
  return result;
}

}  // namespace slackline
