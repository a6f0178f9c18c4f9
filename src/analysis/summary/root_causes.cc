// One answer to who is late and why. The delay costs are summed by rank and by activity; a rank is
// named where it causes much more than its even share, so that two ranks that are late in turn are
// both named. What a delay costs is charged at the wait in which the late rank took longer: the
// times of these waits tell when a rank is late, and who is late in an interval.

#include "analysis/summary/root_causes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace slackline {
namespace {

constexpr double kOutstanding = 1.4;  // times the even share
constexpr double kMostly = 0.6;       // enough, whatever the even share
constexpr double kLeast = 0.1;
constexpr std::size_t kMostRanks = 4;
constexpr double kTail = 0.05;  // of what a rank causes, before and after its interval

/// Calls visit(cause rank, begin of the wait, cost) for every wait with a delay.
template <class Visit>
void for_charges(const Trace& trace, const WaitStates& waits, const DelayCosts& delays,
                 Visit visit) {
  for (std::size_t i = 0; i < waits.states.size(); ++i) {
    const WaitState& w = waits.states[i];
    const double cost = delays.origins[i].charged_ns;
    if (cost > 0) visit(w.cause_rank, trace.calls(w.rank).begin_ns(w.call), w.wait_ns, cost);
  }
}

/// When a rank causes what it causes, but for the first and last twentieth.
TimeInterval when_late(const Trace& trace, const WaitStates& waits, const DelayCosts& delays,
                       std::int32_t rank) {
  struct Charge {
    std::int64_t begin_ns;
    std::int64_t end_ns;
    double cost;
  };
  std::vector<Charge> charges;
  double sum = 0;
  for_charges(trace, waits, delays,
              [&](std::int32_t cause, std::int64_t begin, std::int64_t length, double cost) {
                if (cause != rank) return;
                charges.push_back({begin, begin + length, cost});
                sum += cost;
              });
  if (charges.empty()) return {};
  std::ranges::sort(charges, {}, &Charge::begin_ns);
  std::size_t first = 0;
  for (double before = charges[0].cost; before <= kTail * sum && first + 1 < charges.size();) {
    before += charges[++first].cost;
  }
  std::size_t last = charges.size() - 1;
  for (double after = charges[last].cost; after <= kTail * sum && last > first;) {
    after += charges[--last].cost;
  }
  const std::int64_t start = run_span(trace).whole.begin_ns;
  return {charges[first].begin_ns - start, charges[last].end_ns - start};
}

std::vector<LateRank> shares_by_rank(const DelayCosts& delays) {
  std::map<std::int32_t, LateRank> by_rank;
  for (const DelayCost& c : delays.costs) {  // largest first
    LateRank& late = by_rank[c.of.rank];
    const double share = c.total() / static_cast<double>(delays.waiting_ns);
    if (late.rank < 0) {
      late.rank = c.of.rank;
      late.operation = c.of.operation;
      late.path = c.of.path;
      late.late_start = c.of.late_start;
      late.activity_share = share;
    }
    late.share += share;
  }
  std::vector<LateRank> ranks;
  for (auto& [rank, late] : by_rank) ranks.push_back(late);
  std::ranges::stable_sort(ranks, std::greater{}, &LateRank::share);
  return ranks;
}

std::vector<CausingActivity> shares_by_activity(const DelayCosts& delays) {
  std::map<ActivityName, CausingActivity> totals;
  for (const DelayCost& c : delays.costs) {
    CausingActivity& a = totals[{c.of.operation, c.of.path, c.of.late_start}];
    const double share = c.total() / static_cast<double>(delays.waiting_ns);
    a.operation = c.of.operation;
    a.path = c.of.path;
    a.late_start = c.of.late_start;
    a.share += share;
    if (share > a.rank_share) {
      a.rank_share = share;
      a.rank = c.of.rank;
    }
  }
  std::vector<CausingActivity> activities;
  for (const auto& [activity, total] : totals) activities.push_back(total);
  std::ranges::stable_sort(activities, std::greater{}, &CausingActivity::share);
  return activities;
}

}  // namespace

RootCauses root_causes(const Trace& trace, const WaitStates& waits, const DelayCosts& delays,
                       std::size_t present) {
  RootCauses causes;
  causes.even_share = 1 / static_cast<double>(std::max<std::size_t>(1, present));
  if (delays.waiting_ns <= 0 || delays.costs.empty()) return causes;
  causes.activities = shares_by_activity(delays);
  causes.ranks = shares_by_rank(delays);
  const double least = std::max(kLeast, std::min(kMostly, kOutstanding * causes.even_share));
  for (LateRank& late : causes.ranks) {
    if (late.share < least || causes.late_count == kMostRanks) break;
    late.when = when_late(trace, waits, delays, late.rank);
    ++causes.late_count;
  }
  return causes;
}

void add_late_ranks(const Trace& trace, const WaitStates& waits, const DelayCosts& delays,
                    Monitor& monitor) {
  std::vector<std::map<std::int32_t, double>> costs(monitor.intervals.size());
  const std::int64_t start = run_span(trace).whole.begin_ns;
  for_charges(
      trace, waits, delays, [&](std::int32_t cause, std::int64_t begin, std::int64_t, double cost) {
        const auto after = std::ranges::upper_bound(monitor.intervals, begin - start, {},
                                                    &FocusInterval::begin_ns);
        if (after == monitor.intervals.begin()) return;
        costs[static_cast<std::size_t>(after - monitor.intervals.begin()) - 1][cause] += cost;
      });
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i].empty()) continue;
    double sum = 0;
    for (const auto& [rank, cost] : costs[i]) sum += cost;
    const auto most =
        std::ranges::max_element(costs[i], {}, [](const auto& entry) { return entry.second; });
    monitor.intervals[i].late_rank = most->first;
    monitor.intervals[i].late_share = most->second / sum;
  }
}

}  // namespace slackline
