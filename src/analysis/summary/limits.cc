// What limits a run?
//
// The rank time of an interval is computation, time without a processor, time blocked outside of
// MPI, waiting and the rest of MPI (time_shares.h). Computation is no loss. Waiting is lost to what
// made the rank waited for late: the delay costs say how much of it that rank did more while the
// other one worked too (imbalance), while the other one was idle (serialisation), while
// others had its processor (processors), or in calls of MPI. Those calls, and the rest of MPI, are
// lost to the bytes that they move, or if these are few, to their number. What takes far longer
// than that is not explained by either: where ranks lack processors they are what is missing in
// MPI, too.
//
// Being blocked outside of MPI costs the others waiting, which is counted; only what all ranks have
// of it is a loss of its own.

#include "analysis/summary/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "analysis/summary/call_sum.h"
#include "analysis/waits/known_waits.h"
#include "analysis/waits/sampled_causes.h"
#include "base/ratio.h"
#include "base/sentences.h"
#include "base/units.h"
#include "calls/code_places.h"

namespace slackline {
namespace {

constexpr double kLeastLoss = 0.05;            // of the rank time: less does not limit a run
constexpr double kLeastAlternative = 0.01;     // of the rank time: less is not named at all
constexpr double kSmallMessage = 4096;         // bytes; below, their number costs, not their size
constexpr double kStalledMessage_ns = 50'000;  // a small one that takes longer does not explain it
constexpr double kOversubscribed = 0.1;        // of the time outside of MPI without a processor
constexpr double kActiveWaiting = 0.8;  // that ranks have at least, as MPI libraries wait actively
constexpr double kOutstandingRank = 1.4;  // times the even share of a rank
constexpr double kMostOfLoss = 0.6;       // enough, whatever the even share
constexpr double kLeastOfRank = 0.1;
constexpr double kPartOfLoss = 0.9;    // lies in the interval of a cause
constexpr double kNearlyAll = 0.8;     // of the analysed interval: a longer one is all of it
constexpr double kNearlyWhole = 0.95;  // of a loss: the rest need not be said
constexpr double kWorthAsking = 1e-4;  // of a loss: smaller delays are not looked up in the code

constexpr std::uint64_t kPolls = 10;   // for each message: more find nothing
constexpr double kManyMessages = 100;  // of a rank: fewer small ones are no message rate

using LimitLosses = std::array<double, kLimits>;

double& of(LimitLosses& losses, Limit limit) {
  return losses[static_cast<std::size_t>(limit)];
}

/// What a call waits for late ranks.
struct CallWait {
  CallIndex call;
  double ns;
};

struct Place {
  Operation operation;
  FrameId frame;
  auto operator<=>(const Place&) const = default;
};

/// The limit that a part of a run's time counts for, and where it was.
struct PlacedLoss {
  Limit limit;
  Place place;
  const CallSum* sum;
  double ns;
  std::uint64_t calls;  // of the sum that are counted
};

class LimitSearch {
 public:
  explicit LimitSearch(const LimitInputs& in)
      : in_(in),
        own_(own_frames(in.trace.call_tree())),
        start_(run_span(in.trace).whole.begin_ns) {}

  std::vector<LimitingCause> find() {
    if (rank_time() <= 0) return {};
    sum_up_waits();
    sum_up_calls();
    sum_up_rest();
    find_hidden_imbalance();
    std::vector<LimitingCause> causes;
    for (std::size_t k = 1; k < kLimits; ++k) {
      const double share = losses_[k] / rank_time();
      if (share >= kLeastAlternative) causes.push_back(cause(static_cast<Limit>(k), share));
    }
    std::ranges::stable_sort(causes, std::greater{}, &LimitingCause::share);
    place_processors(causes);
    rate(causes);
    return causes;
  }

 private:
  double rank_time() const {
    return static_cast<double>(in_.shares.length_ns) * static_cast<double>(in_.shares.present);
  }
  TimeInterval analysed() const {
    return {start_ + in_.shares.begin_ns, start_ + in_.shares.begin_ns + in_.shares.length_ns};
  }
  Place place_of(std::int32_t rank, CallIndex call) const {
    const RankCalls& calls = in_.trace.calls(rank);
    return {calls.operation(call), own_[calls.frame(call)]};
  }

