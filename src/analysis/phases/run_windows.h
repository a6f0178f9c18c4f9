#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "analysis/efficiency/efficiency.h"
#include "analysis/phases/monitor.h"
#include "analysis/phases/monitored_run.h"

namespace slackline {

/// Efficiencies of a run in any interval of its time. All times but start() count from the start of
/// the run.
class RunWindows {
 public:
  /// Keeps a reference.
  explicit RunWindows(MonitoredRun& run);

  /// In the trace's time.
  std::int64_t start() const { return start_; }
  std::int64_t length() const { return length_; }
  std::int64_t analysed_begin() const { return from_; }
  std::int64_t analysed_end() const { return to_; }

  /// These times will be asked for: they are read in one pass over the ranks, when the first one
  /// is.
  void expect(std::int64_t time) {
    if (!readings_.contains(time)) expected_.insert(time);
  }

  /// The whole analysed interval has the factors that all tables have: the ideal run's length is
  /// then the difference of its end and begin, and not the mean of the ranks' clocks. O(ranks) of
  /// times that have been read.
  WindowEfficiency between(std::int64_t from, std::int64_t to);
  /// Calls that begin then, mean of the ranks. O(ranks), as above.
  std::size_t calls_between(std::int64_t from, std::int64_t to);

 private:
  struct Reading {
    double useful_ns = 0;
    double ideal_ns = 0;
    ThreadClock::Reading threads{};
    std::uint64_t calls = 0;  // that have begun before
  };
  /// By rank, at a time.
  std::span<const Reading> at(std::int64_t time);

  MonitoredRun& run_;
  std::optional<EfficiencyFactors> whole_;
  std::int64_t start_ = 0;
  std::int64_t length_ = 0;
  std::int64_t from_ = 0;
  std::int64_t to_ = 0;
  std::set<std::int64_t> expected_;
  std::map<std::int64_t, std::vector<Reading>> readings_;
};

}  // namespace slackline
