#include <algorithm>

#include "advice/advice.h"
#include "base/statistics.h"

namespace slackline {
namespace {

ReplayedGain gain_between(const std::vector<double>& before_ns,
                          const std::vector<double>& after_ns) {
  const auto [shortest, longest] = std::ranges::minmax(before_ns);
  const auto [shortest_after, longest_after] = std::ranges::minmax(after_ns);
  return {median_of(before_ns) - median_of(after_ns), shortest - longest_after,
          longest - shortest_after};
}

}  // namespace

void verify(Advice& advice, std::size_t count, const ReplayTimes& replay) {
  count = std::min(count, advice.proposals.size());
  if (count == 0) return;
  std::vector<std::vector<Edit>> programs(1);
  for (std::size_t i = 0; i < count; ++i) {
    programs.push_back(advice.proposals[i].hypothesis.edits);
  }
  const std::vector<std::vector<double>> times_ns = replay(programs);
  for (std::size_t i = 0; i < count; ++i) {
    advice.proposals[i].replayed = gain_between(times_ns.front(), times_ns[i + 1]);
  }
}

}  // namespace slackline