  /// What the call moves: what it completes, where it starts nothing itself.
  CallVolume volume_of(std::int32_t rank, CallIndex call) const {
    using Kind = CallMatching::Completion::Kind;
    const RankCalls& calls = in_.trace.calls(rank);
    if (calls.has(call, SLK_FLAG_FAILED)) return {};  // a poll that found nothing
    if (operation_class(calls.operation(call)) != OperationClass::completion) {
      return {1, calls.bytes(call)};
    }
    CallVolume volume;
    in_.matching.for_completions(rank, call, [&](const CallMatching::Completion& c) {
      ++volume.messages;
      if (c.kind == Kind::collective) return;
      const MessageCalls& m = in_.matching.message(c.id);
      if (m.matched()) volume.bytes += in_.trace.calls(m.source).bytes(m.send);
    });
    return volume;
  }

  void sum_up_calls() {
    const TimeInterval interval = analysed();
    for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) {
      const RankCalls& calls = in_.trace.calls(r);
      const RankSpan span = rank_span(calls);
      const std::vector<CallWait>& own_waits = waits_[static_cast<std::size_t>(r)];
      std::size_t wait = 0;
      for (std::size_t i = span.first_call; i < span.last_call; ++i) {
        const std::int64_t ns = std::min(interval.end_ns, calls.end_ns(i)) -
                                std::max(interval.begin_ns, calls.begin_ns(i));
        if (ns < 0) continue;
        const auto call = static_cast<CallIndex>(i);
        double rest = static_cast<double>(ns);
        for (; wait < own_waits.size() && own_waits[wait].call <= call; ++wait) {
          if (own_waits[wait].call == call) rest = std::max(0.0, rest - own_waits[wait].ns);
        }
        const bool known = waiting_is_known(in_.trace, in_.matching, r, call);
        calls_[place_of(r, call)].add(rest, volume_of(r, call), known ? 0 : rest);
      }
    }
  }

  /// Waiting by its reason: that for communication, and completions, stay with their calls.
  void sum_up_waits() {
    waits_.resize(static_cast<std::size_t>(in_.trace.ranks()));
    constexpr auto kCommunication = static_cast<std::size_t>(DelayReason::communication);
    for (std::size_t i = 0; i < in_.waits.states.size(); ++i) {
      const WaitState& w = in_.waits.states[i];
      const auto& by_reason = in_.delays.origins[i].by_reason;
      const bool has_cause = w.cause_rank >= 0 && w.cause_rank != w.rank;
      if (!w.effective || !has_cause) continue;
      const double late = static_cast<double>(w.wait_ns) - by_reason[kCommunication];
      waits_[static_cast<std::size_t>(w.rank)].push_back({w.call, late});
      of(losses_, Limit::imbalance) += by_reason[static_cast<std::size_t>(DelayReason::imbalance)];
      of(losses_, Limit::serialisation) +=
          by_reason[static_cast<std::size_t>(DelayReason::serialisation)];
      processors_waiting_ns_ += by_reason[static_cast<std::size_t>(DelayReason::no_processor)];
    }
    of(losses_, Limit::processors) += processors_waiting_ns_;
    for (auto& of_rank : waits_) std::ranges::stable_sort(of_rank, {}, &CallWait::call);
  }

  /// More ranks than processors, as the recording says.
  bool has_more_ranks() const {
    const auto& findings = in_.trace.findings().entries();
    return std::ranges::find(findings, "oversubscribed", &Findings::Entry::name) != findings.end();
  }

  bool oversubscribed() const {
    if (has_more_ranks()) return true;
    if (in_.shares.processor_share.value_or(1) < kActiveWaiting) return true;
    const RankTime& t = in_.shares.sum_ns;
    return static_cast<double>(t.no_processor) >
           kOversubscribed * static_cast<double>(t.compute + t.no_processor);
  }

