// Every rank has a clock on the ideal network beside its own (rank_clock.h). What the ideal clock
// gains while the own one gains a window's length is the window's transfer efficiency; computation
// in the window gives load balance and serialisation.

#include "analysis/phases/run_windows.h"

#include <algorithm>

namespace slackline {

RunWindows::RunWindows(const Trace& trace, const IdealRun& ideal, const TimeInterval& analysed) {
  const RunSpan run = run_span(trace);
  start_ = run.whole.begin_ns;
  length_ = to_ = run.whole.length_ns();
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    if (trace.calls(r).empty()) continue;
    clocks_.emplace_back(trace.calls(r), ideal, r);
    ranks_.push_back(r);
  }
  if (trace.timed() && analysed.length_ns() > 0) {
    from_ = std::clamp<std::int64_t>(analysed.begin_ns - start_, 0, length_);
    to_ = std::clamp<std::int64_t>(from_ + analysed.length_ns(), from_, length_);
  }
}

WindowEfficiency RunWindows::between(std::int64_t from, std::int64_t to) const {
  WindowEfficiency e;
  if (to <= from || clocks_.empty()) return e;
  double sum = 0;
  double most = 0;
  double ideal = 0;
  for (std::size_t i = 0; i < clocks_.size(); ++i) {
    const RankClock& clock = clocks_[i];
    const RankClock::Reading a = clock.at(start_ + from);
    const RankClock::Reading b = clock.at(start_ + to);
    sum += b.useful_ns - a.useful_ns;
    if (b.useful_ns - a.useful_ns > most) {
      most = b.useful_ns - a.useful_ns;
      e.busiest_rank = ranks_[i];
    }
    ideal += b.ideal_ns - a.ideal_ns;
  }
  const auto ranks = static_cast<double>(clocks_.size());
  const auto observed = static_cast<double>(to - from);
  e.useful = sum / ranks / observed;
  e.load_balance = most > 0 ? sum / ranks / most : 1;
  e.transfer = std::clamp(ideal / ranks / observed, 0.0, 1.0);
  e.serialisation = ideal > 0 ? std::min(1.0, most / (ideal / ranks)) : 1;
  if (whole_ && from == from_ && to == to_) {
    e.useful = whole_->parallel;
    e.load_balance = whole_->load_balance;
    e.serialisation = whole_->serialisation;
    e.transfer = whole_->transfer;
  }
  return e;
}

}  // namespace slackline
