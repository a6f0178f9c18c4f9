#include "formats/raw/gap_pauses.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/arithmetic.h"

namespace slackline::raw {
namespace {

/// The pauses of one gap. To add one, only those nearby are looked at: there may be some in each of
/// many thousands of parallel regions.
class GapPauses {
 public:
  GapPauses(const RankCalls& calls, std::uint32_t call)
      : call_(call), begin_ns_(calls.end_ns(call - 1)), end_ns_(calls.begin_ns(call)) {}

  /// Writing times from the last to the first; what lies outside of the gap is left out.
  void add_written(const WritingTime& w) {
    const std::int64_t limit = pauses_.empty() ? end_ns_ : pauses_.begin()->first;
    const std::int64_t begin = std::max(begin_ns_, w.begin_ns);
    const std::int64_t end = std::min(limit, w.end_ns);
    if (end > begin) add(begin, end, PauseKind::recording);
  }

  /// `changes`: within the gap.
  void add_loss(const GapLoss& loss, std::span<const Sample> samples,
                std::span<const RegionLoss> regions, std::span<const std::int64_t> changes) {
    std::int64_t blocked_ns = loss.blocked_ns;
    for (const Sample& sample : samples) {
      if (sample.blocked) blocked_ns = add_located(sample, blocked_ns);
    }
    std::int64_t no_processor_ns = loss.no_processor_ns;
    for (const RegionLoss& region : regions) {
      no_processor_ns =
          add_in(region, region.no_processor_ns, no_processor_ns, PauseKind::no_processor);
      blocked_ns = add_in(region, region.blocked_ns, blocked_ns, PauseKind::blocked);
    }
    spread(regions, changes, no_processor_ns, PauseKind::no_processor);
    spread(regions, changes, blocked_ns, PauseKind::blocked);
  }

  void append_to(RankCallsBuilder& calls) const {
    for (const auto& [begin_ns, pause] : pauses_) calls.append_pause(pause);
  }

 private:
  /// As much of `ns` as a sample that found the rank blocked says that it was. Returns the rest.
  std::int64_t add_located(const Sample& sample, std::int64_t ns) {
    const std::int64_t length = std::min(ns, sample.cpu_ns);
    return ns - length +
           fill(sample.time_ns - sample.cpu_ns, sample.time_ns, length, PauseKind::blocked);
  }

  /// As much of `ns` as the region lost of that kind, samples included. Returns the rest.
  std::int64_t add_in(const RegionLoss& region, std::int64_t lost_ns, std::int64_t ns,
                      PauseKind kind) {
    for (auto p = first_after(region.begin_ns); p != pauses_.end() && p->first < region.end_ns;
         ++p) {
      if (p->second.kind != kind) continue;
      lost_ns -= std::max<std::int64_t>(
          0, std::min(p->second.end_ns, region.end_ns) - std::max(p->first, region.begin_ns));
    }
    const std::int64_t length = std::clamp<std::int64_t>(lost_ns, 0, ns);
    return ns - length + fill(region.begin_ns, region.end_ns, length, kind);
  }

  /// Shared out over the stretches between changes of the code, by their lengths: else all would be
  /// taken from what the program did last.
  void spread(std::span<const RegionLoss> regions, std::span<const std::int64_t> changes,
              std::int64_t ns, PauseKind kind) {
    const std::int64_t all = end_ns_ - begin_ns_;
    if (all <= 0) return;
    std::int64_t from = begin_ns_;
    std::int64_t shared = 0;
    std::int64_t rest = 0;
    for (std::size_t i = 0; i <= changes.size(); ++i) {
      const std::int64_t to = i < changes.size() ? changes[i] : end_ns_;
      const auto until = static_cast<std::int64_t>(Int128{ns} * (to - begin_ns_) / all);
      rest += add_outside(from, to, regions, until - shared, kind);
      shared = until;
      from = to;
    }
    rest = add_outside(begin_ns_, end_ns_, regions, rest, kind);
    fill(begin_ns_, end_ns_, rest, kind);
  }

  /// Between two times, outside of regions as far as there is room, from the end backwards.
  /// `regions` are in order of their ends. Returns what has no room.
  std::int64_t add_outside(std::int64_t from, std::int64_t end, std::span<const RegionLoss> regions,
                           std::int64_t ns, PauseKind kind) {
    for (std::size_t i = regions.size(); i-- > 0 && ns > 0 && end > from;) {
      ns = fill(std::max(from, regions[i].end_ns), end, ns, kind);
      end = std::min(end, regions[i].begin_ns);
    }
    return fill(from, end, ns, kind);
  }

  /// Puts `ns` into what is free between two times, from its end backwards. Returns what has no
  /// room.
  std::int64_t fill(std::int64_t from, std::int64_t to, std::int64_t ns, PauseKind kind) {
    from = std::max(from, begin_ns_);
    std::int64_t end = std::min(to, end_ns_);
    auto later = pauses_.lower_bound(end);
    while (ns > 0 && end > from) {
      const bool first = later == pauses_.begin();
      const std::int64_t free = first ? from : std::max(from, std::prev(later)->second.end_ns);
      const std::int64_t length = std::min(ns, end - free);
      if (length > 0) {
        later = add(end - length, end, kind);
        ns -= length;
      }
      if (first) break;
      end = std::min(end, (--later)->first);
    }
    return ns;
  }

  using Pauses = std::map<std::int64_t, Pause>;

  Pauses::iterator add(std::int64_t begin_ns, std::int64_t end_ns, PauseKind kind) {
    return pauses_.emplace(begin_ns, Pause{begin_ns, end_ns, call_, kind}).first;
  }

  /// The first pause that ends after `time_ns`.
  Pauses::const_iterator first_after(std::int64_t time_ns) const {
    const auto at = pauses_.upper_bound(time_ns);
    if (at == pauses_.begin()) return at;
    const auto before = std::prev(at);
    return before->second.end_ns > time_ns ? before : at;
  }

  std::uint32_t call_;
  std::int64_t begin_ns_;
  std::int64_t end_ns_;
  Pauses pauses_;  // by their begin; none overlap
};

}  // namespace

void append_pauses(std::span<const GapLoss> losses, std::span<const RegionLoss> in_regions,
                   std::span<const WritingTime> written, std::span<const Sample> samples,
                   std::span<const std::int64_t> changes, RankCallsBuilder& calls) {
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
      const auto regions = std::ranges::equal_range(
          in_regions, call, {}, [](const RegionLoss& r) { return std::size_t{r.call}; });
      const auto first = std::ranges::upper_bound(changes, calls.end_ns(call - 1));
      const auto last = std::lower_bound(first, changes.end(), calls.begin_ns(call));
      gap.add_loss(losses.front(), of_gap, regions, std::span(first, last));
      losses = losses.subspan(1);
    }
    gap.append_to(calls);
  }
}

}  // namespace slackline::raw
