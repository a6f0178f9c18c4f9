#include "graph/thread_steps.h"

#include <functional>
#include <queue>
#include <utility>

namespace slackline {
namespace {

bool overlaps_next(const RankCalls& calls, std::size_t i) {
  return i + 1 < calls.size() && calls.end_ns(i) > calls.begin_ns(i + 1) &&
         calls.thread(i) != calls.thread(i + 1);
}

bool any_overlap(const RankCalls& calls, std::size_t first) {
  for (std::size_t i = first; i < calls.size(); ++i) {
    if (overlaps_next(calls, i)) return true;
  }
  return false;
}

}  // namespace

std::vector<ThreadStep> thread_steps(const RankCalls& calls, std::uint32_t first) {
  std::vector<ThreadStep> steps;
  if (!any_overlap(calls, first)) return steps;
  steps.reserve(calls.size() - first + (calls.size() - first) / 2);
  using Open = std::pair<std::int64_t, std::uint32_t>;  // end, call
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
  const auto complete_until = [&](std::int64_t time) {
    for (; !open.empty() && open.top().first <= time; open.pop()) {
      steps.push_back({ThreadStep::Part::complete, open.top().second});
    }
  };
  for (std::uint32_t i = first; i < calls.size(); ++i) {
    complete_until(calls.begin_ns(i));
    if (overlaps_next(calls, i)) {
      steps.push_back({ThreadStep::Part::enter, i});
      open.emplace(calls.end_ns(i), i);
    } else {
      steps.push_back({ThreadStep::Part::whole, i});
    }
  }
  complete_until(kTimeLimit_ns);
  return steps;
}

}  // namespace slackline
