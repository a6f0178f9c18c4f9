// The rank time of an interval is computation, time without a processor, time blocked outside of
// MPI, waiting and the rest of MPI (time_shares.h). Computation is no loss. Waiting is lost to what
// made the rank waited for late: the delay costs say how much of it that rank did more while the
// other one worked too (imbalance), while the other one was idle (serialisation), while
// others had its processor (processors), or in calls of MPI. Those calls, and the rest of MPI, are
// lost to the bytes that they move, or if these are few, to the number of messages. Calls that take
// far longer than that, and polls without success, are not explained by either; where ranks lack
// processors, such calls count as lack of processors, too.
//
// Being blocked outside of MPI costs the others waiting, which is counted; only what all ranks have
// of it is a loss of its own.

#include "analysis/summary/limit_losses.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/runs/measured.h"
#include "analysis/waits/wait_states.h"
#include "base/arithmetic.h"

namespace slackline {
namespace {

constexpr double kSmallMessage = 4096;         // bytes; below, their number costs, not their size
constexpr double kStalledMessage_ns = 50'000;  // a small one that takes longer does not explain it
constexpr double kActiveWaiting = 0.8;  // that ranks have at least, as MPI libraries wait actively
constexpr std::uint64_t kPolls = 10;    // for each message: more find nothing
constexpr double kManyMessages = 100;   // of a rank: fewer small ones are no message rate

/// What calls lose that take `usual_ns` together, none of them far longer than the others.
Limit limit_of(const LossPlace& place, const CallSum& sum, double usual_ns, Limit unexplained,
               std::size_t ranks) {
  const OperationClass kind = operation_class(place.operation);
  if (kind == OperationClass::io) return Limit::io;
  if (kind == OperationClass::comm_create || kind == OperationClass::environment) {
    return Limit::unknown;
  }
  // A rank that polls without success waits; what for is not recorded.
  if (sum.calls() > kPolls * sum.messages()) return Limit::unknown;
  // A call costs something without a message, too.
  const auto messages = static_cast<double>(std::max(sum.calls(), sum.messages()));
  if (static_cast<double>(sum.bytes()) >= kSmallMessage * messages) return Limit::transfer;
  if (usual_ns > kStalledMessage_ns * messages) return unexplained;
  return messages >= kManyMessages * static_cast<double>(ranks) ? Limit::message_rate
                                                                : Limit::transfer;
}

}  // namespace

LimitLosses::LimitLosses(const LimitInputs& inputs, const std::vector<FrameId>& own_frames)
    : in_(inputs) {
  if (rank_time_ns() <= 0) return;
  sum_up_waits();
  sum_up_calls(own_frames);
  sum_up_rest();
  find_hidden_imbalance();
  add_threads();
}

double LimitLosses::rank_time_ns() const {
  return static_cast<double>(in_.shares.length_ns) * static_cast<double>(in_.shares.present);
}

std::int32_t LimitLosses::busiest_rank() const {
  const auto& ranks = in_.shares.ranks_ns;
  return static_cast<std::int32_t>(std::ranges::max_element(ranks, {}, &RankTime::compute) -
                                   ranks.begin());
}

bool LimitLosses::has_finding(std::string_view name) const {
  const auto& findings = in_.trace.findings().entries();
  return std::ranges::find(findings, name, &Findings::Entry::name) != findings.end();
}

bool LimitLosses::has_more_ranks() const {
  return has_finding("oversubscribed");
}

bool LimitLosses::has_more_threads() const {
  return has_finding("oversubscribed_threads");
}

bool LimitLosses::oversubscribed() const {
  if (has_more_ranks()) return true;
  if (in_.shares.processor_share.value_or(1) < kActiveWaiting) return true;
  return static_cast<double>(in_.shares.sum_ns.no_processor) >
         kManyWithoutProcessor * rank_time_ns();
}

/// What the call moves: what it completes, where it starts nothing itself.
CallVolume LimitLosses::volume_of(std::int32_t rank, CallIndex call) const {
  using Kind = CallMatching::Completion::Kind;
  const RankCalls& calls = in_.trace.calls(rank);
  if (calls.has(call, SLK_FLAG_FAILED)) return {};  // a poll that found nothing
  if (operation_class(calls.operation(call)) != OperationClass::completion) {
    return {1, calls.bytes(call)};
  }
  CallVolume volume;
  in_.matching.for_completions(rank, call, [&](const CallMatching::Completion& c) {
    ++volume.messages;
    if (c.kind == Kind::collective) {
      const CollectiveMember* own = in_.matching.member(in_.matching.collective(c.id), rank);
      if (own != nullptr) add_saturated(volume.bytes, calls.bytes(own->enter));
      return;
    }
    const MessageCalls& m = in_.matching.message(c.id);
    if (m.matched()) add_saturated(volume.bytes, in_.trace.calls(m.source).bytes(m.send));
  });
  return volume;
}

void LimitLosses::sum_up_calls(const std::vector<FrameId>& own_frames) {
  const std::int64_t begin_ns = run_span(in_.trace).whole.begin_ns + in_.shares.begin_ns;
  const TimeInterval interval{begin_ns, begin_ns + in_.shares.length_ns};
  for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) {
    const RankCalls& calls = in_.trace.calls(r);
    const RankSpan span = rank_span(calls);
    const std::vector<CallWait>& own_waits = waits_[static_cast<std::size_t>(r)];
    std::size_t wait = 0;
    for (std::size_t i = span.first_call; i < span.last_call; ++i) {
      const std::int64_t ns = std::min(interval.end_ns, calls.end_ns(i)) -
                              std::max(interval.begin_ns, calls.begin_ns(i));
      if (ns < 0 || calls.thread(i) != 0) continue;
      const auto call = static_cast<CallIndex>(i);
      double rest = static_cast<double>(ns);
      for (; wait < own_waits.size() && own_waits[wait].call <= call; ++wait) {
        if (own_waits[wait].call == call) rest = std::max(0.0, rest - own_waits[wait].ns);
      }
      const bool known = waiting_is_known(in_.trace, in_.matching, r, call);
      const LossPlace place{calls.operation(call), own_frames[calls.frame(call)]};
      calls_[place].add(rest, volume_of(r, call), known ? 0 : rest);
    }
  }
}

