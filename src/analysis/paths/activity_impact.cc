// Every rank's own time by activity is summed by itself, without regard to order, and laid beside
// the path's: so all ranks can be looked at side by side, and parts of a run, too.

#include "analysis/paths/activity_impact.h"

#include <algorithm>
#include <utility>

#include "analysis/paths/activity_sums.h"
#include "base/parallel.h"

namespace slackline {
namespace {

constexpr std::size_t kBlocks = 32;  // of ranks, each summed by one thread

/// A rank's time without waiting.
class OwnSums {
 public:
  OwnSums(const Activities& run, const CallActivities& names) : run_(run), names_(names) {}

  void append(std::int32_t rank, std::vector<OwnTime>& out) {
    sum_up(rank);
    sums_.for_each([&](ActivityId id, std::int64_t ns) {
      if (ns != 0) out.push_back({{rank, names_.name(id)}, ns});
    });
  }

 private:
  void sum_up(std::int32_t rank) {
    sums_.clear();
    const auto calls = static_cast<CallIndex>(run_.calls(rank));
    for (CallIndex call = 0; call < calls; ++call) {
      add_computation(rank, call);
      run_.look(rank, call, work_);
      sums_.add(names_.of(rank, call).call, work_.work_ns());
    }
    const CallIndex last = calls - 1;
    const std::int64_t tail = run_.stop_ns(rank) - run_.leave_ns(rank, last);
    if (tail > 0) sums_.add(names_.path(names_.of(rank, last).call), tail);
  }

  void add_computation(std::int32_t rank, CallIndex call) {
    const std::int64_t gap = run_.gap_ns(rank, call);
    if (gap <= 0) return;
    const ActivityId whole = names_.of(rank, call).gap;
    if (whole != CallActivities::kSeveral && call > 0) return sums_.add(whole, gap);
    std::int64_t rest = gap;
    names_.for_gap(rank, call, [&](ActivityId id, std::int64_t ns) {
      const std::int64_t part = std::min(ns, rest);
      sums_.add(id, part);
      rest -= part;
    });
    if (rest > 0) sums_.add(call == 0 ? names_.late_start() : 0, rest);
  }

  const Activities& run_;
  const CallActivities& names_;
  ActivitySums sums_;
  CallWork work_;
};

/// Shares out each rank's waiting over what it lacks of the path. A rank has few of the path's
/// activities, so waiting is laid on all of the path first, and what was too much is taken off
/// those that the rank has.
class Impacts {
 public:
  /// `own`: of all ranks.
  Impacts(std::span<const OwnTime> own, std::span<const ActivityOnPath> on_path, std::int64_t ranks)
      : ranks_(ranks) {
    for (const ActivityOnPath& row : on_path) {
      length_ += row.sum;
      sums_.push_back({row.of, row.sum});
    }
    for (const OwnTime& row : own) sums_.push_back({row.of.of, 0});
    add_up_rows(sums_);
  }

  /// All of one rank.
  void add(std::span<const OwnTime> own) {
    ++seen_;
    std::int64_t critical = 0;
    std::int64_t busy = 0;
    for (const OwnTime& row : own) {
      Sums& sums = of(row);
      const std::int64_t on_both = std::min(row.sum, sums.on_path_ns);
      sums.critical_ns += on_both;
      sums.non_critical_ns += row.sum - on_both;
      critical += on_both;
      busy += row.sum;
    }
    if (busy >= length_ || critical == length_) return;
    const double share =
        static_cast<double>(length_ - busy) / static_cast<double>(length_ - critical);
    shares_ += share;
    for (const OwnTime& row : own) {
      Sums& sums = of(row);
      sums.too_much_ns += share * static_cast<double>(std::min(row.sum, sums.on_path_ns));
    }
  }

  std::vector<ActivityImpact> take() {
    shares_ += static_cast<double>(ranks_ - seen_);  // those do nothing but wait
    std::vector<ActivityImpact> all;
    for (const Sums& sums : sums_) all.push_back(impact(sums));
    return all;
  }

 private:
  struct Sums {
    ActivityName on;
    std::int64_t on_path_ns = 0;
    std::int64_t critical_ns = 0;
    std::int64_t non_critical_ns = 0;
    double too_much_ns = 0;

    const ActivityName& key() const { return on; }
    void add(const Sums& other) { on_path_ns += other.on_path_ns; }
  };

  Sums& of(const OwnTime& row) {
    return *std::ranges::lower_bound(sums_, row.of.of, {}, &Sums::on);
  }

  ActivityImpact impact(const Sums& sums) const {
    ActivityImpact impact{sums.on, sums.critical_ns, sums.non_critical_ns};
    if (sums.critical_ns < ranks_ * sums.on_path_ns) {  // else only rounding is left
      const double all = shares_ * static_cast<double>(sums.on_path_ns);
      impact.imbalance_ns = std::max(0.0, all - sums.too_much_ns);
    }
    return impact;
  }

  std::int64_t length_ = 0;
  std::int64_t ranks_;
  std::int64_t seen_ = 0;
  double shares_ = 0;
  std::vector<Sums> sums_;  // ascending
};

}  // namespace

std::vector<OwnTime> own_times(const Activities& run, const CallActivities& names) {
  const auto ranks = static_cast<std::size_t>(run.trace().ranks());
  const std::size_t count = std::min(kBlocks, ranks);
  std::vector<std::vector<OwnTime>> blocks(count);
  parallel_for(count, [&](std::size_t block) {
    OwnSums own(run, names);
    for (std::size_t r = block * ranks / count; r < (block + 1) * ranks / count; ++r) {
      const auto rank = static_cast<std::int32_t>(r);
      if (run.calls(rank) > 0) own.append(rank, blocks[block]);
    }
  });
  std::vector<OwnTime> all;
  for (const std::vector<OwnTime>& block : blocks)
    all.insert(all.end(), block.begin(), block.end());
  add_up_rows(all);
  return all;
}

std::vector<ActivityImpact> activity_impacts(std::span<const OwnTime> own,
                                             std::span<const ActivityOnPath> on_path,
                                             std::int64_t ranks) {
  Impacts impacts(own, on_path, ranks);
  for (auto first = own.begin(); first != own.end();) {
    const auto end = std::find_if(
        first, own.end(), [&](const OwnTime& row) { return row.of.rank != first->of.rank; });
    impacts.add({first, end});
    first = end;
  }
  return impacts.take();
}

}  // namespace slackline
