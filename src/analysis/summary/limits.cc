// What limits a run? The losses of rank time (limit_losses.h), by how much shorter the run would be
// without each (limit_gains.h), with the ranks that cause it, the code, the operation and the
// interval.

#include "analysis/summary/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analysis/summary/cause_places.h"
#include "analysis/summary/limit_gains.h"
#include "analysis/summary/limit_losses.h"
#include "base/arithmetic.h"
#include "base/sentences.h"
#include "base/units.h"
#include "calls/blocking_summary.h"
#include "calls/computation_code.h"
#include "calls/disturbance.h"

namespace slackline {
namespace {

constexpr double kLeastLoss = 0.05;         // of the run: gaining less does not limit it
constexpr double kLeastAlternative = 0.01;  // of the rank time, or of the run: less is not named
constexpr double kNearlyWhole = 0.95;       // of a loss: the rest need not be said

class LimitSearch {
 public:
  explicit LimitSearch(ScenarioRuns& runs)
      : runs_(runs),
        in_(runs.inputs()),
        own_(runs.own_frames()),
        losses_(runs.losses()),
        start_(run_span(in_.trace).whole.begin_ns),
        places_(in_, runs.gaps(), runs.balance(), own_) {}

  std::vector<LimitingCause> find() {
    if (rank_time() <= 0) return {};
    gains_ = limit_gains(runs_);
    classify_sole_work();
    losses_.add_waiting(gains_.waiting_ns);
    std::vector<LimitingCause> causes;
    for (std::size_t k = 1; k < kLimits; ++k) {
      const auto limit = static_cast<Limit>(k);
      const double share = losses_.ns(limit) / rank_time();
      const double gain = gains_.of[k] ? gains_.of[k]->share : 0;
      if (std::max(share, gain) >= kLeastAlternative) causes.push_back(cause(limit, share));
    }
    put_in_order(causes);
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

  /// Work that one rank does alone, but others do, too, at other times, is shared out badly, and
  /// not serial.
  void classify_sole_work() {
    if (!gains_.works_alone || in_.trace.call_tree().empty()) return;
    alone_ = places_.alone();
    if (alone_.outstanding(in_.shares.present).empty()) return;  // all do, in turn
    auto& serial = gains_.of[static_cast<std::size_t>(Limit::serialisation)];
    auto& imbalance = gains_.of[static_cast<std::size_t>(Limit::imbalance)];
    if (!serial || !imbalance || serial->share <= imbalance->share) return;
    if (!places_.others_do_it(alone_)) return;
    std::swap(serial, imbalance);
    std::swap(gains_.waiting_ns[static_cast<std::size_t>(Limit::serialisation)],
              gains_.waiting_ns[static_cast<std::size_t>(Limit::imbalance)]);
    sole_work_is_imbalance_ = true;
  }

  static double gain(const LimitingCause& c) { return c.gain ? c.gain->share : c.share; }
  static double certain_gain(const LimitingCause& c) { return c.gain ? c.gain->certain : c.share; }

  void put_in_order(std::vector<LimitingCause>& causes) const {
    std::ranges::stable_sort(causes, std::greater{}, gain);
    const auto most = std::ranges::max_element(causes, {}, certain_gain);
    std::rotate(causes.begin(), most, most == causes.end() ? most : most + 1);
    auto first = causes.begin();
    double run = 1;  // what is left of the run
    if (first != causes.end() && first->limit == Limit::processors &&
        certain_gain(*first) >= kLeastLoss) {
      run -= certain_gain(*first);
      ++first;
    }
    const bool small = first == causes.end() || gain(*first) < kLeastLoss * run ||
                       (first == causes.begin() && certain_gain(*first) < kLeastLoss);
    if (small) causes.insert(first, computation(first != causes.begin()));
  }

  LimitingCause cause(Limit limit, double share) {
    LimitingCause c{.limit = limit, .share = share, .interval = from_start(analysed())};
    c.gain = gains_.of[static_cast<std::size_t>(limit)];
    switch (limit) {
      case Limit::imbalance:
        describe_imbalance(c);
        break;
      case Limit::serialisation:
        describe_serialisation(c);
        break;
      case Limit::processors:
        describe_processors(c);
        break;
      case Limit::openmp_serial:
        describe_serial_part(c);
        break;
      case Limit::openmp_imbalance:
        describe_regions(&ThreadTime::imbalance, c);
        break;
      case Limit::openmp_synchronisation:
        describe_regions(&ThreadTime::synchronisation, c);
        break;
      default:
        describe_calls(c);
    }
    return c;
  }

  /// The ranks whose threads lose much more of that than the others'.
  std::vector<std::int32_t> ranks_of_threads(std::int64_t ThreadTime::*part) const {
    CausePlaces places;
    for (std::size_t r = 0; r < in_.openmp->ranks.size(); ++r) {
      const RankThreads& rank = in_.openmp->ranks[r];
      if (rank.locations.empty()) continue;
      const double ns =
          static_cast<double>(rank.time.*part) / static_cast<double>(rank.locations.size());
      places.add({analysed(), ns, static_cast<std::int32_t>(r)});
    }
    std::vector<std::int32_t> ranks = places.outstanding(in_.shares.present);
    return ranks.size() == places.by_rank.size() ? std::vector<std::int32_t>() : ranks;
  }

  void describe_regions(std::int64_t ThreadTime::*part, LimitingCause& c) const {
    c.ranks = ranks_of_threads(part);
    const auto& regions = in_.openmp->regions;
    const auto most = std::ranges::max_element(
        regions, {}, [&](const RegionUse& region) { return region.time.*part; });
    if (most == regions.end()) return;
    c.frame = most->frame;
    if (part == &ThreadTime::synchronisation) {
      c.evidence =
          fmt::format("{} of up to {}, mean {} of thread time each",
                      count_of(most->instances, "region"), count_of(most->most_threads, "thread"),
                      format_time_ns(ratio_of(static_cast<double>(most->time.synchronisation),
                                              static_cast<double>(most->instances))));
    } else if (most->late_location) {
      c.evidence = fmt::format("thread {} of up to {} works {:.2f} x the mean of the team",
                               *most->late_location, most->most_threads, most->late_work);
    } else {
      c.evidence = "threads work longest in turn";
    }
  }

  /// The code of the computation that is not called by OpenMP's runtime.
  void describe_serial_part(LimitingCause& c) const {
    c.ranks = ranks_of_threads(&ThreadTime::serial_idle);
    std::int64_t serial = 0;
    std::size_t threads = 0;
    for (const RankThreads& rank : in_.openmp->ranks) {
      serial += rank.serial_ns;
      threads = std::max(threads, rank.locations.size());
    }
    const CallTree& tree = in_.trace.call_tree();
    c.frame = most_computed(
        [&](std::int32_t, FrameId frame) -> double { return is_in_region(tree, frame) ? 0 : 1; });
    c.evidence = fmt::format(
        "{} of {} computation of the mean rank are outside of parallel regions, with up to {}",
        format_time_ns(mean_of_ranks(serial)),
        format_time_ns(mean_of_ranks(in_.shares.sum_ns.compute)), count_of(threads, "thread"));
  }

  double mean_of_ranks(std::int64_t ns) const {
    return ratio_of(static_cast<double>(ns), static_cast<double>(in_.shares.present));
  }

  /// Whether the code is called by OpenMP's runtime.
  static bool is_in_region(const CallTree& tree, FrameId frame) {
    for (; frame != 0; frame = tree.parent(frame)) {
      if (is_openmp_runtime(tree.location(frame).module)) return true;
    }
    return false;
  }

  TimeInterval from_start(const TimeInterval& t) const {
    return {t.begin_ns - start_, t.end_ns - start_};
  }

  void describe_imbalance(LimitingCause& c) const {
    if (sole_work_is_imbalance_) {
      describe_places(alone_, c);
    } else {
      describe_places(gains_.balance ? places_.excess(*gains_.balance) : places_.beside_waits(), c);
    }
    c.by_cpu_time = gains_.hides_imbalance && gains_.balance && !c.ranks.empty();
    if (c.by_cpu_time) return describe_cpu_time(c);
    c.evidence = fmt::format("{} of rank time is waiting for {}{}", format_percent(c.share),
                             c.ranks.empty() ? "ranks that are late in turn" : named_ranks(c.ranks),
                             between_polls(c));
  }

  void describe_serialisation(LimitingCause& c) const {
    const bool alone = gains_.works_alone && !sole_work_is_imbalance_;
    describe_places(alone ? places_.alone() : places_.beside_waits(), c);
    if (c.ranks.empty()) {
      // A rank that never came.
      std::map<std::int32_t, double> missing;
      for (const WaitState& w : in_.waits.states) {
        if (w.effective && w.cause_rank >= 0 && w.cause_call == kNoCall) {
          missing[w.cause_rank] += static_cast<double>(w.wait_ns);
        }
      }
      for (const auto& [rank, ns] : missing) c.ranks.push_back(rank);
    }
    c.evidence = fmt::format("{} of rank time is idle while {} {}{}", format_percent(c.share),
                             c.ranks.empty() ? "another rank" : named_ranks(c.ranks),
                             c.ranks.size() > 1 ? "work" : "works", between_polls(c));
  }

  static std::string between_polls(const LimitingCause& c) {
    if (c.between_polls < kShownPart) return "";
    return fmt::format(", and {} between polls", format_percent(c.between_polls));
  }

  void describe_places(const CausePlaces& places, LimitingCause& c) const {
    c.ranks = places.outstanding(in_.shares.present);
    c.late_start = 2 * places.late_start_ns > places.sum_ns;
    c.blocked = 2 * places.blocked_ns > places.sum_ns;
    c.frame = most_of_function(in_.trace.call_tree(), places.frames);
    c.between_polls = runs_.polled().sum_ns() / rank_time();
    c.interval = from_start(places.interval(analysed()));
    name_operation_of_waits(c);
  }

  /// Where ranks wait for others.
  void name_operation_of_waits(LimitingCause& c) const {
    std::map<Operation, double> sums;
    double all = 0;
    for (const WaitState& w : in_.waits.states) {
      if (!w.effective || w.cause_rank < 0 || w.cause_rank == w.rank) continue;
      sums[in_.trace.calls(w.rank).operation(w.call)] += static_cast<double>(w.wait_ns);
      all += static_cast<double>(w.wait_ns);
    }
    if (losses_.waiting_ns() > 2 * all) {
      c.operation = Operation::finalize;
      return;
    }
    const auto most = std::ranges::max_element(sums, {}, [](const auto& s) { return s.second; });
    if (most == sums.end()) return;
    c.operation = most->first;
    c.only_operation = most->second >= kNearlyWhole * all;
  }

  void describe_cpu_time(LimitingCause& c) const {
    const auto& ranks = in_.shares.ranks_ns;
    const auto most = std::ranges::max_element(ranks, {}, &RankTime::compute);
    c.evidence =
        fmt::format("CPU time of computation: {} on rank {}, {} on average",
                    format_time_ns(static_cast<double>(most->compute)), most - ranks.begin(),
                    format_time_ns(mean_of_ranks(in_.shares.sum_ns.compute)));
  }

  void describe_processors(LimitingCause& c) const {
    CausePlaces places;
    for (std::size_t r = 0; r < in_.shares.ranks_ns.size(); ++r) {
      places.add({analysed(), static_cast<double>(in_.shares.ranks_ns[r].no_processor),
                  static_cast<std::int32_t>(r)});
    }
    c.ranks = places.outstanding(in_.shares.present);
    c.doubts_others = gain(c) >= kManyWithoutProcessor || losses_.has_more_ranks();
    c.evidence = evidence_of_processors();
  }

  /// The parts of that loss, as shares of the rank time.
  std::string evidence_of_processors() const {
    double in_calls = 0;
    double explained = 0;
    for (const PlacedLoss& loss : losses_.placed()) {
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
    add(gains_.waiting_ns[static_cast<std::size_t>(Limit::processors)], "waiting for such ranks");
    add(in_calls, fmt::format("in MPI calls that take {:.0f} times as long as their sizes explain",
                              1 + ratio_of(in_calls, explained)));
    std::vector<std::string> clauses;
    if (!parts.empty()) clauses.push_back(enumeration(parts));
    const double hidden = -gains_.waiting_ns[static_cast<std::size_t>(Limit::processors)];
    if (!parts.empty() && hidden >= kLeastAlternative * rank_time()) {
      clauses.back() +=
          fmt::format(", less {} that is waiting without it", format_percent(hidden / rank_time()));
    }
    const double others = other_processes_share(in_.trace.info());
    if (others >= kLeastAlternative) {
      clauses.push_back(
          fmt::format("other processes used {} of the processors' time", format_percent(others)));
    }
    if (in_.shares.processor_share) {
      clauses.push_back(fmt::format("mean CPU utilisation {} at most",
                                    format_percent(*in_.shares.processor_share, 0)));
    }
    return fmt::format("{}", fmt::join(clauses, "; "));
  }

  FrameId code_of_blocking() const {
    std::map<FrameId, double> frames;
    for_gaps([&](std::int32_t rank, CallIndex call) {
      in_.code.split_blocked(
          rank, call, in_.trace.calls(rank).gap_ns(call),
          [&](FrameId frame, std::int64_t ns) { frames[own_[frame]] += static_cast<double>(ns); });
    });
    return most_of_function(in_.trace.call_tree(), frames);
  }

  /// The function in which ranks compute most; `weight`(rank, frame): of computation there.
  template <class Weight>
  FrameId most_computed(Weight weight) const {
    std::map<FrameId, double> frames;
    for_gaps([&](std::int32_t rank, CallIndex call) {
      in_.code.split(rank, call, in_.trace.calls(rank).useful_ns(call),
                     [&](FrameId frame, std::int64_t ns) {
                       const double counted = weight(rank, frame) * static_cast<double>(ns);
                       if (counted != 0) frames[own_[frame]] += counted;
                     });
    });
    return most_of_function(in_.trace.call_tree(), frames);
  }

  /// Calls visit(rank, call) for each gap (RankCalls::gap_ns()) that ends in the interval.
  template <class Visit>
  void for_gaps(Visit visit) const {
    const TimeInterval interval = analysed();
    for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) {
      const RankCalls& calls = in_.trace.calls(r);
      for (std::size_t i = calls.first_from(interval.begin_ns); i <= calls.size(); ++i) {
        if (calls.gap_end_ns(i) > interval.end_ns) break;
        visit(r, static_cast<CallIndex>(i));
      }
    }
  }

  /// The ranks that start after the interval begins, if most of what is outside is before that.
  bool describe_late_starts(LimitingCause& c) const {
    std::int64_t before = 0;
    std::int64_t latest = 0;
    for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) {
      const RankCalls& calls = in_.trace.calls(r);
      const std::int64_t late = calls.start_ns() - analysed().begin_ns;
      if (calls.empty() || late <= 0) continue;
      c.ranks.push_back(r);
      before += late;
      latest = std::max(latest, late);
    }
    if (2 * before < in_.shares.sum_ns.outside) {
      c.ranks.clear();
      return false;
    }
    c.evidence = fmt::format("{} started late, by {}{}", named_ranks(c.ranks),
                             c.ranks.size() > 1 ? "up to " : "",
                             format_time_ns(static_cast<double>(latest)));
    return true;
  }

