#include <algorithm>
#include <array>

#include "analysis/paths/path_sums.h"
#include "analysis/paths/scenario_times.h"

namespace slackline {
namespace {

/// Up to five activities, each of which takes no time in a scenario of its own.
class WithoutActivities : public ScenarioCosts<ScenarioTimes<kGainsAsked>> {
 public:
  using Times = ScenarioTimes<kGainsAsked>;

  WithoutActivities(const Activities& run, const CallActivities& names,
                    std::span<const ActivityName> asked)
      : run_(run), names_(names) {
    asked_.fill(kNotAsked);
    for (std::size_t k = 0; k < std::min(asked.size(), kGainsAsked); ++k) {
      asked_[k] = names.find(asked[k]).value_or(kNotAsked);
    }
  }

  void add_gap(std::int32_t rank, CallIndex call, std::int64_t ns, Times& at) const override {
    const ActivityId whole = names_.of(rank, call).gap;
    if (whole != CallActivities::kSeveral && call > 0) return add(whole, ns, at);
    Times removed{};
    const auto remove = [&](ActivityId id, std::int64_t part) {
      for (std::size_t k = 0; k < kGainsAsked; ++k) removed[k] += asked_[k] == id ? part : 0;
    };
    names_.for_gap(rank, call, remove);
    if (call == 0) remove(names_.late_start(), run_.late_start_ns(rank));
    for (std::size_t k = 0; k < kGainsAsked; ++k) {
      at[k] += std::max<std::int64_t>(0, ns - removed[k]);
    }
  }

  void add_call(std::int32_t rank, CallIndex call, std::int64_t ns, Times& at) const override {
    add(names_.of(rank, call).call, ns, at);
  }

 private:
  static constexpr ActivityId kNotAsked = CallActivities::kSeveral - 1;

  void add(ActivityId id, std::int64_t ns, Times& at) const {
    for (std::size_t k = 0; k < kGainsAsked; ++k) at[k] += asked_[k] == id ? 0 : ns;
  }

  const Activities& run_;
  const CallActivities& names_;
  std::array<ActivityId, kGainsAsked> asked_{};
};

}  // namespace

void PathGains::add(const PathGains& other) {
  for (std::size_t k = 0; k < kGainsAsked; ++k) makespan_ns[k] += other.makespan_ns[k];
  synchronisations += other.synchronisations;
}

PathGains path_gains(const Activities& run, const CallActivities& names, const CallSet& sources,
                     std::span<const ActivityName> asked) {
  const auto found = run_scenarios(run, sources, WithoutActivities(run, names, asked));
  return {found.makespan_ns, found.synchronisations};
}

}  // namespace slackline