  /// What calls lose that take `usual_ns` together, none of them far longer than the others.
  Limit limit_of(const Place& place, const CallSum& sum, double usual_ns, Limit unexplained) const {
    const OperationClass kind = operation_class(place.operation);
    if (kind == OperationClass::io) return Limit::io;
    if (kind == OperationClass::comm_create || kind == OperationClass::environment) {
      return Limit::unknown;
    }
    // Who polls without finding anything waits, for nobody knows whom.
    if (sum.calls() > kPolls * sum.messages()) return Limit::unknown;
    // A call costs something without a message, too.
    const auto messages = static_cast<double>(std::max(sum.calls(), sum.messages()));
    if (static_cast<double>(sum.bytes()) >= kSmallMessage * messages) return Limit::transfer;
    if (usual_ns > kStalledMessage_ns * messages) return unexplained;
    return messages >= kManyMessages * static_cast<double>(in_.shares.present) ? Limit::message_rate
                                                                               : Limit::transfer;
  }

  void place_loss(Limit limit, const Place& place, const CallSum& sum, double ns,
                  std::uint64_t calls) {
    placed_.push_back({limit, place, &sum, ns, calls});
    of(losses_, limit) += ns;
  }

  void sum_up_rest() {
    const bool lacks_processors = oversubscribed();
    const Limit unexplained = lacks_processors ? Limit::processors : Limit::unknown;
    for (const auto& [place, sum] : calls_) {
      const double known = std::max(0.0, sum.ns() - sum.unknown_ns());
      const CallSum::Exceptional exceptional = sum.exceptional();
      const double usual = std::max(0.0, known - exceptional.ns);
      const Limit limit = limit_of(place, sum, usual, unexplained);
      const bool by_size = limit == Limit::transfer || limit == Limit::message_rate;
      const double explained =
          lacks_processors && by_size ? std::min(usual, sum.explained_ns()) : usual;
      place_loss(limit, place, sum, explained, sum.calls());
      place_loss(Limit::processors, place, sum, usual - explained, sum.calls());
      place_loss(by_size ? unexplained : limit, place, sum, known - usual, exceptional.calls);
      place_loss(Limit::unknown, place, sum, sum.unknown_ns(), sum.calls());
    }
    of(losses_, Limit::processors) += static_cast<double>(in_.shares.sum_ns.no_processor);
    of(losses_, Limit::unknown) += static_cast<double>(in_.shares.sum_ns.outside);
    std::optional<std::int64_t> least;
    for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) {
      if (in_.trace.calls(r).empty()) continue;
      const std::int64_t blocked = in_.shares.ranks_ns[static_cast<std::size_t>(r)].blocked;
      least = std::min(least.value_or(blocked), blocked);
    }
    of(losses_, Limit::io) +=
        static_cast<double>(least.value_or(0)) * static_cast<double>(in_.shares.present);
  }

  /// Ranks that wait for a processor do not show for whom they would wait otherwise: what one
  /// computes more than the others shows in CPU time, and counts for imbalance.
  void find_hidden_imbalance() {
    if (of(losses_, Limit::processors) < kProcessorsFirst * rank_time()) return;
    double excess = 0;
    const double most = static_cast<double>(busiest()->compute);
    for (std::size_t r = 0; r < in_.shares.ranks_ns.size(); ++r) {
      if (in_.trace.calls(static_cast<std::int32_t>(r)).empty()) continue;
      excess += most - static_cast<double>(in_.shares.ranks_ns[r].compute);
    }
    const double shown = of(losses_, Limit::imbalance) + of(losses_, Limit::serialisation);
    const double hidden = std::min(excess - shown, of(losses_, Limit::processors));
    if (hidden <= 0) return;
    shows_in_cpu_time_ = hidden > of(losses_, Limit::imbalance);
    of(losses_, Limit::imbalance) += hidden;
    of(losses_, Limit::processors) -= hidden;
  }

  std::vector<RankTime>::const_iterator busiest() const {
    return std::ranges::max_element(in_.shares.ranks_ns, {}, &RankTime::compute);
  }

