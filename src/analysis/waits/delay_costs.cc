// Which activities cause waiting?
//
// A rank waits because another one got there late. Since their last synchronisation point
// (sync_points.h), the late one did something longer: each activity that took it longer than the
// waiting rank is a delay, and so is its own waiting, which somebody else caused. The waiting is
// shared out over these in proportion: the activities' shares are short-term costs, and the shares
// of waiting are handed on to those waits, whose own causes then pay them as long-term costs. Waits
// are taken from last to first, in the order in which causes precede effects, so a wait has
// received all that will be handed to it before it is processed. A failed poll can violate that
// order, as its rank continues before it knows what the poll waited for. Where there are any, waits
// are taken in topological order of what they hand on instead; a cycle (two ranks that poll for
// each other) is broken at its latest wait. So every nanosecond of waiting ends as a cost of some
// activity, or stays unexplained: then neither did anything longer (the clocks disagree, or the
// transfer took the time), or the share came back in a cycle.
//
// Failed polls that wait for one message while the two ranks do not synchronise are one wait, which
// ends with the last of them: their number is chance, and each would be compared since the same
// moment.
//
// Both are compared from one moment on, when the first of the two went on from that point. So the
// waiting is the difference of the two, and explained but for clocks and clipping. Scalasca does
// otherwise in places: test/oracle/scalasca names each of them, and what it is worth.
//
// Shares are rounded to fractions of a nanosecond before they are summed up, so that no sum depends
// on the order of waits: it is the same of a whole run and of its parts.
//
// Cost: each rank's time is summed between its synchronisation points (busy_time.h), in threads;
// then a wait costs the points since its ranks synchronised, and twice that where polls fail.

#include "analysis/waits/delay_costs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "analysis/waits/busy_time.h"
#include "analysis/waits/cut_calls.h"
#include "analysis/waits/sync_points.h"
#include "base/arithmetic.h"
#include "base/flat_map.h"
#include "base/parallel.h"
#include "trace/operation_kinds.h"

namespace slackline {
namespace {

constexpr std::size_t kRunsPerThread = 4;

class DelaySearch {
 public:
  DelaySearch(const Trace& trace, const CallMatching& matching, const WaitStates& waits,
              const CallActivities& names, DelayVisitor* visitor, DelayCosts& out)
      : trace_(trace),
        matching_(matching),
        waits_(waits.states),
        names_(names),
        visitor_(visitor),
        sync_points_(trace, matching, waits),
        out_(out),
        of_rank_(static_cast<std::size_t>(trace.ranks())),
        busy_time_(of_rank_.size()),
        costs_(of_rank_.size()),
        handed_(waits_.size()),
        processed_(waits_.size()),
        joined_to_(waits_.size()),
        first_joined_(waits_.size()),
        joined_ns_(waits_.size()) {
    out.origins.resize(waits_.size());
    for (std::uint32_t i = 0; i < waits_.size(); ++i) {
      if (waits_[i].effective && !waits_[i].is_spin()) {
        of_rank_[static_cast<std::size_t>(waits_[i].rank)].push_back(i);
      }
    }
    for (auto& own : of_rank_) {
      std::ranges::stable_sort(own, {}, [this](std::uint32_t i) { return waits_[i].call; });
    }
    join_polls();
    sum_up_busy_time(trace);
  }

  void run() {
    std::vector<std::uint32_t> latest_first;
    for (auto i = static_cast<std::uint32_t>(waits_.size()); i-- > 0;) {
      const WaitState& w = waits_[i];
      // What a call waited for beside the longest is no more waiting.
      if (!w.effective || w.cause_rank < 0 || w.cause_rank == w.rank) continue;
      if (w.cause_call == kNoCall) {
        process_cut(i);
      } else if (w.is_spin()) {  // the call in which the lock became free has the cause
        out_.waiting_ns += w.wait_ns;
        out_.unexplained_ns += static_cast<double>(w.wait_ns);
      } else if (joined_to_[i] == i) {
        latest_first.push_back(i);
      }
    }
    if (std::ranges::any_of(latest_first,
                            [this](std::uint32_t i) { return waits_[i].asked_again; })) {
      process_polls(std::move(latest_first));
    } else {
      for (const std::uint32_t i : latest_first) process(i);
    }
    divide_origins();
    collect();
  }

 private:
  using Shares = std::array<double, kDelayKinds>;
  using SharesSum = std::array<FixedPointSum, kDelayKinds>;
  struct ActivityHash {
    std::uint64_t operator()(ActivityId id) const { return mix_bits(id); }
  };
  /// A wait of the late rank, as far as it lies in the compared time.
  struct Cause {
    std::uint32_t wait;
    std::int64_t ns;
  };
  /// The last of some polls for a message, and the call after which others are joined to it.
  struct JoinedPolls {
    bool any = false;
    std::uint32_t last = 0;
    std::int64_t since_call = -1;
  };
  struct CallHash {
    std::uint64_t operator()(std::uint64_t call) const { return mix_bits(call); }
  };

