// The controlled logical clock.
//
// Every call is two events, its begin and its end. Forward, in an order in which causes come before
// effects, an event's new time is the largest of: its old time; the event before it on its rank
// plus 99 % of the interval between them; and, for an end, the new times of the begins that it
// waits for. So an end that lies too early jumps to where it may be, and the events after it keep
// (almost) their distances until, gaining one percent, they are back at their old times: forward
// amortisation. Where nothing jumps, the old time is the largest, and stays.
//
// Backward, the jump is spread over what comes before it, as one interval that grew by all of it is
// less likely than a clock that was slow for a while. Going back from a jump, events are moved on
// by the jump, less one percent of the distance. None may be moved past an end that waits for it;
// and as an event's move bounds that of the events before it, intervals can only grow.
//
// Ranks are walked as far as possible, and wait for ranks that have what they need. When nobody can
// go on the trace is no order at all (it was damaged, or messages are paired wrongly); then the
// earliest waiting event goes on without.
//
// Cost: linear, but for the search of the earliest when there is such a circle.

#include "calls/logical_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "calls/collective_members.h"

namespace slackline {
namespace {

constexpr std::int64_t kShare = 100;  // one part in this many is given back
// Later than every time of a trace, and still near enough that differences to them fit.
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max() / 2;

using Shape = CollectiveShape;

// The events of a rank in order of time: 2i is the begin of call i, 2i+1 its end. Calls of several
// threads overlap, so their order is sorted.
std::vector<std::uint32_t> events_in_order(const RankCalls& calls) {
  std::vector<std::uint32_t> order(2 * calls.size());
  for (std::size_t e = 0; e < order.size(); ++e) order[e] = static_cast<std::uint32_t>(e);
  const auto time = [&](std::uint32_t e) {
    return e % 2 == 0 ? calls.begin_ns(e / 2) : calls.end_ns(e / 2);
  };
  if (!std::ranges::is_sorted(order, {}, time)) std::ranges::stable_sort(order, {}, time);
  return order;
}

class LogicalClock {
 public:
  LogicalClock(TraceBuilder& trace, const CallMatching& matching)
      : trace_(trace),
        matching_(matching),
        shapes_(collective_shapes(trace, matching)),
        gathered_(shapes_.size()) {
    for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
      Rank& r = ranks_.emplace_back();
      const RankCalls& calls = trace.calls(rank);
      r.order = events_in_order(calls);
      r.time.resize(r.order.size());
      r.old.resize(r.order.size());
      for (std::size_t i = 0; i < calls.size(); ++i) {
        r.old[2 * i] = calls.begin_ns(i);
        r.old[2 * i + 1] = calls.end_ns(i);
      }
    }
  }

  CausalityRepair run() {
    forward();
    if (result_.violations > 0) {
      backward();
      apply();
    }
    return result_;
  }

 private:
  struct Waiter {
    std::int32_t rank;
    std::uint32_t event;  // that must be done
  };
  struct Jump {
    std::uint32_t position;  // in Rank::order
    std::int64_t ns;
  };
  struct Rank {
    std::vector<std::uint32_t> order;  // events in order of time
    std::vector<std::int64_t> old;     // by event
    std::vector<std::int64_t> time;    // by event, new
    std::vector<char> done;
    std::vector<Jump> jumps;
    std::vector<Waiter> waiters;
    std::size_t next = 0;         // position of the next event to do
    bool without_causes = false;  // the next event goes on in a circle
  };
  // What a collective's members have done so far.
  struct Gathered {
    std::size_t arrived = 0;
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    bool root_arrived = false;
    std::int64_t root_time = 0;
    std::vector<std::int32_t> waiters;
  };
  enum class Progress { done, blocked };
  using Completion = CallMatching::Completion;

  Rank& rank(std::int32_t r) { return ranks_[static_cast<std::size_t>(r)]; }

  void forward() {
    for (Rank& r : ranks_) r.done.assign(r.order.size(), 0);
    std::vector<std::int32_t> ready;
    for (std::int32_t r = trace_.ranks(); r-- > 0;) ready.push_back(r);
    while (true) {
      while (!ready.empty()) {
        const std::int32_t r = ready.back();
        ready.pop_back();
        walk(r, ready);
      }
      const std::int32_t stuck = earliest_stuck();
      if (stuck < 0) return;
      trace_.findings().add(kCausalCycle, fmt::format("rank {}", stuck));
      rank(stuck).without_causes = true;
      ready.push_back(stuck);
    }
  }

