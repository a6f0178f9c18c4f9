#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace slackline::otf2 {

/// What running totals of hardware counters gained between a location's calls: one value a counter
/// and gap, as RankCalls::counter() has them. The location's first reading is the zero.
class CounterGaps {
 public:
  explicit CounterGaps(std::size_t counters)
      : now_(counters), begin_(counters), since_(counters), known_(counters), values_(counters) {}

  void read(std::size_t which, std::uint64_t total) {
    if (known_[which] == 0) begin_[which] = since_[which] = total;
    known_[which] = 1;
    now_[which] = total;
  }
  /// A call begins, which may turn out to be none of the Trace's.
  void begin_call() { begin_ = now_; }
  /// The call that began last became the Trace's next one.
  void end_call() {
    for (std::size_t c = 0; c < now_.size(); ++c) {
      values_[c].push_back(begin_[c] - since_[c]);
      since_[c] = now_[c];
    }
  }
  /// The gap after the last call. Gives a list per counter; empty if nothing was read.
  std::vector<std::vector<std::uint64_t>> finish() {
    for (std::size_t c = 0; c < now_.size(); ++c) {
      values_[c].push_back(now_[c] - since_[c]);
      if (known_[c] == 0) values_[c].clear();
    }
    return std::move(values_);
  }

 private:
  std::vector<std::uint64_t> now_, begin_, since_;
  std::vector<char> known_;
  std::vector<std::vector<std::uint64_t>> values_;
};

}  // namespace slackline::otf2