/// Waiting by its reason: that for communication, and completions, stay with their calls.
void LimitLosses::sum_up_waits() {
  waits_.resize(static_cast<std::size_t>(in_.trace.ranks()));
  for (std::size_t i = 0; i < in_.waits.states.size(); ++i) {
    const WaitState& w = in_.waits.states[i];
    const auto& by_reason = in_.delays.origins[i].by_reason;
    const bool has_cause = w.cause_rank >= 0 && w.cause_rank != w.rank;
    if (!w.effective || !has_cause) continue;
    const double late = static_cast<double>(w.wait_ns) - in_.delays.origins[i].communication_ns;
    waits_[static_cast<std::size_t>(w.rank)].push_back({w.call, late});
    of(Limit::imbalance) += by_reason[static_cast<std::size_t>(DelayReason::imbalance)];
    of(Limit::serialisation) += by_reason[static_cast<std::size_t>(DelayReason::serialisation)];
    processors_waiting_ns_ += by_reason[static_cast<std::size_t>(DelayReason::no_processor)];
  }
  of(Limit::processors) += processors_waiting_ns_;
  for (auto& of_rank : waits_) std::ranges::stable_sort(of_rank, {}, &CallWait::call);
}

void LimitLosses::place_loss(Limit limit, const LossPlace& place, const CallSum& sum, double ns,
                             std::uint64_t calls) {
  placed_.push_back({limit, place, &sum, ns, calls});
  of(limit) += ns;
}

void LimitLosses::add_time_in_calls() {
  const bool lacks_processors = oversubscribed();
  const Limit unexplained = lacks_processors ? Limit::processors : Limit::unknown;
  for (const auto& [place, sum] : calls_) {
    const double known = std::max(0.0, sum.ns() - sum.unknown_ns());
    const CallSum::Exceptional exceptional = sum.exceptional();
    const double usual = std::max(0.0, known - exceptional.ns);
    const Limit limit = limit_of(place, sum, usual, unexplained, in_.shares.present);
    const bool by_size = limit == Limit::transfer || limit == Limit::message_rate;
    const double explained =
        lacks_processors && by_size ? std::min(usual, sum.explained_ns()) : usual;
    place_loss(limit, place, sum, explained, sum.calls());
    place_loss(Limit::processors, place, sum, usual - explained, sum.calls());
    place_loss(by_size ? unexplained : limit, place, sum, known - usual, exceptional.calls);
    place_loss(Limit::unknown, place, sum, sum.unknown_ns(), sum.calls());
  }
}

