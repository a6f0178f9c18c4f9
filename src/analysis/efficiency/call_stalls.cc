// A mean is told by the few calls that take a thousand times longer than the rest. Calls are
// compared with those of about their size, as long messages take long for a reason.

#include "analysis/efficiency/time_shares.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "base/statistics.h"

namespace slackline {
namespace {

constexpr std::size_t kSizes = 65;        // by the number of bits
constexpr std::size_t kFewest = 8;        // calls of a size that have a usual duration
constexpr double kMuchLonger = 10;        // times the median
constexpr std::int64_t kShortest = 1000;  // ns; less is no stall whatever the median

/// Collects the durations of the selected calls, without waiting.
class Durations {
 public:
  Durations(const Trace& trace, const CallActivities& names, const WaitStates& waits,
            const TimeInterval& analysed, std::span<const TimeShares::OfCalls> of)
      : trace_(trace),
        names_(names),
        analysed_(analysed),
        kind_of_(names.size(), kOther),
        by_size_(of.size()),
        by_time_(of.size(), TimeWindows(analysed)) {
    for (std::size_t id = 0; id < names.size(); ++id) {
      const auto activity = static_cast<ActivityId>(id);
      const auto found = std::ranges::find_if(of, [&](const TimeShares::OfCalls& calls) {
        return calls.operation == names.operation(activity) && calls.path == names.path(activity);
      });
      if (found != of.end()) kind_of_[id] = static_cast<std::size_t>(found - of.begin());
    }
    waited_.resize(static_cast<std::size_t>(trace.ranks()));
    for (const WaitState& s : waits.states) {
      if (!s.effective || kind(s.rank, s.call) == kOther) continue;
      waited_[static_cast<std::size_t>(s.rank)].emplace_back(s.call, s.wait_ns);
    }
    for (auto& own : waited_) std::ranges::sort(own);
  }

  void add(std::int32_t rank) {
    const RankCalls& calls = trace_.calls(rank);
    const auto& waited = waited_[static_cast<std::size_t>(rank)];
    auto next = waited.begin();
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const auto call = static_cast<CallIndex>(i);
      if (calls.end_ns(i) < analysed_.begin_ns || calls.begin_ns(i) > analysed_.end_ns) continue;
      if (calls.thread(i) != 0) continue;
      const std::size_t which = kind(rank, call);
      if (which == kOther) continue;
      std::int64_t inside = std::min(calls.end_ns(i), analysed_.end_ns) -
                            std::max(calls.begin_ns(i), analysed_.begin_ns);
      while (next != waited.end() && next->first < call) ++next;
      for (; next != waited.end() && next->first == call; ++next) inside -= next->second;
      const auto size = static_cast<std::size_t>(std::bit_width(calls.bytes(i)));
      by_size_[which][size].push_back(std::max<std::int64_t>(0, inside));
      by_time_[which].add(static_cast<double>(calls.begin_ns(i)),
                          static_cast<double>(calls.end_ns(i)),
                          static_cast<double>(by_size_[which][size].back()));
    }
  }

  CallStalls stalls(std::size_t which) {
    CallStalls out;
    std::vector<std::int64_t> all;
    for (std::vector<std::int64_t>& size : by_size_[which]) {
      all.insert(all.end(), size.begin(), size.end());
      if (size.size() < kFewest) continue;
      const double limit = kMuchLonger * static_cast<double>(median(size));
      for (const std::int64_t ns : size) {
        if (ns < kShortest || static_cast<double>(ns) <= limit) continue;
        ++out.calls;
        out.sum_ns += ns;
      }
    }
    out.median_ns = static_cast<double>(median(all));
    out.by_time = by_time_[which];
    return out;
  }

 private:
  static constexpr std::size_t kOther = static_cast<std::size_t>(-1);

  std::size_t kind(std::int32_t rank, CallIndex call) const {
    return kind_of_[names_.of(rank, call).call];
  }

  const Trace& trace_;
  const CallActivities& names_;
  TimeInterval analysed_;
  std::vector<std::size_t> kind_of_;  // by activity
  std::vector<std::array<std::vector<std::int64_t>, kSizes>> by_size_;
  std::vector<TimeWindows> by_time_;
  std::vector<std::vector<std::pair<CallIndex, std::int64_t>>> waited_;  // by rank, in order
};

}  // namespace

std::vector<CallStalls> call_stalls(const Trace& trace, const CallActivities& names,
                                    const WaitStates& waits, const TimeInterval& analysed,
                                    std::span<const TimeShares::OfCalls> of) {
  std::vector<CallStalls> out;
  if (of.empty()) return out;
  Durations durations(trace, names, waits, analysed, of);
  for (std::int32_t r = 0; r < trace.ranks(); ++r) durations.add(r);
  for (std::size_t i = 0; i < of.size(); ++i) out.push_back(durations.stalls(i));
  return out;
}

}  // namespace slackline
