// Who waits for whom at a window, beside what all its members do together.
//
// Post, start, complete and wait: the origin waits for the post in MPI_Win_start or, where the
// library lets that return at once, in MPI_Win_complete; the target waits in MPI_Win_wait for the
// last MPI_Win_complete.
//
// Locks: lock_waits.cc.

#include "calls/window_waits.h"

#include <algorithm>
#include <optional>

#include "calls/window_epochs.h"

namespace slackline {
namespace {

class Search {
 public:
  Search(const Trace& trace, const std::vector<std::vector<SpinWait>>& spins,
         std::vector<std::vector<WindowWait>>& out)
      : trace_(trace), spins_(spins), out_(out) {}

  void run() {
    const WindowEpochs epochs(trace_);
    const std::vector<LockEpoch> locks = epochs.locks();
    if (epochs.matches().empty() && locks.empty() && spins_.empty()) return;
    out_.resize(epochs.by_rank().size());
    add_spins();
    add_epoch_waits(epochs);
    add_lock_waits(trace_, locks, out_);
    for (auto& own : out_) std::ranges::stable_sort(own, {}, &WindowWait::call);
  }

 private:
  std::int64_t begin(std::int32_t rank, CallIndex call) const {
    return trace_.calls(rank).begin_ns(call);
  }
  std::int64_t end(std::int32_t rank, CallIndex call) const {
    return trace_.calls(rank).end_ns(call);
  }
  std::vector<WindowWait>& of(std::int32_t rank) { return out_[static_cast<std::size_t>(rank)]; }

  void add_spins() {
    for (std::size_t r = 0; r < spins_.size(); ++r) {
      for (const SpinWait& s : spins_[r]) {
        out_[r].push_back({s.bound, s.source, s.source_call, begin(s.source, s.source_call),
                           WindowWaitKind::lock});
      }
    }
  }

  void add_epoch_waits(const WindowEpochs& epochs) {
    std::vector<std::vector<WindowWait>> last_complete;  // by target and exposure epoch
    for (const RankEpochs& rank : epochs.by_rank())
      last_complete.emplace_back(rank.exposure.size());
    const std::vector<EpochMatch>& matches = epochs.matches();
    for (std::size_t i = 0; i < matches.size();) {
      const std::int32_t origin = matches[i].origin;
      const std::size_t a = matches[i].access;
      const WindowEpoch& access = epochs.by_rank()[static_cast<std::size_t>(origin)].access[a];
      std::optional<WindowWait> at_start;
      std::optional<WindowWait> at_complete;
      for (; i < matches.size() && matches[i].origin == origin && matches[i].access == a; ++i) {
        const auto target = static_cast<std::size_t>(matches[i].target);
        const WindowEpoch& exposure = epochs.by_rank()[target].exposure[matches[i].exposure];
        wait_for_post(matches[i], access, exposure.open, at_start, at_complete);
        complete(origin, access, exposure, last_complete[target][matches[i].exposure]);
      }
      if (at_start) of(origin).push_back(*at_start);
      if (at_complete) of(origin).push_back(*at_complete);
    }
    for (std::size_t target = 0; target < last_complete.size(); ++target) {
      for (std::size_t e = 0; e < last_complete[target].size(); ++e) {
        add_waits(static_cast<std::int32_t>(target), epochs.by_rank()[target].exposure[e],
                  last_complete[target][e]);
      }
    }
  }

  void wait_for_post(const EpochMatch& m, const WindowEpoch& access, CallIndex post,
                     std::optional<WindowWait>& at_start,
                     std::optional<WindowWait>& at_complete) const {
    const std::int64_t posted = begin(m.target, post);
    const auto wait_in = [&](CallIndex call, std::optional<WindowWait>& latest) {
      if (posted <= begin(m.origin, call)) return;
      if (!latest || posted > latest->until_ns) {
        latest = WindowWait{call, m.target, post, posted, WindowWaitKind::late_post};
      }
    };
    if (posted <= end(m.origin, access.open)) {
      wait_in(access.open, at_start);
    } else if (access.close != kNoCall) {
      wait_in(access.close, at_complete);
    }
  }

  void complete(std::int32_t origin, const WindowEpoch& access, const WindowEpoch& exposure,
                WindowWait& last) const {
    if (access.close == kNoCall) return;
    const std::int64_t completed = begin(origin, access.close);
    if (last.call == kNoCall || completed > last.until_ns) {
      last = {exposure.open, origin, access.close, completed, WindowWaitKind::late_complete};
    }
  }

  void add_waits(std::int32_t target, const WindowEpoch& exposure, WindowWait last) {
    if (last.call == kNoCall) return;
    const auto add = [&](CallIndex call) {
      last.call = call;
      if (last.until_ns > begin(target, call)) of(target).push_back(last);
    };
    for (const CallIndex test : exposure.tests) add(test);
    if (exposure.close != kNoCall) add(exposure.close);
  }

  const Trace& trace_;
  const std::vector<std::vector<SpinWait>>& spins_;
  std::vector<std::vector<WindowWait>>& out_;
};

}  // namespace

bool is_window_transfer(Operation operation) {
  switch (operation) {
    case Operation::put:
    case Operation::get:
    case Operation::accumulate:
    case Operation::get_accumulate:
    case Operation::fetch_and_op:
    case Operation::compare_and_swap:
    case Operation::rput:
    case Operation::rget:
    case Operation::raccumulate:
    case Operation::rget_accumulate:
      return true;
    default:
      return false;
  }
}

WindowWaits::WindowWaits(const Trace& trace) {
  if (!trace.timed()) return;
  spins_ = spin_waits(trace);
  Search(trace, spins_, by_rank_).run();
}

std::span<const WindowWait> WindowWaits::of(std::int32_t rank) const {
  if (by_rank_.empty()) return {};
  return by_rank_[static_cast<std::size_t>(rank)];
}

std::span<const WindowWait> WindowWaits::of(std::int32_t rank, CallIndex call) const {
  if (by_rank_.empty()) return {};
  const auto found = std::ranges::equal_range(by_rank_[static_cast<std::size_t>(rank)], call, {},
                                              &WindowWait::call);
  return {found.begin(), found.end()};
}

}  // namespace slackline