  std::int32_t earliest_stuck() {
    std::int32_t found = -1;
    std::int64_t earliest = kNoLimit;
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      const Rank& candidate = rank(r);
      if (candidate.next == candidate.order.size()) continue;
      const std::int64_t time = candidate.old[candidate.order[candidate.next]];
      if (found < 0 || time < earliest) {
        found = r;
        earliest = time;
      }
    }
    return found;
  }

  void walk(std::int32_t r, std::vector<std::int32_t>& ready) {
    Rank& self = rank(r);
    while (self.next < self.order.size()) {
      const std::uint32_t event = self.order[self.next];
      std::int64_t earliest = std::numeric_limits<std::int64_t>::min();
      if (event % 2 == 1 && !self.without_causes &&
          causes(r, event / 2, earliest) == Progress::blocked) {
        break;
      }
      self.without_causes = false;
      place(self, event, earliest);
      if (event % 2 == 0) arrive(r, event / 2, self.time[event], ready);
      ++self.next;
    }
    std::erase_if(self.waiters, [&](const Waiter& waiter) {
      if (self.done[waiter.event] == 0) return false;
      ready.push_back(waiter.rank);
      return true;
    });
  }

  void place(Rank& self, std::uint32_t event, std::int64_t earliest) {
    std::int64_t time = self.old[event];
    if (self.next > 0) {
      const std::uint32_t before = self.order[self.next - 1];
      const std::int64_t interval = self.old[event] - self.old[before];
      time = std::max(time, self.time[before] + interval - interval / kShare);
    }
    if (earliest > time) {
      self.jumps.push_back({static_cast<std::uint32_t>(self.next), earliest - time});
      ++result_.violations;
      time = earliest;
    }
    self.time[event] = time;
    self.done[event] = 1;
  }

  // The latest of what the end of `call` waits for, or who must go on first.
  Progress causes(std::int32_t r, std::uint32_t call, std::int64_t& earliest) {
    Progress progress = Progress::done;
    matching_.for_completions(r, call, [&](const Completion& c) {
      if (progress == Progress::blocked) return;
      if (c.kind == Completion::Kind::incoming) progress = message(r, c.id, earliest);
      if (c.kind == Completion::Kind::collective) progress = collective(r, c.id, earliest);
    });
    return progress;
  }

  Progress message(std::int32_t r, std::uint32_t id, std::int64_t& earliest) {
    const MessageCalls& m = matching_.message(id);
    Rank& source = rank(m.source);
    const std::uint32_t begin = 2 * m.send;
    if (source.done[begin] == 0) {
      source.waiters.push_back({r, begin});
      return Progress::blocked;
    }
    earliest = std::max(earliest, source.time[begin]);
    return Progress::done;
  }

  Progress collective(std::int32_t r, std::uint32_t id, std::int64_t& earliest) {
    const Shape shape = shapes_[id];
    if (shape == Shape::none) return Progress::done;
    const CollectiveInstance& c = matching_.collective(id);
    Gathered& gathered = gathered_[id];
    const bool needs_all =
        shape == Shape::all_to_all || (shape == Shape::all_to_root && c.root == r);
    const bool needs_root = shape == Shape::root_to_all && matching_.member(c, c.root) != nullptr;
    if ((needs_all && gathered.arrived < c.member_count) ||
        (needs_root && !gathered.root_arrived)) {
      gathered.waiters.push_back(r);
      return Progress::blocked;
    }
    if (needs_all) earliest = std::max(earliest, gathered.latest);
    if (needs_root) earliest = std::max(earliest, gathered.root_time);
    return Progress::done;
  }

  // The begin of a call that enters a collective.
  void arrive(std::int32_t r, std::uint32_t call, std::int64_t time,
              std::vector<std::int32_t>& ready) {
    matching_.for_completions(r, call, [&](const Completion& c) {
      // Those that another call completes have no shape.
      if (c.kind != Completion::Kind::collective || shapes_[c.id] == Shape::none) return;
      arrive(r, matching_.collective(c.id), gathered_[c.id], time, ready);
    });
  }

  static void arrive(std::int32_t r, const CollectiveInstance& c, Gathered& gathered,
                     std::int64_t time, std::vector<std::int32_t>& ready) {
    ++gathered.arrived;
    gathered.latest = std::max(gathered.latest, time);
    if (r == c.root) {
      gathered.root_arrived = true;
      gathered.root_time = time;
    }
    if (gathered.waiters.empty()) return;
    if (gathered.root_arrived || gathered.arrived == c.member_count) {
      // The rank that walks now looks again itself.
      for (const std::int32_t waiter : gathered.waiters) {
        if (waiter != r) ready.push_back(waiter);
      }
      gathered.waiters.clear();
    }
  }