  void join_polls() {
    std::iota(joined_to_.begin(), joined_to_.end(), 0U);
    std::iota(first_joined_.begin(), first_joined_.end(), 0U);
    for (const auto& own : of_rank_) {
      FlatMap<std::uint64_t, JoinedPolls, CallHash> last;  // by message
      for (auto i = own.rbegin(); i != own.rend(); ++i) {
        const WaitState& w = waits_[*i];
        joined_ns_[*i] += w.wait_ns;
        if (w.cause_call == kNoCall || w.cause_rank < 0) continue;
        const auto rank = static_cast<std::uint32_t>(w.cause_rank);
        JoinedPolls& polls = last[std::uint64_t{rank} << 32 | w.cause_call];
        if (!w.asked_again || !polls.any || std::int64_t{w.call} <= polls.since_call) {
          polls = {true, *i, sync_points_.last_before(w).here};
          continue;
        }
        joined_to_[*i] = polls.last;
        first_joined_[polls.last] = *i;
        joined_ns_[polls.last] += w.wait_ns;
      }
    }
  }

  /// What is known of polls together is so of each, by what it waited.
  void divide_origins() {
    for (const auto& own : of_rank_) {
      for (const std::uint32_t i : own) {
        const std::uint32_t last = joined_to_[i];
        if (last != i) out_.origins[i] = part_of(out_.origins[last], i);
      }
    }
    for (const auto& own : of_rank_) {
      for (const std::uint32_t i : own) {
        if (joined_to_[i] == i) out_.origins[i] = part_of(out_.origins[i], i);
      }
    }
  }
  WaitOrigin part_of(const WaitOrigin& all, std::uint32_t wait) const {
    const double share = ratio_of(static_cast<double>(waits_[wait].wait_ns),
                                  static_cast<double>(joined_ns_[joined_to_[wait]]));
    return {share * all.direct_ns, share * all.indirect_ns, share * all.propagating_ns,
            share * all.charged_ns};
  }

  /// Ranks in a few runs, each of which has its own sums: those have a place for every activity of
  /// all ranks.
  void sum_up_busy_time(const Trace& trace) {
    const std::size_t ranks = busy_time_.size();
    const std::size_t runs = std::min<std::size_t>(ranks, kRunsPerThread * hardware_threads());
    parallel_for(runs, [&](std::size_t run) {
      ActivitySums scratch;
      for (std::size_t r = run * ranks / runs; r < (run + 1) * ranks / runs; ++r) {
        std::vector<WaitState> own;
        own.reserve(of_rank_[r].size());
        for (const std::uint32_t i : of_rank_[r]) own.push_back(waits_[i]);
        busy_time_[r] = BusyTimeSums(trace, names_, static_cast<std::int32_t>(r),
                                     sync_points_.calls(), std::move(own), scratch);
      }
    });
  }

  /// In the order of what they hand to each other. Where that is a circle the times decide, which
  /// are the same in each part of a run.
  void process_polls(std::vector<std::uint32_t> latest_first) {
    const auto when = [this](std::uint32_t id) {
      const WaitState& w = waits_[id];
      return std::make_tuple(trace_.calls(w.cause_rank).begin_ns(w.cause_call), w.rank, w.call);
    };
    std::ranges::sort(latest_first, std::greater{}, when);
    std::vector<std::uint32_t> missing(
        waits_.size());  // how many have not handed on their share yet
    for (const std::uint32_t id : latest_first) {
      compare(id);
      for (const Cause& c : causes_) ++missing[c.wait];
    }
    std::vector<std::uint32_t> ready;
    const auto finish = [&](std::uint32_t id) {
      if (processed_[id]) return;
      process(id);
      for (const Cause& c : causes_) {
        if (--missing[c.wait] == 0) ready.push_back(c.wait);
      }
    };
    const auto finish_ready = [&] {
      while (!ready.empty()) {
        const std::uint32_t id = ready.back();
        ready.pop_back();
        finish(id);
      }
    };
    for (const std::uint32_t id : latest_first) {
      if (missing[id] == 0) ready.push_back(id);
    }
    finish_ready();
    for (const std::uint32_t id : latest_first) {
      finish(id);
      finish_ready();
    }
  }