  /// Where ranks lack processors, everything else is uncertain, and they come first. Where other
  /// processes took a little of their time, they are never first.
  void place_processors(std::vector<LimitingCause>& causes) const {
    const auto found = std::ranges::find(causes, Limit::processors, &LimitingCause::limit);
    const bool known = found != causes.end();
    if (known && (found->share >= kProcessorsFirst || has_more_ranks())) {
      std::rotate(causes.begin(), found, found + 1);
      return;
    }
    if (known && found == causes.begin() && causes.size() > 1) std::iter_swap(found, found + 1);
    if (causes.empty() || causes.front().limit == Limit::processors ||
        causes.front().share < kLeastLoss) {
      causes.insert(causes.begin(), computation());
    }
  }

  LimitingCause cause(Limit limit, double share) {
    LimitingCause c{.limit = limit, .share = share, .interval = from_start(analysed())};
    switch (limit) {
      case Limit::imbalance:
        if (shows_in_cpu_time_) {
          describe_cpu_time(c);
        } else {
          describe_delays(DelayReason::imbalance, c);
        }
        break;
      case Limit::serialisation:
        describe_delays(DelayReason::serialisation, c);
        break;
      case Limit::processors:
        describe_processors(c);
        break;
      default:
        describe_calls(c);
    }
    return c;
  }

  TimeInterval from_start(const TimeInterval& t) const {
    return {t.begin_ns - start_, t.end_ns - start_};
  }

  void describe_delays(DelayReason reason, LimitingCause& c) {
    const auto k = static_cast<std::size_t>(reason);
    std::map<std::int32_t, double> by_rank;
    double sum = 0;
    for (const DelayCost& cost : in_.delays.costs) {
      by_rank[cost.rank] += cost.by_reason[k];
      sum += cost.by_reason[k];
    }
    c.ranks = outstanding(by_rank, sum);
    c.frame = code_of_delays(k, sum, c.ranks);
    c.operation = operation_of_waits(k, c.ranks);
    c.interval = interval_of_waits(k, c.ranks);
    c.evidence =
        fmt::format("delay costs: {} of rank time is waiting for {}", format_percent(c.share),
                    c.ranks.empty() ? "ranks that are late in turn" : named_ranks(c.ranks));
  }

  /// Ranks that cause much more than their even share, most first.
  std::vector<std::int32_t> outstanding(const std::map<std::int32_t, double>& by_rank,
                                        double sum) const {
    std::vector<std::pair<double, std::int32_t>> order;
    for (const auto& [rank, ns] : by_rank) order.emplace_back(-ns, rank);
    std::ranges::sort(order);
    const double even = ratio_of(1, static_cast<double>(in_.shares.present));
    const double least = std::max(kLeastOfRank, std::min(kMostOfLoss, kOutstandingRank * even));
    std::vector<std::int32_t> ranks;
    for (const auto& [negative, rank] : order) {
      if (sum > 0 && -negative >= least * sum) ranks.push_back(rank);
    }
    return ranks;
  }

  static bool counts(const std::vector<std::int32_t>& ranks, std::int32_t rank) {
    return ranks.empty() || std::ranges::find(ranks, rank) != ranks.end();
  }

  /// The function in which the late ranks do what the others wait for.
  FrameId code_of_delays(std::size_t reason, double sum,
                         const std::vector<std::int32_t>& ranks) const {
    std::vector<std::pair<std::int32_t, ActivityId>> asked;
    std::map<std::pair<std::int32_t, ActivityId>, double> weights;
    for (const DelayCost& cost : in_.delays.costs) {
      if (cost.operation != Operation::none || !counts(ranks, cost.rank) ||
          cost.by_reason[reason] < kWorthAsking * sum) {
        continue;
      }
      asked.emplace_back(cost.rank, cost.activity);
      weights[asked.back()] = cost.by_reason[reason];
    }
    if (asked.empty() || in_.trace.call_tree().empty()) return 0;
    std::map<FrameId, double> frames;
    const bool in_turn = reason == static_cast<std::size_t>(DelayReason::serialisation);
    const auto which = in_turn ? CauseFunction::longest : CauseFunction::excess;
    for (const auto& [cause, found] :
         sampled_causes(in_.trace, in_.names, in_.code, asked, which)) {
      frames[found.frame] += weights[cause] * found.share;
    }
    return most_of_function(frames);
  }

