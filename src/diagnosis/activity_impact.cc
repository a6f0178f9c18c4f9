// Every rank's own time by activity is summed by itself, without regard to order, and laid beside
// the path's: so all ranks can be looked at side by side.

#include "diagnosis/activity_impact.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"

namespace slackline {
namespace {

// Sums of doubles depend on their order: it is that of the blocks, however many threads there are.
constexpr std::size_t kBlocks = 32;

/// Without waiting.
class OwnSums {
 public:
  OwnSums(const Activities& run, const CallActivities& names)
      : run_(run), names_(names), sums_(names.size()) {}

  const std::vector<std::int64_t>& of(std::int32_t rank) {
    std::ranges::fill(sums_, 0);
    const auto calls = static_cast<CallIndex>(run_.calls(rank));
    for (CallIndex call = 0; call < calls; ++call) {
      add_computation(rank, call);
      run_.look(rank, call, work_);
      sums_[names_.of(rank, call).call] += work_.work_ns();
    }
    const CallIndex last = calls - 1;
    const std::int64_t tail = run_.stop_ns(rank) - run_.leave_ns(rank, last);
    sums_[names_.path(names_.of(rank, last).call)] += std::max<std::int64_t>(0, tail);
    return sums_;
  }

 private:
  void add_computation(std::int32_t rank, CallIndex call) {
    const std::int64_t gap = run_.gap_ns(rank, call);
    if (gap <= 0) return;
    const ActivityId whole = names_.of(rank, call).gap;
    if (whole != CallActivities::kSeveral && call > 0) {
      sums_[whole] += gap;
      return;
    }
    std::int64_t rest = gap;
    names_.for_gap(rank, call, [&](ActivityId id, std::int64_t ns) {
      const std::int64_t part = std::min(ns, rest);
      sums_[id] += part;
      rest -= part;
    });
    sums_[0] += rest;  // a late start
  }

  const Activities& run_;
  const CallActivities& names_;
  std::vector<std::int64_t> sums_;
  CallWork work_;
};

class Impacts {
 public:
  explicit Impacts(std::span<const std::int64_t> on_path_ns)
      : on_path_(on_path_ns),
        length_(std::reduce(on_path_ns.begin(), on_path_ns.end())),
        out_(on_path_ns.size()) {}

  void add(const std::vector<std::int64_t>& own) {
    std::int64_t lacking = 0;
    for (std::size_t id = 0; id < own.size(); ++id) {
      const std::int64_t critical = std::min(own[id], on_path_[id]);
      out_[id].critical_ns += critical;
      out_[id].non_critical_ns += own[id] - critical;
      lacking += on_path_[id] - critical;
    }
    const std::int64_t waiting = length_ - std::reduce(own.begin(), own.end());
    if (waiting <= 0 || lacking == 0) return;
    const double share = static_cast<double>(waiting) / static_cast<double>(lacking);
    for (std::size_t id = 0; id < own.size(); ++id) {
      if (on_path_[id] <= own[id]) continue;
      out_[id].imbalance_ns += share * static_cast<double>(on_path_[id] - own[id]);
    }
  }

  void add_to(std::vector<ActivityImpact>& sums) const {
    for (std::size_t id = 0; id < out_.size(); ++id) {
      sums[id].critical_ns += out_[id].critical_ns;
      sums[id].non_critical_ns += out_[id].non_critical_ns;
      sums[id].imbalance_ns += out_[id].imbalance_ns;
    }
  }

 private:
  std::span<const std::int64_t> on_path_;
  std::int64_t length_;
  std::vector<ActivityImpact> out_;
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
  std::vector<ActivityImpact> sums(names.size());
  for (std::size_t id = 0; id < sums.size(); ++id) {
    sums[id].operation = names.operation(static_cast<ActivityId>(id));
    sums[id].path = names.path(static_cast<ActivityId>(id));
  }
  for (const Impacts& block : blocks) block.add_to(sums);
  return sums;
}

}  // namespace slackline