  /// What the late rank did longer, and where it waited, since it last went on with the other one.
  void compare(std::uint32_t id) {
    const WaitState& w = waits_[id];
    const LastSyncPoint step = sync_points_.last_before(waits_[first_joined_[id]]);
    difference_.clear();
    waited_.clear();
    causes_.clear();
    place_of_cause_.clear();
    const auto late = static_cast<std::size_t>(w.cause_rank);
    busy_time_[late].add(step.there, w.cause_call, step.since_ns, 1, difference_, &waited_);
    for (const BusyTimeSums::Waited& part : waited_) {
      const std::uint32_t wait = joined_to_[of_rank_[late][part.which]];
      std::uint32_t& place = place_of_cause_[wait];
      if (place == 0) {
        causes_.push_back({wait, 0});
        place = static_cast<std::uint32_t>(causes_.size());
      }
      causes_[place - 1].ns += part.ns;
    }
    busy_time_[static_cast<std::size_t>(w.rank)].add(step.here, w.call, step.since_ns, -1,
                                                     difference_, nullptr);
  }

  void process(std::uint32_t id) {
    const WaitState& w = waits_[id];
    processed_[id] = true;
    const auto wait = static_cast<double>(joined_ns_[id]);
    compare(id);
    double delays = 0;
    for_delays([&](ActivityId, std::int64_t ns) { delays += static_cast<double>(ns); });
    double waiting = 0;
    for (const Cause& c : causes_) waiting += static_cast<double>(c.ns);
    const double sum = delays + waiting;
    Shares handed;
    std::ranges::transform(handed_[id], handed.begin(), &FixedPointSum::value);
    const double handed_sum = std::accumulate(handed.begin(), handed.end(), 0.0);
    out_.waiting_ns += joined_ns_[id];
    if (sum <= 0) {
      out_.unexplained_ns += wait + handed_sum;
      return;
    }
    const double scale = std::min(wait / sum, 1.0);
    out_.unexplained_ns += std::max(0.0, wait - sum);
    out_.origins[id].direct_ns = scale * delays;
    out_.origins[id].indirect_ns = scale * waiting;
    out_.origins[id].charged_ns = scale * delays + handed_sum * delays / sum;
    share_out(w, scale, handed, sum);
    if (visitor_ != nullptr) tell(id, w, scale);
  }

  /// A wait that the end of the recording cut off. Whoever was missing waited for another one in
  /// the same way, or is to blame: it had not come, whatever it did.
  void process_cut(std::uint32_t id) {
    const WaitState& w = waits_[id];
    const auto wait = static_cast<double>(w.wait_ns);
    processed_[id] = true;
    out_.waiting_ns += w.wait_ns;
    const std::int32_t late = last_missing(w.cause_rank);
    if (late < 0) {
      out_.unexplained_ns += wait;
      return;
    }
    out_.origins[id].direct_ns = wait;
    out_.origins[id].charged_ns = wait;
    const std::size_t calls = trace_.calls(late).size();
    ActivityId activity =
        calls == 0 ? ActivityId{0} : names_.of(late, static_cast<CallIndex>(calls - 1)).gap;
    if (activity == CallActivities::kSeveral) activity = 0;
    DelayCost& cost = this->cost(late, activity);
    cost.short_term[static_cast<std::size_t>(delay_kind(w.pattern))] += wait;
    if (visitor_ != nullptr) visitor_->delayed(id, late, activity, wait);
  }

  /// The rank for which the others waited in the end, from one of them on. -1: it is not known, or
  /// they waited for each other.
  std::int32_t last_missing(std::int32_t rank) {
    if (missing_.empty()) find_missing();
    for (std::size_t steps = 0; rank >= 0 && steps < missing_.size(); ++steps) {
      const std::int32_t next = missing_[static_cast<std::size_t>(rank)];
      if (next == rank) return rank;
      rank = next;
    }
    return -1;
  }

  void find_missing() {
    for (std::int32_t rank = 0; rank < trace_.ranks(); ++rank) {
      const std::optional<CallIndex> call = cut_call(trace_.calls(rank));
      const auto partner =
          call ? missing_partner(trace_, matching_, rank, *call) : MissingPartner{rank, {}};
      missing_.push_back(partner ? partner->rank : -1);
    }
  }

  void tell(std::uint32_t id, const WaitState& w, double scale) const {
    for_delays([&](ActivityId activity, std::int64_t ns) {
      visitor_->delayed(id, w.cause_rank, activity, scale * static_cast<double>(ns));
    });
    for (const Cause& c : causes_) {
      visitor_->propagated(id, c.wait, scale * static_cast<double>(c.ns));
    }
  }