  /// The frame with the most, of the function that has the most.
  FrameId most_of_function(const std::map<FrameId, double>& frames) const {
    const CallTree& tree = in_.trace.call_tree();
    std::map<std::pair<std::string, std::string>, double> functions;
    const auto function_of = [&](FrameId frame) {
      return std::pair(tree.location(frame).function, tree.location(frame).file);
    };
    for (const auto& [frame, weight] : frames) {
      if (frame != 0) functions[function_of(frame)] += weight;
    }
    if (functions.empty()) return 0;
    const auto most =
        std::ranges::max_element(functions, {}, [](const auto& f) { return f.second; });
    FrameId best = 0;
    double most_weight = -1;
    for (const auto& [frame, weight] : frames) {
      if (frame == 0 || weight <= most_weight || function_of(frame) != most->first) continue;
      best = frame;
      most_weight = weight;
    }
    return best;
  }

  Operation operation_of_waits(std::size_t reason, const std::vector<std::int32_t>& ranks) const {
    std::map<Operation, double> sums;
    for_charges(reason, ranks, [&](const WaitState& w, double ns) {
      sums[in_.trace.calls(w.rank).operation(w.call)] += ns;
    });
    const auto most = std::ranges::max_element(sums, {}, [](const auto& s) { return s.second; });
    return most == sums.end() ? Operation::none : most->first;
  }

  template <class Visit>
  void for_charges(std::size_t reason, const std::vector<std::int32_t>& ranks, Visit visit) const {
    for (std::size_t i = 0; i < in_.waits.states.size(); ++i) {
      const WaitState& w = in_.waits.states[i];
      const double ns = in_.delays.origins[i].by_reason[reason];
      if (ns > 0 && counts(ranks, w.cause_rank)) visit(w, ns);
    }
  }

  /// The shortest interval with most of the loss; all of the analysed one if it is not much
  /// shorter.
  TimeInterval interval_of_waits(std::size_t reason, const std::vector<std::int32_t>& ranks) const {
    struct Charge {
      std::int64_t begin_ns, end_ns;
      double ns;
    };
    std::vector<Charge> charges;
    double sum = 0;
    for_charges(reason, ranks, [&](const WaitState& w, double ns) {
      const std::int64_t begin = in_.trace.calls(w.rank).begin_ns(w.call);
      charges.push_back({std::max(begin, analysed().begin_ns),
                         std::min(begin + w.wait_ns, analysed().end_ns), ns});
      sum += ns;
    });
    std::ranges::sort(charges, {}, &Charge::begin_ns);
    TimeInterval shortest = analysed();
    double inside = 0;
    std::size_t first = 0;
    for (const Charge& last : charges) {
      inside += last.ns;
      while (inside - charges[first].ns >= kPartOfLoss * sum) inside -= charges[first++].ns;
      const TimeInterval found{charges[first].begin_ns, last.end_ns};
      if (inside >= kPartOfLoss * sum && found.length_ns() < shortest.length_ns()) shortest = found;
    }
    const bool whole = static_cast<double>(shortest.length_ns()) >
                       kNearlyAll * static_cast<double>(analysed().length_ns());
    return from_start(whole ? analysed() : shortest);
  }

  void describe_cpu_time(LimitingCause& c) const {
    const auto most = busiest();
    const auto rank = static_cast<std::int32_t>(most - in_.shares.ranks_ns.begin());
    const double mean = ratio_of(static_cast<double>(in_.shares.sum_ns.compute),
                                 static_cast<double>(in_.shares.present));
    c.ranks = {rank};
    std::map<FrameId, double> excess;
    for_gaps([&](std::int32_t r, CallIndex call) {
      const double weight = (r == rank ? 1 : 0) - 1 / static_cast<double>(in_.shares.present);
      in_.code.split(r, call, in_.trace.calls(r).useful_ns(call),
                     [&](FrameId frame, std::int64_t ns) {
                       excess[own_[frame]] += weight * static_cast<double>(ns);
                     });
    });
    c.frame = most_of_function(excess);
    c.evidence =
        fmt::format("CPU time of computation: {} on rank {}, {} on average",
                    format_time_ns(static_cast<double>(most->compute)), rank, format_time_ns(mean));
  }

