// Who is to blame for waiting?
//
// A rank waits because another one got there late. Since the two were last in step, the late one
// did something longer: each activity that took it longer than the waiting rank is a delay, and so
// is its own waiting, which somebody else caused. The waiting is shared out over these in
// proportion: the activities' shares are short-term costs, and the shares of waiting are handed on
// to those waits, whose own causes then pay them as long-term costs. Waits are taken from last to
// first, in the order in which causes precede effects, so a wait has received all that will be
// handed to it before it is processed. So every nanosecond of waiting ends as a cost of some
// activity, or stays unexplained: then neither did anything longer (the clocks disagree, or the
// transfer took the time).
//
// Both are compared from one moment on: when the waiting rank left what it last did together with
// the late one. So the waiting is the difference of the two, and explained but for clocks and
// clipping.
//
// Cost: per wait the calls of two ranks since they were last in step, which in a code that
// exchanges with the same partners in every step is a step.

#include "diagnosis/delay_costs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace slackline {
namespace {

using Kind = CallMatching::Completion::Kind;
/// Where two ranks were last in step: calls that had ended.
struct LastStep {
  std::int64_t here = -1;  // index of the call; -1: the rank's beginning
  std::int64_t there = -1;
};

/// Time by activity of two ranks, first one minus the other.
class Difference {
 public:
  void clear() {
    for (const std::uint32_t slot : listed_) balance_[slot] = {};
    listed_.clear();
  }
  void add(std::uint32_t slot, std::int64_t ns) {
    if (slot >= balance_.size()) balance_.resize(slot + 1);
    if (!balance_[slot].listed) {
      balance_[slot].listed = true;
      listed_.push_back(slot);
    }
    balance_[slot].ns += ns;
  }
  template <class Visit>
  void for_positive(Visit visit) const {
    for (const std::uint32_t slot : listed_) {
      if (balance_[slot].ns > 0) visit(slot, balance_[slot].ns);
    }
  }

 private:
  struct Balance {
    std::int64_t ns = 0;
    bool listed = false;
  };
  std::vector<Balance> balance_;
  std::vector<std::uint32_t> listed_;
};

class DelaySearch {
 public:
  DelaySearch(const Trace& trace, const CallMatching& matching, const WaitStates& waits,
              const CallActivities& names, DelayCosts& out)
      : trace_(trace),
        matching_(matching),
        waits_(waits.states),
        names_(names),
        out_(out),
        of_rank_(static_cast<std::size_t>(trace.ranks())),
        costs_(static_cast<std::size_t>(trace.ranks())),
        handed_(waits_.size()) {
    out.origins.resize(waits_.size());
    for (std::uint32_t i = 0; i < waits_.size(); ++i) {
      if (waits_[i].effective) {
        of_rank_[static_cast<std::size_t>(waits_[i].rank)].push_back(i);
      }
    }
  }

  void run() {
    for (std::size_t i = waits_.size(); i-- > 0;) {
      const WaitState& w = waits_[i];
      if (w.cause_rank < 0 || w.cause_rank == w.rank) continue;
      process(static_cast<std::uint32_t>(i), w);
    }
    collect();
  }

 private:
  using Shares = std::array<double, kDelayKinds>;
  struct Cause {
    std::uint32_t wait;
    std::int64_t ns;  // of it, after the ranks were in step
  };