  void share_out(const WaitState& w, double scale, const Shares& handed, double sum) {
    const auto kind = static_cast<std::size_t>(delay_kind(w.pattern));
    for_delays([&](ActivityId activity, std::int64_t ns) {
      DelayCost& cost = this->cost(w.cause_rank, activity);
      const auto longer = static_cast<double>(ns);
      cost.short_term[kind] += scale * longer;
      for (std::size_t k = 0; k < kDelayKinds; ++k) {
        if (handed[k] != 0) cost.long_term[k] += handed[k] / sum * longer;
      }
    });
    for (const Cause& c : causes_) {
      const auto waited = static_cast<double>(c.ns);
      if (processed_[c.wait]) {  // its share is out already
        double lost = scale * waited;
        for (const double handed_on : handed) lost += handed_on / sum * waited;
        out_.unexplained_ns += lost;
        continue;
      }
      SharesSum& to = handed_[c.wait];
      to[kind] += scale * waited;
      for (std::size_t k = 0; k < kDelayKinds; ++k) {
        if (handed[k] != 0) to[k] += handed[k] / sum * waited;
      }
      WaitOrigin& origin = out_.origins[c.wait];
      // What delays two others is no more waiting for that.
      origin.propagating_ns = std::max(origin.propagating_ns, scale * waited);
    }
  }

  // What took the late rank longer than the waiting one.
  template <class Visit>
  void for_delays(Visit visit) const {
    difference_.for_each([&visit](ActivityId activity, std::int64_t ns) {
      if (ns > 0) visit(activity, ns);
    });
  }

  DelayCost& cost(std::int32_t rank, ActivityId activity) {
    return costs_[static_cast<std::size_t>(rank)][activity];
  }

  void collect() {
    for (std::size_t r = 0; r < costs_.size(); ++r) {
      costs_[r].for_each([&](ActivityId activity, DelayCost& cost) {
        if (cost.total() <= 0) return;
        const ActivityName& name = names_.name(activity);
        cost.of = {static_cast<std::int32_t>(r), name.path, name.operation, name.late_start};
        out_.costs.push_back(cost);
      });
    }
    sort_by_total(out_.costs);
  }

  const Trace& trace_;
  const CallMatching& matching_;
  const std::vector<WaitState>& waits_;
  const CallActivities& names_;
  DelayVisitor* visitor_;
  const SyncPoints sync_points_;
  DelayCosts& out_;
  std::vector<std::vector<std::uint32_t>> of_rank_;  // effective states in program order
  std::vector<BusyTimeSums> busy_time_;              // of each rank
  std::vector<FlatMap<ActivityId, DelayCost, ActivityHash>> costs_;  // per rank
  std::vector<SharesSum> handed_;         // to each wait, by kind of the first one
  std::vector<bool> processed_;           // of each wait
  std::vector<std::uint32_t> joined_to_;  // of each wait, the one that it is part of: itself mostly
  std::vector<std::uint32_t> first_joined_;  // to a wait
  std::vector<std::int64_t> joined_ns_;      // of all that are joined to a wait
  // By rank, the rank it waited for when the recording ended: itself if none, -1 if unknown.
  std::vector<std::int32_t> missing_;
  ActivitySums difference_;    // the late rank's time less the other one's
  std::vector<Cause> causes_;  // the late rank's waits
  std::vector<BusyTimeSums::Waited> waited_;
  FlatMap<std::uint32_t, std::uint32_t, CallHash> place_of_cause_;  // from 1 on
};

}  // namespace

std::string_view identifier(DelayKind kind) {
  constexpr std::array<std::string_view, kDelayKinds> kNames{
      "late_sender", "late_receiver", "all_to_all", "one_to_all", "all_to_one"};
  return kNames[static_cast<std::size_t>(kind)];
}

DelayKind delay_kind(WaitPattern pattern) {
  switch (pattern) {
    case WaitPattern::late_sender:
    case WaitPattern::late_complete:
      return DelayKind::late_sender;
    case WaitPattern::late_post:
    case WaitPattern::lock:
    case WaitPattern::late_receiver:
      return DelayKind::late_receiver;
    case WaitPattern::late_broadcast:
      return DelayKind::one_to_all;
    case WaitPattern::early_reduce:
      return DelayKind::all_to_one;
    default:
      return DelayKind::all_to_all;
  }
}

double DelayCost::total() const {
  FixedPointSum sum;
  for (const FixedPointSum& ns : short_term) sum += ns;
  for (const FixedPointSum& ns : long_term) sum += ns;
  return sum.value();
}

void DelayCost::add(const DelayCost& other) {
  for (std::size_t k = 0; k < kDelayKinds; ++k) {
    short_term[k] += other.short_term[k];
    long_term[k] += other.long_term[k];
  }
}

void sort_by_total(std::vector<DelayCost>& costs) {
  std::ranges::sort(costs, [](const DelayCost& a, const DelayCost& b) {
    const double of_a = a.total();
    const double of_b = b.total();
    return of_a != of_b ? of_a > of_b : a.of < b.of;
  });
}

DelayCosts delay_costs(const Trace& trace, const CallMatching& matching, const WaitStates& waits,
                       const CallActivities& names, DelayVisitor* visitor) {
  DelayCosts out;
  DelaySearch(trace, matching, waits, names, visitor, out).run();
  return out;
}

}  // namespace slackline