  void describe_processors(LimitingCause& c) {
    std::map<std::int32_t, double> by_rank;
    double sum = 0;
    for (std::size_t r = 0; r < in_.shares.ranks_ns.size(); ++r) {
      const auto ns = static_cast<double>(in_.shares.ranks_ns[r].no_processor);
      by_rank[static_cast<std::int32_t>(r)] = ns;
      sum += ns;
    }
    c.ranks = outstanding(by_rank, sum);
    c.evidence = evidence_of_processors();
  }

  /// The parts of that loss, as shares of the rank time.
  std::string evidence_of_processors() const {
    double in_calls = 0;
    double explained = 0;
    for (const PlacedLoss& loss : placed_) {
      if (loss.limit != Limit::processors || loss.ns <= 0) continue;
      in_calls += loss.ns;
      explained += loss.sum->explained_ns();
    }
    std::vector<std::string> parts;
    const auto add = [&](double ns, const std::string& what) {
      if (ns >= kLeastAlternative * rank_time()) {
        parts.push_back(format_percent(ns / rank_time()) + " " + what);
      }
    };
    add(static_cast<double>(in_.shares.sum_ns.no_processor), "outside MPI");
    add(processors_waiting_ns_, "waiting for such ranks");
    add(in_calls, fmt::format("in MPI calls that take {:.0f} times as long as their sizes explain",
                              1 + ratio_of(in_calls, explained)));
    std::string text = enumeration(parts);
    if (in_.shares.processor_share) {
      text += fmt::format("; mean CPU utilisation {} at most",
                          format_percent(*in_.shares.processor_share, 0));
    }
    return text;
  }

  FrameId code_of_blocking() const {
    std::map<FrameId, double> frames;
    for_gaps([&](std::int32_t rank, CallIndex call) {
      in_.code.split_blocked(
          rank, call, in_.trace.calls(rank).gap_ns(call),
          [&](FrameId frame, std::int64_t ns) { frames[own_[frame]] += static_cast<double>(ns); });
    });
    return most_of_function(frames);
  }