  void process(std::uint32_t id, const WaitState& w) {
    const auto wait = static_cast<double>(w.wait_ns);
    const LastStep step = last_step(w);
    difference_.clear();
    causes_.clear();
    const RankCalls& mine = trace_.calls(w.rank);
    const std::int64_t since =
        step.here < 0 ? std::min(mine.start_ns(), trace_.calls(w.cause_rank).start_ns())
                      : mine.end_ns(static_cast<CallIndex>(step.here));
    add_time(w.cause_rank, first_after(w.cause_rank, step.there, since), w.cause_call, since, 1,
             &causes_);
    add_time(w.rank, static_cast<CallIndex>(step.here + 1), w.call, since, -1, nullptr);
    double delays = 0;
    difference_.for_positive(
        [&](std::uint32_t, std::int64_t ns) { delays += static_cast<double>(ns); });
    double waiting = 0;
    for (const Cause& c : causes_) waiting += static_cast<double>(c.ns);
    const double sum = delays + waiting;
    const Shares& handed = handed_[id];
    const double handed_sum = std::accumulate(handed.begin(), handed.end(), 0.0);
    out_.waiting_ns += wait;
    if (sum <= 0) {
      out_.unexplained_ns += wait + handed_sum;
      return;
    }
    const double scale = std::min(wait / sum, 1.0);
    out_.unexplained_ns += std::max(0.0, wait - sum);
    out_.origins[id].direct_ns = scale * delays;
    out_.origins[id].indirect_ns = scale * waiting;
    share_out(w, scale, handed, sum);
  }

  void share_out(const WaitState& w, double scale, const Shares& handed, double sum) {
    const auto kind = static_cast<std::size_t>(delay_kind(w.pattern));
    difference_.for_positive([&](std::uint32_t slot, std::int64_t ns) {
      DelayCost& cost = this->cost(w.cause_rank, slot);
      const auto longer = static_cast<double>(ns);
      cost.short_term[kind] += scale * longer;
      for (std::size_t k = 0; k < kDelayKinds; ++k) {
        cost.long_term[k] += handed[k] / sum * longer;
      }
    });
    for (const Cause& c : causes_) {
      const auto waited = static_cast<double>(c.ns);
      handed_[c.wait][kind] += scale * waited;
      for (std::size_t k = 0; k < kDelayKinds; ++k) handed_[c.wait][k] += handed[k] / sum * waited;
      WaitOrigin& origin = out_.origins[c.wait];
      origin.propagating_ns = std::min(waited, origin.propagating_ns + scale * waited);
    }
  }

  // Where the two ranks of a wait were last in step.
  LastStep last_step(const WaitState& w) const {
    for (std::int64_t call = std::int64_t{w.call} - 1; call >= 0; --call) {
      LastStep step{call, -1};
      matching_.for_completions(w.rank, static_cast<CallIndex>(call),
                                [&](const CallMatching::Completion& c) {
                                  step.there = std::max(step.there, partner_call(w, c));
                                });
      if (step.there >= 0) return step;
    }
    return {};
  }

  // At which of its calls the late rank took part in what the waiting rank completed; -1: in none,
  // or not before it was waited for.
  std::int64_t partner_call(const WaitState& w, const CallMatching::Completion& c) const {
    CallIndex call = kNoCall;
    if (c.kind == Kind::incoming) {
      const MessageCalls& m = matching_.message(c.id);
      if (m.source == w.cause_rank) call = m.send;
    } else if (c.kind == Kind::outgoing) {
      const MessageCalls& m = matching_.message(c.id);
      if (m.destination == w.cause_rank) call = m.receive_done;
    } else {
      const CollectiveInstance& instance = matching_.collective(c.id);
      if (instance.operation == Operation::init) return -1;
      const CollectiveMember* member = matching_.member(instance, w.cause_rank);
      if (member != nullptr) call = member->done;
    }
    return call == kNoCall || call >= w.cause_call ? -1 : std::int64_t{call};
  }

  // The first call of `rank` that ends after `since`, looked for from `near` on.
  CallIndex first_after(std::int32_t rank, std::int64_t near, std::int64_t since) const {
    const RankCalls& calls = trace_.calls(rank);
    auto at = static_cast<std::size_t>(std::max<std::int64_t>(0, near));
    while (at < calls.size() && calls.end_ns(at) <= since) ++at;
    while (at > 0 && calls.end_ns(at - 1) > since) --at;
    return static_cast<CallIndex>(at);
  }

