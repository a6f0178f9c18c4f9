#include "calls/spin_waits.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "calls/window_waits.h"

namespace slackline {
namespace {

/// A pause before the next swap that is this many times as long as the swaps are on average is no
/// asking again.
constexpr std::int64_t kLongPause = 4;

using Target = std::pair<std::uint32_t, std::int32_t>;  // window, rank

bool is_flush(Operation operation) {
  return operation == Operation::win_flush || operation == Operation::win_flush_all ||
         operation == Operation::win_flush_local || operation == Operation::win_flush_local_all;
}

bool changes_target(Operation operation) {
  return is_window_transfer(operation) && operation != Operation::get &&
         operation != Operation::rget;
}

class SpinSearch {
 public:
  explicit SpinSearch(const Trace& trace) : trace_(trace) {}

  std::vector<std::vector<SpinWait>> run() {
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) find_spins(r);
    if (targets_.empty()) return {};
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) find_changes(r);
    for (auto& [target, changes] : changes_) std::ranges::sort(changes, {}, &Change::at_ns);
    out_.resize(static_cast<std::size_t>(trace_.ranks()));
    for (const auto& [target, spins] : targets_) {
      for (const auto& [rank, spin] : spins) keep_if_changed(target, rank, spin);
    }
    for (auto& own : out_) std::ranges::sort(own, {}, &SpinWait::first);
    return std::move(out_);
  }

 private:
  /// Swaps from the first one to the last, which succeeded.
  struct Spin {
    CallIndex first;
    CallIndex last;
  };
  struct Change {
    std::int64_t at_ns;
    std::int32_t rank;
    CallIndex call;
  };

  void find_spins(std::int32_t rank) {
    const RankCalls& calls = trace_.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls.operation(i) != Operation::compare_and_swap) continue;
      const Target target{calls.comm(i), calls.peer(i)};
      swappers_.insert({target, rank});
      std::size_t last = i;
      std::size_t swaps = 1;
      for (std::size_t k = i + 1; k < calls.size() && goes_on(calls, i, k, target); ++k) {
        if (calls.operation(k) != Operation::compare_and_swap) continue;
        last = k;
        ++swaps;
      }
      if (swaps > 1) {
        targets_[target].emplace_back(
            rank, Spin{static_cast<CallIndex>(i), static_cast<CallIndex>(last)});
      }
      i = last;
    }
  }

  static bool goes_on(const RankCalls& calls, std::size_t first, std::size_t call,
                      const Target& target) {
    const std::int64_t mean =
        (calls.end_ns(call - 1) - calls.begin_ns(first)) / static_cast<std::int64_t>(call - first);
    if (calls.gap_ns(call) / kLongPause > mean || calls.comm(call) != target.first) return false;
    if (is_flush(calls.operation(call))) return true;
    return calls.operation(call) == Operation::compare_and_swap &&
           calls.peer(call) == target.second;
  }

  /// By ranks that swap there as well: all but swaps that may have found it locked.
  void find_changes(std::int32_t rank) {
    const RankCalls& calls = trace_.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!changes_target(calls.operation(i))) continue;
      const Target target{calls.comm(i), calls.peer(i)};
      const auto spins = targets_.find(target);
      if (spins == targets_.end() || !swappers_.contains({target, rank})) continue;
      const auto own = std::ranges::equal_range(spins->second, rank, {}, &OfRank::first);
      const auto spin = std::ranges::lower_bound(
          own, i, {}, [](const OfRank& s) { return std::size_t{s.second.last}; });
      if (spin == own.end() || spin->second.first > i) {
        changes_[target].push_back({calls.begin_ns(i), rank, static_cast<CallIndex>(i)});
      }
    }
  }

  /// The last change of another rank before the end of the swap that succeeded.
  void keep_if_changed(const Target& target, std::int32_t rank, const Spin& spin) {
    const RankCalls& calls = trace_.calls(rank);
    const std::vector<Change>& changes = changes_[target];
    auto change = std::ranges::upper_bound(changes, calls.end_ns(spin.last), {}, &Change::at_ns);
    while (change != changes.begin() && (--change)->at_ns > calls.begin_ns(spin.first)) {
      if (change->rank == rank) continue;
      CallIndex bound = spin.first;
      while (bound < spin.last && calls.end_ns(bound) < change->at_ns) ++bound;
      out_[static_cast<std::size_t>(rank)].push_back(
          {spin.first, bound, change->rank, change->call});
      return;
    }
  }

  const Trace& trace_;
  std::vector<std::vector<SpinWait>> out_;
  using OfRank = std::pair<std::int32_t, Spin>;
  std::map<Target, std::vector<OfRank>> targets_;  // by rank, in program order
  std::set<std::pair<Target, std::int32_t>> swappers_;
  std::map<Target, std::vector<Change>> changes_;
};

}  // namespace

std::vector<std::vector<SpinWait>> spin_waits(const Trace& trace) {
  return SpinSearch(trace).run();
}

}  // namespace slackline
