// Every rank has a clock on the ideal network beside its own (rank_clock.h). What the ideal clock
// gains while the own one gains a window's length is the window's transfer efficiency; computation
// in the window gives load balance and serialisation.

#include "analysis/phases/run_windows.h"

#include <algorithm>
#include <utility>

namespace slackline {

RunWindows::RunWindows(MonitoredRun& run) : run_(run) {
  const MonitoredFacts& facts = run.facts();
  start_ = facts.span.whole.begin_ns;
  length_ = to_ = facts.span.whole.length_ns();
  if (facts.analysed.length_ns() > 0) {
    from_ = std::clamp<std::int64_t>(facts.analysed.begin_ns - start_, 0, length_);
    to_ = std::clamp<std::int64_t>(from_ + facts.analysed.length_ns(), from_, length_);
  }
  if (facts.inputs.has_time()) whole_ = factors(facts.inputs, EfficiencyVariant::multiplicative);
}

std::span<const RunWindows::Reading> RunWindows::at(std::int64_t time) {
  const auto known = readings_.find(time);
  if (known != readings_.end()) return known->second;
  expect(time);
  const std::vector<std::int64_t> times(expected_.begin(), expected_.end());
  expected_.clear();
  using Readings = std::vector<Reading>;
  const MonitoredFacts& facts = run_.facts();
  const auto of_ranks = run_.of_each_rank<Readings>([&](const MonitoredRank& rank) {
    Readings readings;
    for (const std::int64_t t : times) {
      const RankClock::Reading clock = rank.clock().at(start_ + t);
      Reading& reading = readings.emplace_back();
      reading.useful_ns = clock.useful_ns;
      reading.ideal_ns = clock.ideal_ns;
      reading.calls = rank.calls().first_from(start_ + t);
      if (!facts.has_regions) continue;
      reading.threads = rank.threads(facts.analysed).at(start_ + t, clock.useful_ns);
    }
    return readings;
  });
  for (std::size_t i = 0; i < times.size(); ++i) {
    Readings& of_time = readings_[times[i]];
    of_time.clear();
    for (const Readings& rank : of_ranks) of_time.push_back(rank.empty() ? Reading() : rank[i]);
  }
  return readings_.at(time);
}

WindowEfficiency RunWindows::between(std::int64_t from, std::int64_t to) {
  WindowEfficiency e;
  const std::vector<std::uint64_t>& calls = run_.facts().calls;
  const auto present = std::ranges::count_if(calls, [](std::uint64_t n) { return n > 0; });
  if (to <= from || present == 0) return e;
  double sum = 0;
  double most = 0;
  double ideal = 0;
  ThreadClock::Reading threads;
  expect(to);
  const std::span<const Reading> begin = at(from);
  const std::span<const Reading> end = at(to);
  for (std::size_t r = 0; r < calls.size(); ++r) {
    if (calls[r] == 0) continue;
    const double useful = end[r].useful_ns - begin[r].useful_ns;
    sum += useful;
    if (useful > most) {
      most = useful;
      e.busiest_rank = static_cast<std::int32_t>(r);
    }
    ideal += end[r].ideal_ns - begin[r].ideal_ns;
    threads.work_ns += end[r].threads.work_ns - begin[r].threads.work_ns;
    threads.total_ns += end[r].threads.total_ns - begin[r].threads.total_ns;
  }
  const auto ranks = static_cast<double>(present);
  const auto observed = static_cast<double>(to - from);
  e.useful = sum / ranks / observed;
  e.load_balance = most > 0 ? sum / ranks / most : 1;
  e.transfer = std::clamp(ideal / ranks / observed, 0.0, 1.0);
  e.serialisation = ideal > 0 ? std::min(1.0, most / (ideal / ranks)) : 1;
  if (run_.facts().has_regions) {
    e.openmp = threads.total_ns > 0 ? std::clamp(threads.work_ns / threads.total_ns, 0.0, 1.0) : 1;
  }
  if (whole_ && from == from_ && to == to_) {
    e.useful = whole_->parallel;
    e.load_balance = whole_->load_balance;
    e.serialisation = whole_->serialisation;
    e.transfer = whole_->transfer;
  }
  return e;
}

std::size_t RunWindows::calls_between(std::int64_t from, std::int64_t to) {
  expect(to);
  const std::span<const Reading> begin = at(from);
  const std::span<const Reading> end = at(to);
  std::uint64_t calls = 0;
  for (std::size_t r = 0; r < begin.size(); ++r) calls += end[r].calls - begin[r].calls;
  return static_cast<std::size_t>(calls) / std::max<std::size_t>(1, begin.size());
}

}  // namespace slackline