  /// What is outside of the ranks' recordings, or in MPI_Init and MPI_Finalize.
  void describe_outside(LimitingCause& c) const {
    if (in_.shares.sum_ns.outside > 0 && describe_late_starts(c)) return;
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
    if (c.limit == Limit::unknown && 2 * outside >= losses_.ns(Limit::unknown)) {
      return describe_outside(c);
    }
    std::map<FrameId, double> frames;
    std::array<double, kOperationCount> operations{};
    for (const PlacedLoss& loss : losses_.placed()) {
      if (loss.limit != c.limit) continue;
      frames[loss.place.frame] += loss.ns;
      operations[static_cast<std::size_t>(loss.place.operation)] += loss.ns;
    }
    c.frame = most_of_function(in_.trace.call_tree(), frames);
    std::optional<Operation> only;
    // What many functions have little of each is named by the operation.
    if (const double all = c.share * rank_time();
        c.frame != 0 && 2 * of_function(c, frames) < all) {
      const auto most = std::ranges::max_element(operations);
      if (*most > of_function(c, frames)) {
        only = static_cast<Operation>(most - operations.begin());
        c.frame = 0;
      }
    }
    const PlacedLoss* most = nullptr;
    for (const PlacedLoss& loss : losses_.placed()) {
      if (loss.limit != c.limit || loss.ns <= 0 || (only && loss.place.operation != *only))
        continue;
      if (c.frame != 0 && !is_in_function(loss.place.frame, c.frame)) continue;
      if (most == nullptr || loss.ns > most->ns) most = &loss;
    }
    if (most == nullptr) {
      c.frame = code_of_blocking();
      std::vector<std::string> kinds;
      for (const BlockingShare& of :
           blocking_shares(in_.trace, static_cast<double>(in_.shares.sum_ns.blocked),
                           kLeastAlternative, &BlockingCalls::blocked_ns)) {
        kinds.push_back(of.share);
      }
      c.evidence = kinds.empty() ? "all ranks: asleep, in I/O or waiting for a device"
                                 : fmt::format("of this {}", enumeration(kinds));
      return;
    }
    c.operation = most->place.operation;
    c.evidence = evidence_of_calls(*most);
    const double of_operation = operations[static_cast<std::size_t>(c.operation)];
    c.only_operation = of_operation >= kNearlyWhole * c.share * rank_time();
    if (most->ns < kNearlyWhole * c.share * rank_time()) {
      c.evidence =
          fmt::format("largest part: {} in {}", format_percent(most->ns / rank_time()), c.evidence);
    }
  }