  // Adds, with `sign`, the time by activity from `since` until call `to` begins, without waiting;
  // the waits go to `causes`. Call `from` is the first that ends after `since`.
  void add_time(std::int32_t rank, CallIndex from, CallIndex to, std::int64_t since,
                std::int64_t sign, std::vector<Cause>* causes) {
    const RankCalls& calls = trace_.calls(rank);
    const auto& own = of_rank_[static_cast<std::size_t>(rank)];
    auto next = std::ranges::lower_bound(own, from, {},
                                         [this](std::uint32_t id) { return waits_[id].call; });
    // A late start is computation, as everywhere.
    if (const std::int64_t late = calls.start_ns() - since; late > 0) {
      difference_.add(0, sign * late);
    }
    std::int64_t before = from == 0 ? calls.start_ns() : calls.end_ns(from - 1);
    for (CallIndex call = from; call <= to; ++call) {
      const std::int64_t enter = calls.begin_ns(call);
      const CallActivities::OfCall activity = names_.of(rank, call);
      if (before < since || activity.gap == CallActivities::kSeveral) {
        add_gap(rank, call, since, sign);
      } else if (enter > before) {
        difference_.add(activity.gap, sign * (enter - before));
      }
      if (call == to) return;
      before = calls.end_ns(call);
      const std::int64_t begin = std::max(enter, since);
      std::int64_t spent = before - begin;
      if (next != own.end() && waits_[*next].call == call) {
        const std::int64_t waited =
            std::max<std::int64_t>(0, enter + waits_[*next].wait_ns - begin);
        spent -= waited;
        if (causes != nullptr && waited > 0) causes->push_back({*next, waited});
        ++next;
      }
      if (spent > 0) difference_.add(activity.call, sign * spent);
    }
  }

  // The computation right before `call`, as far as it lies after `since`.
  void add_gap(std::int32_t rank, CallIndex call, std::int64_t since, std::int64_t sign) {
    const RankCalls& calls = trace_.calls(rank);
    std::int64_t skip = since - (calls.begin_ns(call) - calls.gap_ns(call));
    names_.for_gap(rank, call, [&](ActivityId id, std::int64_t ns) {
      const std::int64_t before = std::clamp<std::int64_t>(skip, 0, ns);
      skip -= before;
      if (ns > before) difference_.add(id, sign * (ns - before));
    });
  }

  DelayCost& cost(std::int32_t rank, std::uint32_t slot) {
    auto& mine = costs_[static_cast<std::size_t>(rank)];
    if (slot >= mine.size()) mine.resize(slot + 1);
    return mine[slot];
  }

  void collect() {
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      auto& mine = costs_[static_cast<std::size_t>(r)];
      for (std::size_t slot = 0; slot < mine.size(); ++slot) {
        if (mine[slot].total() <= 0) continue;
        mine[slot].rank = r;
        mine[slot].path = names_.path(static_cast<ActivityId>(slot));
        mine[slot].operation = names_.operation(static_cast<ActivityId>(slot));
        out_.costs.push_back(mine[slot]);
      }
    }
    std::ranges::stable_sort(out_.costs, std::greater{}, &DelayCost::total);
  }

  const Trace& trace_;
  const CallMatching& matching_;
  const std::vector<WaitState>& waits_;
  const CallActivities& names_;
  DelayCosts& out_;
  std::vector<std::vector<std::uint32_t>> of_rank_;  // effective states in program order
  std::vector<std::vector<DelayCost>> costs_;        // per rank, per slot
  std::vector<Shares> handed_;                       // to each wait, by kind of the first one
  Difference difference_;
  std::vector<Cause> causes_;
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
      return DelayKind::late_sender;
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
  return std::accumulate(short_term.begin(), short_term.end(), 0.0) +
         std::accumulate(long_term.begin(), long_term.end(), 0.0);
}

DelayCosts delay_costs(const Trace& trace, const CallMatching& matching, const WaitStates& waits,
                       const CallActivities& names) {
  DelayCosts out;
  DelaySearch(trace, matching, waits, names, out).run();
  return out;
}

}  // namespace slackline
