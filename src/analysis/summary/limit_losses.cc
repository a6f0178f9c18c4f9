// The rank time of an interval is computation, time without a processor, time blocked outside of
// MPI, waiting and the rest of MPI (time_shares.h). Computation is no loss. What waiting is lost to
// follows from how much of it is left in runs without the other losses (limit_gains.h). Calls are
// lost to the bytes that they move, or if these are few, to the number of messages. Those that take
// far longer than that, and polls without success, are not explained by either; where ranks lack
// processors, such calls count as lack of processors, too.
//
// Being blocked outside of MPI costs the others waiting, which is counted; only what all ranks have
// of it is a loss of its own.

#include "analysis/summary/limit_losses.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/waits/wait_states.h"
#include "base/arithmetic.h"

namespace slackline {
namespace {

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
  if (!sum.is_small()) return Limit::transfer;
  const auto messages = static_cast<double>(std::max(sum.calls(), sum.messages()));
  if (usual_ns > kStalledMessage_ns * messages) return unexplained;
  return messages >= kManyMessages * static_cast<double>(ranks) ? Limit::message_rate
                                                                : Limit::transfer;
}

}  // namespace

LimitLosses::LimitLosses(const LimitInputs& inputs, const std::vector<FrameId>& own_frames)
    : in_(inputs), own_frames_(own_frames) {
  if (rank_time_ns() <= 0) return;
  sum_up_waits();
  sum_up_calls();
  sum_up_rest();
  add_threads();
}

double LimitLosses::rank_time_ns() const {
  return static_cast<double>(in_.shares.length_ns) * static_cast<double>(in_.shares.present);
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
  const CallIndex access = in_.matching.completed_file_access(rank, call);
  if (access != kNoCall) return {1, calls.bytes(access)};
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

void LimitLosses::sum_up_calls() {
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
      const CallIndex access = in_.matching.completed_file_access(r, call);
      const LossPlace place{calls.operation(access == kNoCall ? call : access),
                            own_frames_[calls.frame(call)]};
      calls_[place].sum.add(rest, volume_of(r, call), known ? 0 : rest);
    }
  }
}

void LimitLosses::sum_up_waits() {
  waits_.resize(static_cast<std::size_t>(in_.trace.ranks()));
  for (const WaitState& w : in_.waits.states) {
    const bool has_cause = w.cause_rank >= 0 && w.cause_rank != w.rank;
    if (!w.effective || !has_cause) continue;
    waits_[static_cast<std::size_t>(w.rank)].push_back({w.call, static_cast<double>(w.wait_ns)});
    // The rank that had not come when the recording ended: the others had nothing to do.
    if (w.cause_call == kNoCall) {
      of(Limit::serialisation) += static_cast<double>(w.wait_ns);
    } else {
      waiting_ns_ += static_cast<double>(w.wait_ns);
    }
  }
  for (auto& of_rank : waits_) std::ranges::stable_sort(of_rank, {}, &CallWait::call);
  waiting_in_finalize_ns_ = waiting_in_finalize();
  waiting_ns_ += waiting_in_finalize_ns_;
}

/// In the analysed interval, for ranks that enter it later: no wait states are defined there.
double LimitLosses::waiting_in_finalize() const {
  const std::int64_t begin = run_span(in_.trace).whole.begin_ns + in_.shares.begin_ns;
  const std::int64_t end = begin + in_.shares.length_ns;
  double sum = 0;
  std::int64_t last = end;
  std::vector<std::int64_t> entries;
  for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) {
    const RankCalls& calls = in_.trace.calls(r);
    const RankSpan span = rank_span(calls);
    if (calls.empty()) continue;
    if (span.last_call == calls.size()) return 0;  // it never came
    entries.push_back(calls.begin_ns(span.last_call));
  }
  if (!entries.empty()) last = std::min(end, *std::ranges::max_element(entries));
  for (const std::int64_t entry : entries) {
    sum += static_cast<double>(std::max<std::int64_t>(0, last - std::max(begin, entry)));
  }
  return sum;
}