  bool is_in_function(FrameId frame, FrameId of) const {
    const CallTree& tree = in_.trace.call_tree();
    return frame != 0 && tree.location(frame).function == tree.location(of).function;
  }

  /// What of `frames` is in the function of a cause.
  double of_function(const LimitingCause& c, const std::map<FrameId, double>& frames) const {
    double sum = 0;
    for (const auto& [frame, ns] : frames) sum += is_in_function(frame, c.frame) ? ns : 0;
    return sum;
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

  LimitingCause computation(bool lacks_processors) const {
    LimitingCause c{.limit = Limit::computation, .interval = from_start(analysed())};
    c.share = static_cast<double>(in_.shares.sum_ns.compute) / rank_time();
    c.frame = most_computed([](std::int32_t, FrameId) { return 1; });
    c.evidence = lacks_processors ? "without any other loss the run would be less than 5 % shorter"
                                  : "without any loss the run would be less than 5 % shorter";
    return c;
  }

  static bool is_of_threads(Limit limit) {
    return limit == Limit::openmp_serial || limit == Limit::openmp_imbalance ||
           limit == Limit::openmp_synchronisation;
  }

  void rate(std::vector<LimitingCause>& causes) const {
    for (LimitingCause& c : causes) {
      const bool doubtful = c.limit == Limit::unknown || in_.waits.clipped > 0 ||
                            (is_of_threads(c.limit) && losses_.has_more_threads());
      if (doubtful || (gain(c) < kLeastLoss && c.limit != Limit::computation)) {
        c.confidence = Confidence::weak;
      } else {
        c.confidence = is_clear(c, causes) ? Confidence::certain : Confidence::likely;
      }
    }
  }

  /// Whether the error bars of all others lie below that of the first.
  static bool is_clear(const LimitingCause& c, const std::vector<LimitingCause>& causes) {
    if (&c != &causes.front() || !c.gain || c.gain->low < kLeastLoss) return false;
    return std::ranges::all_of(causes, [&](const LimitingCause& other) {
      return &other == &c || other.limit == Limit::computation ||
             (other.gain ? other.gain->high : other.share) < c.gain->low;
    });
  }

  ScenarioRuns& runs_;
  const LimitInputs& in_;
  const std::vector<FrameId>& own_;  // of every frame
  LimitLosses& losses_;
  std::int64_t start_;
  CauseFinder places_;
  LimitGains gains_;
  CausePlaces alone_;
  bool sole_work_is_imbalance_ = false;  // it is work that one rank does alone
};

}  // namespace

std::vector<LimitingCause> limiting_causes(ScenarioRuns& runs) {
  return LimitSearch(runs).find();
}

}  // namespace slackline