  /// Calls visit(rank, call) for the computation before each call that begins in the interval.
  template <class Visit>
  void for_gaps(Visit visit) const {
    const TimeInterval interval = analysed();
    for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) {
      const RankCalls& calls = in_.trace.calls(r);
      for (std::size_t i = calls.first_from(interval.begin_ns); i < calls.size(); ++i) {
        if (calls.begin_ns(i) > interval.end_ns) break;
        visit(r, static_cast<CallIndex>(i));
      }
    }
  }

  /// What is outside of the ranks' recordings, or in MPI_Init and MPI_Finalize.
  void describe_outside(LimitingCause& c) const {
    std::vector<std::string> ends;
    for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) {
      const RankCalls& calls = in_.trace.calls(r);
      const RankSpan span = rank_span(calls);
      if (calls.empty() || span.last_call < calls.size()) continue;  // it reached MPI_Finalize
      if (span.analysed.end_ns >= analysed().end_ns) continue;
      c.ranks.push_back(r);
      ends.push_back(format_time_ns(static_cast<double>(span.analysed.end_ns - start_)));
    }
    if (ends.empty()) {
      c.evidence = "in MPI_Init or MPI_Finalize";
      return;
    }
    constexpr std::size_t kMostEnds = 3;
    const bool all = ends.size() <= kMostEnds;
    ends.resize(std::min(ends.size(), kMostEnds));
    c.evidence = fmt::format("the recording of {} ends at {}{}, before that of the others",
                             named_ranks(c.ranks), fmt::join(ends, ", "), all ? "" : " and so on");
  }

  /// The function whose calls lose the most to the limit, and the operation that does in it.
  void describe_calls(LimitingCause& c) {
    const auto outside = static_cast<double>(in_.shares.sum_ns.outside);
    if (c.limit == Limit::unknown && 2 * outside >= of(losses_, Limit::unknown)) {
      return describe_outside(c);
    }
    std::map<FrameId, double> frames;
    for (const PlacedLoss& loss : placed_) {
      if (loss.limit == c.limit) frames[loss.place.frame] += loss.ns;
    }
    c.frame = most_of_function(frames);
    const CallTree& tree = in_.trace.call_tree();
    const PlacedLoss* most = nullptr;
    for (const PlacedLoss& loss : placed_) {
      if (loss.limit != c.limit || loss.ns <= 0) continue;
      if (c.frame != 0 && (loss.place.frame == 0 || tree.location(loss.place.frame).function !=
                                                        tree.location(c.frame).function)) {
        continue;
      }
      if (most == nullptr || loss.ns > most->ns) most = &loss;
    }
    if (most == nullptr) {
      c.frame = code_of_blocking();
      c.evidence = "all ranks are blocked outside MPI";
      return;
    }
    c.operation = most->place.operation;
    c.evidence = evidence_of_calls(*most);
    if (most->ns < kNearlyWhole * c.share * rank_time()) {
      c.evidence =
          fmt::format("largest part: {} in {}", format_percent(most->ns / rank_time()), c.evidence);
    }
  }

  static std::string evidence_of_calls(const PlacedLoss& loss) {
    const std::string operation{mpi_name(loss.place.operation)};
    const std::string mean =
        format_time_ns(loss.ns / static_cast<double>(std::max<std::uint64_t>(1, loss.calls)));
    if (loss.calls < loss.sum->calls()) {
      return fmt::format("{} of {} of {} far longer than the others, mean {}",
                         format_count(loss.calls), count_of(loss.sum->calls(), "call"), operation,
                         mean);
    }
    const std::uint64_t messages = loss.sum->messages();
    const double size =
        ratio_of(static_cast<double>(loss.sum->bytes()), static_cast<double>(messages));
    const std::string several =
        messages != loss.sum->calls() ? fmt::format(" for {}", count_of(messages, "message")) : "";
    return fmt::format("{} of {}{}, mean size {}, mean {} per call",
                       count_of(loss.sum->calls(), "call"), operation, several, format_bytes(size),
                       mean);
  }

  LimitingCause computation() const {
    LimitingCause c{.limit = Limit::computation, .interval = from_start(analysed())};
    c.share = static_cast<double>(in_.shares.sum_ns.compute) / rank_time();
    std::map<FrameId, double> frames;
    for_gaps([&](std::int32_t rank, CallIndex call) {
      in_.code.split(
          rank, call, in_.trace.calls(rank).useful_ns(call),
          [&](FrameId frame, std::int64_t ns) { frames[own_[frame]] += static_cast<double>(ns); });
    });
    c.frame = most_of_function(frames);
    c.evidence = "no loss exceeds 5 % of rank time";
    return c;
  }

  void rate(std::vector<LimitingCause>& causes) const {
    for (std::size_t i = 0; i < causes.size(); ++i) {
      const double next = i + 1 < causes.size() ? causes[i + 1].share : 0;
      LimitingCause& c = causes[i];
      const bool doubtful = c.limit == Limit::unknown || in_.waits.clipped > 0;
      const bool clear = c.share >= 2 * kLeastLoss && c.share >= 1.5 * next && i == 0;
      c.confidence = doubtful || (c.share < kLeastLoss && c.limit != Limit::computation)
                         ? Confidence::weak
                     : clear ? Confidence::certain
                             : Confidence::likely;
    }
  }

  const LimitInputs& in_;
  std::vector<FrameId> own_;  // of every frame
  std::int64_t start_;
  std::vector<std::vector<CallWait>> waits_;  // of each rank
  std::map<Place, CallSum> calls_;
  std::vector<PlacedLoss> placed_;
  LimitLosses losses_{};
  double processors_waiting_ns_ = 0;  // for ranks that had none
  bool shows_in_cpu_time_ = false;    // most of the imbalance
};

}  // namespace

std::vector<LimitingCause> limiting_causes(const LimitInputs& inputs) {
  return LimitSearch(inputs).find();
}

}  // namespace slackline
