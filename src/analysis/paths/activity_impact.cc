// Every rank's own time by activity is summed by itself, without regard to order, and laid beside
// the path's: so all ranks can be looked at side by side.

#include "analysis/paths/activity_impact.h"

#include <algorithm>
#include <numeric>

#include "analysis/paths/activity_sums.h"
#include "base/parallel.h"

namespace slackline {
namespace {

// Sums of doubles depend on their order: it is that of the blocks, however many threads there are.
constexpr std::size_t kBlocks = 32;

/// A rank's time without waiting.
class OwnSums {
 public:
  OwnSums(const Activities& run, const CallActivities& names)
      : run_(run), names_(names), late_start_(static_cast<ActivityId>(names.size())) {}

  const ActivitySums& of(std::int32_t rank) {
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
    return sums_;
  }

 private:
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
    if (rest > 0) sums_.add(call == 0 ? late_start_ : 0, rest);
  }

  const Activities& run_;
  const CallActivities& names_;
  ActivityId late_start_;
  ActivitySums sums_;
  CallWork work_;
};

/// Sums over ranks. A rank lacks the path's time but for what it has itself, and has few
/// activities: so waiting is laid on all of the path first, and what was too much is taken off
/// these few.
class Impacts {
 public:
  explicit Impacts(std::span<const std::int64_t> on_path_ns)
      : on_path_(on_path_ns),
        length_(std::reduce(on_path_ns.begin(), on_path_ns.end())),
        sums_(on_path_ns.size()) {}

  void add(const ActivitySums& own) {
    ++ranks_;
    std::int64_t critical = 0;
    std::int64_t busy = 0;
    own.for_each([&](ActivityId id, std::int64_t ns) {
      const std::int64_t on_both = std::min(ns, on_path_[id]);
      sums_[id].critical_ns += on_both;
      sums_[id].non_critical_ns += ns - on_both;
      critical += on_both;
      busy += ns;
    });
    if (busy >= length_ || critical == length_) return;
    const double share =
        static_cast<double>(length_ - busy) / static_cast<double>(length_ - critical);
    shares_ += share;
    own.for_each([&](ActivityId id, std::int64_t ns) {
      sums_[id].too_much_ns += share * static_cast<double>(std::min(ns, on_path_[id]));
    });
  }

  void add(const Impacts& other) {
    ranks_ += other.ranks_;
    shares_ += other.shares_;
    for (std::size_t id = 0; id < sums_.size(); ++id) {
      sums_[id].critical_ns += other.sums_[id].critical_ns;
      sums_[id].non_critical_ns += other.sums_[id].non_critical_ns;
      sums_[id].too_much_ns += other.sums_[id].too_much_ns;
    }
  }

  ActivityImpact of(ActivityId id) const {
    const Sums& sums = sums_[id];
    ActivityImpact impact{.critical_ns = sums.critical_ns, .non_critical_ns = sums.non_critical_ns};
    if (sums.critical_ns < ranks_ * on_path_[id]) {  // somebody lacks it, else rounding is left
      const double all = shares_ * static_cast<double>(on_path_[id]);
      impact.imbalance_ns = std::max(0.0, all - sums.too_much_ns);
    }
    return impact;
  }

 private:
  struct Sums {
    std::int64_t critical_ns = 0;
    std::int64_t non_critical_ns = 0;
    double too_much_ns = 0;
  };
  std::span<const std::int64_t> on_path_;
  std::int64_t length_;
  std::int64_t ranks_ = 0;
  double shares_ = 0;
  std::vector<Sums> sums_;
};

}  // namespace

std::vector<ActivityImpact> activity_impacts(const Activities& run, const CallActivities& names,
                                             std::span<const std::int64_t> on_path_ns) {
  const auto ranks = static_cast<std::size_t>(run.trace().ranks());
  const std::size_t count = std::min(kBlocks, ranks);
  std::vector<Impacts> blocks(count, Impacts(on_path_ns));
  parallel_for(count, [&](std::size_t block) {
    OwnSums own(run, names);
    for (std::size_t r = block * ranks / count; r < (block + 1) * ranks / count; ++r) {
      const auto rank = static_cast<std::int32_t>(r);
      if (run.calls(rank) > 0) blocks[block].add(own.of(rank));
    }
  });
  Impacts all(on_path_ns);
  for (const Impacts& block : blocks) all.add(block);
  std::vector<ActivityImpact> impacts;
  for (ActivityId id = 0; id < on_path_ns.size(); ++id) {
    impacts.push_back(all.of(id));
    impacts.back().late_start = id == names.size();
    if (id == names.size()) continue;
    impacts.back().operation = names.operation(id);
    impacts.back().path = names.path(id);
  }
  return impacts;
}

}  // namespace slackline