  // How far each begin may be moved: to the earliest end that waits for it.
  std::vector<std::vector<std::int64_t>> limits() {
    std::vector<std::vector<std::int64_t>> limit(ranks_.size());
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      limit[r].resize(ranks_[r].old.size() / 2, kNoLimit);
    const auto bound = [&](std::int32_t r, std::uint32_t call, std::int64_t time) {
      std::int64_t& at = limit[static_cast<std::size_t>(r)][call];
      at = std::min(at, time);
    };
    for (const MessageCalls& m : matching_.messages()) {
      if (m.receive_done == kNoCall) continue;
      bound(m.source, m.send, rank(m.destination).time[2 * m.receive_done + 1]);
    }
    for (std::uint32_t id = 0; id < shapes_.size(); ++id) {
      if (shapes_[id] == Shape::none) continue;
      const CollectiveInstance& c = matching_.collective(id);
      std::int64_t first_end = kNoLimit;
      std::int64_t root_end = kNoLimit;
      for (const CollectiveMember& m : matching_.members(c)) {
        const std::int64_t end = rank(m.rank).time[2 * m.enter + 1];
        first_end = std::min(first_end, end);
        if (m.rank == c.root) root_end = end;
      }
      for (const CollectiveMember& m : matching_.members(c)) {
        if (shapes_[id] == Shape::all_to_root) {
          bound(m.rank, m.enter, root_end);
        } else if (shapes_[id] == Shape::all_to_all || m.rank == c.root) {
          bound(m.rank, m.enter, first_end);
        }
      }
    }
    return limit;
  }

  void backward() {
    const auto limit = limits();
    for (std::size_t r = 0; r < ranks_.size(); ++r) spread_jumps(ranks_[r], limit[r]);
  }

  static void spread_jumps(Rank& self, const std::vector<std::int64_t>& limit) {
    auto jump = self.jumps.rbegin();
    std::int64_t move = 0;
    for (std::size_t at = self.order.size(); at-- > 0;) {
      const std::uint32_t event = self.order[at];
      if (at + 1 < self.order.size()) {
        move -= std::min(move, (self.old[self.order[at + 1]] - self.old[event]) / kShare + 1);
      }
      if (event % 2 == 0) {
        move = std::min(move, std::max<std::int64_t>(0, limit[event / 2] - self.time[event]));
      }
      self.time[event] += move;
      // What comes before a jump is moved by it too.
      for (; jump != self.jumps.rend() && jump->position == at; ++jump) move += jump->ns;
    }
  }

  void apply() {
    double sum = 0;
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      Rank& self = rank(r);
      RankCallsBuilder& calls = trace_.calls(r);
      calls.retime(self.time);
      for (std::size_t i = 0; i < calls.size(); ++i) {
        const std::int64_t begin = self.time[2 * i] - self.old[2 * i];
        const std::int64_t end = self.time[2 * i + 1] - self.old[2 * i + 1];
        if (begin == 0 && end == 0) continue;
        ++result_.moved_calls;
        sum += static_cast<double>(end);
        const std::int64_t most = std::max(begin, end);
        if (most <= result_.largest_move_ns) continue;
        result_.largest_move_ns = most;
        worst_rank_ = r;
      }
    }
    if (result_.moved_calls == 0) return;
    result_.mean_move_ns = sum / static_cast<double>(result_.moved_calls);
    trace_.findings().add(
        kClocksFixed,
        fmt::format("{} violations; moved by {:.0f} ns on average, at most by {} ns (rank {})",
                    result_.violations, result_.mean_move_ns, result_.largest_move_ns, worst_rank_),
        result_.moved_calls);
  }

  TraceBuilder& trace_;
  const CallMatching& matching_;
  std::vector<Shape> shapes_;  // by collective
  std::vector<Rank> ranks_;
  std::vector<Gathered> gathered_;
  CausalityRepair result_;
  std::int32_t worst_rank_ = 0;
};

}  // namespace

CausalityRepair restore_causality(TraceBuilder& trace, const CallMatching& matching) {
  if (!trace.timed()) return {};
  return LogicalClock(trace, matching).run();
}

}  // namespace slackline