void LimitLosses::sum_up_rest() {
  add_time_in_calls();
  of(Limit::processors) += static_cast<double>(in_.shares.sum_ns.no_processor);
  of(Limit::unknown) += static_cast<double>(in_.shares.sum_ns.outside);
  std::optional<std::int64_t> least;
  for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) {
    if (in_.trace.calls(r).empty()) continue;
    const std::int64_t blocked = in_.shares.ranks_ns[static_cast<std::size_t>(r)].blocked;
    least = std::min(least.value_or(blocked), blocked);
  }
  of(Limit::blocked) +=
      static_cast<double>(least.value_or(0)) * static_cast<double>(in_.shares.present);
}

/// Whether a rank's computation is meant for threads, and not only a library that it calls.
bool LimitLosses::is_hybrid(const RankThreads& rank) {
  constexpr double kParallel = 0.1;
  return static_cast<double>(rank.parallel_ns) >=
         kParallel * static_cast<double>(rank.serial_ns + rank.parallel_ns);
}

/// A thread's idle time as a part of its rank's time, so that all threads of a rank together count
/// as much as the rank.
void LimitLosses::add_threads() {
  if (in_.openmp == nullptr) return;
  for (const RankThreads& rank : in_.openmp->ranks) {
    if (rank.locations.empty()) continue;
    const auto threads = static_cast<double>(rank.locations.size());
    if (is_hybrid(rank)) {
      of(Limit::openmp_serial) += static_cast<double>(rank.time.serial_idle) / threads;
    }
    of(Limit::openmp_imbalance) += static_cast<double>(rank.time.imbalance) / threads;
    of(Limit::openmp_synchronisation) += static_cast<double>(rank.time.synchronisation) / threads;
  }
}

/// The CPU time of computation of each rank that meets others in the interval, until it does so for
/// the last time. What comes after that makes no rank wait.
std::vector<std::int64_t> LimitLosses::computed_before_meeting() const {
  const std::int64_t begin = run_span(in_.trace).whole.begin_ns + in_.shares.begin_ns;
  const TimeInterval interval{begin, begin + in_.shares.length_ns};
  std::vector<std::int64_t> computed;
  for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) {
    const RankCalls& calls = in_.trace.calls(r);
    const RankSpan span = rank_span(calls);
    for (std::size_t i = span.last_call; i-- > span.first_call;) {
      const bool inside =
          calls.begin_ns(i) <= interval.end_ns && calls.end_ns(i) >= interval.begin_ns;
      if (!inside || !in_.matching.completes_something(r, static_cast<CallIndex>(i))) continue;
      computed.push_back(
          measured_rank(calls, {interval.begin_ns, std::min(interval.end_ns, calls.begin_ns(i))})
              .compute);
      break;
    }
  }
  return computed;
}

/// Where ranks wait for processors, the measured waits do not show load imbalance; the CPU time
/// does: what the busiest rank computes more than the others counts as imbalance, and no longer as
/// lack of processors.
void LimitLosses::find_hidden_imbalance() {
  if (of(Limit::processors) < kManyWithoutProcessor * rank_time_ns()) return;
  const std::vector<std::int64_t> computed = computed_before_meeting();
  if (computed.empty()) return;
  const auto most = static_cast<double>(*std::ranges::max_element(computed));
  double excess = 0;
  for (const std::int64_t ns : computed) excess += most - static_cast<double>(ns);
  const double shown = of(Limit::imbalance) + of(Limit::serialisation);
  const double hidden = std::min(excess - shown, of(Limit::processors));
  if (hidden <= 0) return;
  hidden_imbalance_ns_ = hidden;
  of(Limit::imbalance) += hidden;
  of(Limit::processors) -= hidden;
}

}  // namespace slackline
