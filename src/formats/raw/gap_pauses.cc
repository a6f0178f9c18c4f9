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

  void add_loss(std::int64_t ns, PauseKind kind) {
    std::vector<Pause> added;
    std::int64_t end = end_ns_;
    for (std::size_t i = 0; i <= pauses_.size() && ns > 0; ++i) {
      const std::int64_t from = i < pauses_.size() ? pauses_[i].end_ns : begin_ns_;
      const std::int64_t length = std::min(ns, end - from);
      if (length > 0) added.push_back({end - length, end, call_, kind});
      ns -= std::max<std::int64_t>(0, length);
      if (i < pauses_.size()) end = pauses_[i].begin_ns;
    }
    pauses_.insert(pauses_.end(), added.begin(), added.end());
    std::ranges::sort(pauses_, std::ranges::greater{}, &Pause::begin_ns);
  }

  void append_to(RankCalls& calls) const {
    for (std::size_t i = pauses_.size(); i-- > 0;) calls.append_pause(pauses_[i]);
  }

 private:
  std::uint32_t call_;
  std::int64_t begin_ns_;
  std::int64_t end_ns_;
  std::vector<Pause> pauses_;  // the last one first
};

}  // namespace

void append_pauses(std::span<const GapLoss> losses, std::span<const WritingTime> written,
                   RankCalls& calls) {
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
      gap.add_loss(losses.front().no_processor_ns, PauseKind::no_processor);
      gap.add_loss(losses.front().blocked_ns, PauseKind::blocked);
      losses = losses.subspan(1);
    }
    gap.append_to(calls);
  }
}

}  // namespace slackline::raw