void LimitLosses::add_waiting(const LimitParts& ns) {
  for (std::size_t k = 0; k < kLimits; ++k) losses_[k] = std::max(0.0, losses_[k] + ns[k]);
}

void LimitLosses::place_loss(Limit limit, const LossPlace& place, const CallSum& sum, double ns,
                             std::uint64_t calls) {
  placed_.push_back({limit, place, &sum, ns, calls});
  of(limit) += ns;
}

void LimitLosses::add_time_in_calls() {
  const bool lacks_processors = oversubscribed();
  const Limit unexplained = lacks_processors ? Limit::processors : Limit::unknown;
  for (auto& [place, calls] : calls_) {
    const CallSum& sum = calls.sum;
    // What a call takes at least hides no waiting.
    const double unknown =
        std::max(0.0, sum.unknown_ns() * (1 - ratio_of(sum.explained_ns(), sum.ns())));
    const double known = std::max(0.0, sum.ns() - unknown);
    const CallSum::Exceptional exceptional = sum.exceptional();
    const double usual = std::max(0.0, known - exceptional.ns);
    const Limit limit = limit_of(place, sum, usual, unexplained, in_.shares.present);
    const bool by_size = limit == Limit::transfer || limit == Limit::message_rate;
    const double explained =
        lacks_processors && by_size ? std::min(usual, sum.explained_ns()) : usual;
    const Limit of_exceptional = by_size ? unexplained : limit;
    place_loss(limit, place, sum, explained, sum.calls());
    place_loss(Limit::processors, place, sum, usual - explained, sum.calls());
    place_loss(of_exceptional, place, sum, known - usual, exceptional.calls);
    place_loss(unexplained, place, sum, unknown, sum.calls());

    const double of_usual = usual + unknown;
    const auto part = [&](Limit l) -> double& { return calls.usual[static_cast<std::size_t>(l)]; };
    part(limit) += ratio_of(explained, of_usual);
    part(Limit::processors) += ratio_of(usual - explained, of_usual);
    part(unexplained) += ratio_of(unknown, of_usual);
    calls.exceptional[static_cast<std::size_t>(of_exceptional)] = 1;
    calls.has_exceptional = exceptional.calls > 0;
  }
}

const LimitParts& LimitLosses::parts_of(std::int32_t rank, CallIndex call, double ns) const {
  static constexpr LimitParts kNone{};
  const RankCalls& calls = in_.trace.calls(rank);
  const auto found = calls_.find({calls.operation(call), own_frames_[calls.frame(call)]});
  if (found == calls_.end()) return kNone;
  const CallsOfPlace& of_place = found->second;
  const bool exceptional =
      of_place.has_exceptional && of_place.sum.is_exceptional(ns, volume_of(rank, call));
  return exceptional ? of_place.exceptional : of_place.usual;
}

double LimitLosses::common_blocked(std::int32_t rank) const {
  const std::int64_t own = in_.shares.ranks_ns[static_cast<std::size_t>(rank)].blocked;
  return ratio_of(static_cast<double>(least_blocked_ns_), static_cast<double>(own));
}

void LimitLosses::sum_up_rest() {
  add_time_in_calls();
  of(Limit::processors) += static_cast<double>(in_.shares.sum_ns.no_processor);
  of(Limit::unknown) +=
      std::max(0.0, static_cast<double>(in_.shares.sum_ns.outside) - waiting_in_finalize_ns_);
  std::optional<std::int64_t> least;
  for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) {
    if (in_.trace.calls(r).empty()) continue;
    const std::int64_t blocked = in_.shares.ranks_ns[static_cast<std::size_t>(r)].blocked;
    least = std::min(least.value_or(blocked), blocked);
  }
  least_blocked_ns_ = least.value_or(0);
  of(Limit::blocked) +=
      static_cast<double>(least_blocked_ns_) * static_cast<double>(in_.shares.present);
}

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

}  // namespace slackline
