#include "training/training_run.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace slackline {
namespace {

template <class T>
void widen(TimeSpan& whole, const std::vector<T>& parts) {
  for (const T& part : parts) {
    whole.begin_ns = std::min(whole.begin_ns, part.time.begin_ns);
    whole.end_ns = std::max(whole.end_ns, part.time.end_ns);
  }
}

}  // namespace

TimeSpan whole_profile(const ProfiledRank& rank) {
  TimeSpan whole{std::numeric_limits<std::int64_t>::max(),
                 std::numeric_limits<std::int64_t>::min()};
  widen(whole, rank.gpu);
  widen(whole, rank.runtime_calls);
  widen(whole, rank.cpu);
  widen(whole, rank.steps);
  return whole.end_ns < whole.begin_ns ? TimeSpan{} : whole;
}

}  // namespace slackline
