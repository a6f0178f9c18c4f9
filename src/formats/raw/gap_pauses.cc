#include "formats/raw/gap_pauses.h"

#include <algorithm>
#include <vector>

namespace slackline::raw {
namespace {

/// The pauses of one gap, from its end backwards.
class GapPauses {
 public:
  GapPauses(const RankCalls& calls, std::uint32_t call)
      : call_(call), begin_ns_(calls.end_ns(call - 1)), end_ns_(calls.begin_ns(call)) {}

  /// Writing times from the last to the first; what lies outside of the gap is left out.
  void add_written(const WritingTime& w) {
    const std::int64_t limit = pauses_.empty() ? end_ns_ : pauses_.back().begin_ns;
    const std::int64_t begin = std::max(begin_ns_, w.begin_ns);
    const std::int64_t end = std::min(limit, w.end_ns);
    if (end > begin) pauses_.push_back({begin, end, call_, PauseKind::recording});
  }

  /// As much of `ns` as a sample that found the rank blocked says that it was. Returns the rest.
  std::int64_t add_located(const Sample& sample, std::int64_t ns) {
    const std::int64_t length = std::min(ns, sample.cpu_ns);
    return ns - length +
           fill(sample.time_ns - sample.cpu_ns, sample.time_ns, length, PauseKind::blocked);
  }

  void add_loss(std::int64_t ns, PauseKind kind) { fill(begin_ns_, end_ns_, ns, kind); }

  void append_to(RankCallsBuilder& calls) const {
    for (std::size_t i = pauses_.size(); i-- > 0;) calls.append_pause(pauses_[i]);
  }

 private:
  /// Puts `ns` into what is free between two times, from its end backwards. Returns what has no
  /// room.
  std::int64_t fill(std::int64_t from, std::int64_t to, std::int64_t ns, PauseKind kind) {
    from = std::max(from, begin_ns_);
    std::int64_t end = std::min(to, end_ns_);
    std::vector<Pause> added;
    for (std::size_t i = 0; i <= pauses_.size() && ns > 0; ++i) {
      const std::int64_t free = i < pauses_.size() ? std::max(from, pauses_[i].end_ns) : from;
      const std::int64_t length = std::min(ns, end - free);
      if (length > 0) {
        added.push_back({end - length, end, call_, kind});
        ns -= length;
      }
      if (i < pauses_.size()) end = std::min(end, pauses_[i].begin_ns);
    }
    pauses_.insert(pauses_.end(), added.begin(), added.end());
    std::ranges::sort(pauses_, std::ranges::greater{}, &Pause::begin_ns);
    return ns;
  }

  std::uint32_t call_;
  std::int64_t begin_ns_;
  std::int64_t end_ns_;
  std::vector<Pause> pauses_;  // the last one first
};

}  // namespace

void leave_out_barriers(const ParallelRegions& regions, std::span<GapLoss> losses) {
  for (const ParallelRegion& region : regions.all()) {
    const auto loss = std::ranges::lower_bound(losses, region.before_call, {}, &GapLoss::call);
    if (loss == losses.end() || loss->call != region.before_call) continue;
    const LocationTime main = regions.times(region).front();
    loss->blocked_ns = std::max<std::int64_t>(0, loss->blocked_ns - main.waiting_ns);
  }
}

void append_pauses(std::span<const GapLoss> losses, std::span<const WritingTime> written,
                   std::span<const Sample> samples, RankCallsBuilder& calls) {
  const auto gap_of = [&](const WritingTime& w) { return calls.first_from(w.begin_ns); };
  while (!written.empty() && gap_of(written.front()) == 0) written = written.subspan(1);
  while (!losses.empty() || !written.empty()) {
    const std::size_t next_written = written.empty() ? calls.size() : gap_of(written.front());
    const std::size_t call =
        losses.empty() ? next_written : std::min<std::size_t>(losses.front().call, next_written);
    if (call >= calls.size()) return;
    GapPauses gap(calls, static_cast<std::uint32_t>(call));
    std::size_t here = 0;
    while (here < written.size() && gap_of(written[here]) == call) ++here;
    for (std::size_t i = here; i-- > 0;) gap.add_written(written[i]);
    written = written.subspan(here);
    if (!losses.empty() && losses.front().call == call) {
      const auto of_gap = std::ranges::equal_range(
          samples, call, {}, [](const Sample& s) { return std::size_t{s.before_call}; });
      std::int64_t blocked_ns = losses.front().blocked_ns;
      for (const Sample& sample : of_gap) {
        if (sample.blocked) blocked_ns = gap.add_located(sample, blocked_ns);
      }
      gap.add_loss(losses.front().no_processor_ns, PauseKind::no_processor);
      gap.add_loss(blocked_ns, PauseKind::blocked);
      losses = losses.subspan(1);
    }
    gap.append_to(calls);
  }
}

}  // namespace slackline::raw
