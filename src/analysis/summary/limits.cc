// What limits a run? The losses of rank time (limit_losses.h), largest first, each with the ranks
// that cause it, the code, the operation and the interval.

#include "analysis/summary/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "analysis/summary/limit_losses.h"
#include "analysis/waits/sampled_causes.h"
#include "base/arithmetic.h"
#include "base/sentences.h"
#include "base/units.h"
#include "calls/computation_code.h"
#include "calls/disturbance.h"

namespace slackline {
namespace {

constexpr double kLeastLoss = 0.05;         // of the rank time: less does not limit a run
constexpr double kLeastAlternative = 0.01;  // of the rank time: less is not named at all
constexpr double kOutstandingRank = 1.4;    // times the even share of a rank
constexpr double kMostOfLoss = 0.6;         // enough, whatever the even share
constexpr double kLeastOfRank = 0.1;
constexpr double kPartOfLoss = 0.9;    // lies in the interval of a cause
constexpr double kNearlyAll = 0.8;     // of the analysed interval: a longer one is all of it
constexpr double kNearlyWhole = 0.95;  // of a loss: the rest need not be said
constexpr double kWorthAsking = 1e-4;  // of a loss: smaller delays are not looked up in the code

class LimitSearch {
 public:
  explicit LimitSearch(const LimitInputs& in)
      : in_(in),
        own_(own_frames(in.trace.call_tree())),
        losses_(in, own_),
        start_(run_span(in.trace).whole.begin_ns) {}

  std::vector<LimitingCause> find() {
    if (rank_time() <= 0) return {};
    std::vector<LimitingCause> causes;
    for (std::size_t k = 1; k < kLimits; ++k) {
      const auto limit = static_cast<Limit>(k);
      const double share = losses_.ns(limit) / rank_time();
      if (share >= kLeastAlternative) causes.push_back(cause(limit, share));
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

  /// Where other processes took a little of the ranks' time, the other figures hold.
  bool doubts_others(double processors_share) const {
    return processors_share >= kManyWithoutProcessor || losses_.has_more_ranks() ||
           losses_.hidden_imbalance_ns() > 0;
  }

  /// Lack of processors is never first where the other figures hold; computation stands before
  /// losses that are all small, and after lack of processors alone.
  void place_processors(std::vector<LimitingCause>& causes) const {
    const auto found = std::ranges::find(causes, Limit::processors, &LimitingCause::limit);
    const bool known = found != causes.end();
    const bool large = known && found->share >= kLeastLoss;
    auto first = causes.begin();
    if (known && found == first) {
      if (found->doubts_others && large) {
        ++first;
      } else if (!found->doubts_others && causes.size() > 1) {
        std::iter_swap(found, found + 1);
      }
    }
    const bool small =
        first == causes.end() || first->share < kLeastLoss || first->limit == Limit::processors;
    if (small) causes.insert(first, computation(large));
  }

  LimitingCause cause(Limit limit, double share) {
    LimitingCause c{.limit = limit, .share = share, .interval = from_start(analysed())};
    switch (limit) {
      case Limit::imbalance:
        if (2 * losses_.hidden_imbalance_ns() > losses_.ns(Limit::imbalance)) {
          describe_cpu_time(c);
        } else {
          describe_delays(DelayReason::imbalance, c);
        }
        break;
      case Limit::serialisation:
        describe_delays(DelayReason::serialisation, c);
        break;
      case Limit::processors:
        c.doubts_others = doubts_others(share);
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
    std::map<std::int32_t, double> by_rank;
    double sum = 0;
    for (std::size_t r = 0; r < in_.openmp->ranks.size(); ++r) {
      const RankThreads& rank = in_.openmp->ranks[r];
      if (rank.locations.empty()) continue;
      const double ns =
          static_cast<double>(rank.time.*part) / static_cast<double>(rank.locations.size());
      by_rank[static_cast<std::int32_t>(r)] = ns;
      sum += ns;
    }
    std::vector<std::int32_t> ranks = outstanding(by_rank, sum);
    return ranks.size() == by_rank.size() ? std::vector<std::int32_t>() : ranks;
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

  void describe_delays(DelayReason reason, LimitingCause& c) {
    const auto k = static_cast<std::size_t>(reason);
    std::map<std::int32_t, double> by_rank;
    double sum = 0;
    double late_starts = 0;
    for (const DelayCost& cost : in_.delays.costs) {
      const double ns = cost.by_reason[k].value();
      by_rank[cost.of.rank] += ns;
      sum += ns;
      if (cost.of.late_start) late_starts += ns;
    }
    c.ranks = outstanding(by_rank, sum);
    c.late_start = 2 * late_starts > sum;
    c.blocked = c.ranks.size() == 1 && is_late_by_blocking(c.ranks.front());
    if (reason == DelayReason::serialisation) c.frame = code_beside_waits(k, c.ranks);
    if (c.frame == 0) c.frame = code_of_delays(k, sum, c.ranks);
    name_operation_of_waits(c);
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
    std::vector<LateComputation> asked;
    std::map<LateComputation, double> weights;
    for (const DelayCost& cost : in_.delays.costs) {
      const double ns = cost.by_reason[reason].value();
      if (cost.of.operation != Operation::none || cost.of.late_start ||
          !counts(ranks, cost.of.rank) || ns < kWorthAsking * sum) {
        continue;
      }
      asked.emplace_back(cost.of.rank, cost.of.path);
      weights[asked.back()] = ns;
    }
    if (asked.empty() || in_.trace.call_tree().empty()) return 0;
    std::map<FrameId, double> frames;
    for (const auto& [cause, found] : sampled_causes(in_.trace, in_.names, in_.code, asked)) {
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

  /// Where ranks wait that do not wait for communication in the end.
  void name_operation_of_waits(LimitingCause& c) const {
    std::map<Operation, double> sums;
    double all = 0;
    for (std::size_t i = 0; i < in_.waits.states.size(); ++i) {
      const WaitState& w = in_.waits.states[i];
      if (!w.effective || w.cause_rank < 0 || w.cause_rank == w.rank) continue;
      const double late = static_cast<double>(w.wait_ns) - in_.delays.origins[i].communication_ns;
      sums[in_.trace.calls(w.rank).operation(w.call)] += late;
      all += late;
    }
    const auto most = std::ranges::max_element(sums, {}, [](const auto& s) { return s.second; });
    if (most == sums.end()) return;
    c.operation = most->first;
    c.only_operation = most->second >= kNearlyWhole * all;
  }

  /// Whether the rank exceeds the others more in time blocked than in computation.
  bool is_late_by_blocking(std::int32_t rank) const {
    const auto& ranks = in_.shares.ranks_ns;
    const RankTime& late = ranks[static_cast<std::size_t>(rank)];
    std::int64_t blocked = late.blocked;
    std::int64_t computed = late.compute;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      if (in_.trace.calls(static_cast<std::int32_t>(r)).empty()) continue;
      blocked = std::min(blocked, ranks[r].blocked);
      computed = std::min(computed, ranks[r].compute);
    }
    return late.blocked - blocked > late.compute - computed;
  }

  template <class Visit>
  void for_charges(std::size_t reason, const std::vector<std::int32_t>& ranks, Visit visit) const {
    for (std::size_t i = 0; i < in_.waits.states.size(); ++i) {
      const WaitState& w = in_.waits.states[i];
      const double ns = in_.delays.origins[i].by_reason[reason];
      if (ns > 0 && counts(ranks, w.cause_rank)) visit(w, ns);
    }
  }

  /// The function in which late ranks compute while others wait for them: what they do at other
  /// times, when the others work, too, is no cause. Each moment counts once, however many wait.
  FrameId code_beside_waits(std::size_t reason, const std::vector<std::int32_t>& ranks) const {
    if (in_.trace.call_tree().empty()) return 0;
    std::map<std::int32_t, std::vector<TimeInterval>> waits;  // by the rank that is waited for
    for_charges(reason, ranks, [&](const WaitState& w, double) {
      const std::int64_t begin = in_.trace.calls(w.rank).begin_ns(w.call);
      waits[w.cause_rank].push_back({begin, begin + w.wait_ns});
    });
    std::map<FrameId, double> frames;
    for (auto& [rank, intervals] : waits) {
      std::ranges::sort(intervals, {}, &TimeInterval::begin_ns);
      std::int64_t counted = intervals.front().begin_ns;
      for (const TimeInterval& wait : intervals) {
        add_code({std::max(wait.begin_ns, counted), wait.end_ns}, rank, frames);
        counted = std::max(counted, wait.end_ns);
      }
    }
    return most_of_function(frames);
  }

  /// Adds the code of a rank's computation in an interval, which may be empty.
  void add_code(const TimeInterval& t, std::int32_t rank, std::map<FrameId, double>& frames) const {
    const RankCalls& calls = in_.trace.calls(rank);
    for (std::size_t i = calls.first_from(t.begin_ns); i <= calls.size(); ++i) {
      const std::int64_t from = std::max(t.begin_ns, calls.gap_end_ns(i) - calls.gap_ns(i));
      if (from >= t.end_ns) return;
      const auto call = static_cast<CallIndex>(i);
      in_.code.split(
          rank, call,
          std::min(std::min(t.end_ns, calls.gap_end_ns(i)) - from, calls.useful_ns(call)),
          [&](FrameId frame, std::int64_t ns) { frames[own_[frame]] += static_cast<double>(ns); });
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
    c.by_cpu_time = true;
    const std::int32_t rank = losses_.busiest_rank();
    const double mean = ratio_of(static_cast<double>(in_.shares.sum_ns.compute),
                                 static_cast<double>(in_.shares.present));
    c.ranks = {rank};
    c.frame = most_computed([&](std::int32_t r, FrameId) {
      return (r == rank ? 1 : 0) - 1 / static_cast<double>(in_.shares.present);
    });
    c.evidence = fmt::format("CPU time of computation: {} on rank {}, {} on average",
                             format_time_ns(static_cast<double>(
                                 in_.shares.ranks_ns[static_cast<std::size_t>(rank)].compute)),
                             rank, format_time_ns(mean));
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
    add(losses_.processors_waiting_ns(), "waiting for such ranks");
    add(in_calls, fmt::format("in MPI calls that take {:.0f} times as long as their sizes explain",
                              1 + ratio_of(in_calls, explained)));
    std::vector<std::string> clauses;
    if (!parts.empty()) clauses.push_back(enumeration(parts));
    if (!parts.empty() && losses_.hidden_imbalance_ns() >= kLeastAlternative * rank_time()) {
      clauses.back() += fmt::format(", less {} that is load imbalance by CPU time",
                                    format_percent(losses_.hidden_imbalance_ns() / rank_time()));
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
    return most_of_function(frames);
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
    return most_of_function(frames);
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
    for (const PlacedLoss& loss : losses_.placed()) {
      if (loss.limit == c.limit) frames[loss.place.frame] += loss.ns;
    }
    c.frame = most_of_function(frames);
    const CallTree& tree = in_.trace.call_tree();
    const PlacedLoss* most = nullptr;
    for (const PlacedLoss& loss : losses_.placed()) {
      if (loss.limit != c.limit || loss.ns <= 0) continue;
      if (c.frame != 0 && (loss.place.frame == 0 || tree.location(loss.place.frame).function !=
                                                        tree.location(c.frame).function)) {
        continue;
      }
      if (most == nullptr || loss.ns > most->ns) most = &loss;
    }
    if (most == nullptr) {
      c.frame = code_of_blocking();
      c.evidence = "all ranks: asleep, in I/O or waiting for a device";
      return;
    }
    c.operation = most->place.operation;
    c.evidence = evidence_of_calls(*most);
    double of_operation = 0;
    for (const PlacedLoss& loss : losses_.placed()) {
      if (loss.limit == c.limit && loss.place.operation == c.operation) of_operation += loss.ns;
    }
    c.only_operation = of_operation >= kNearlyWhole * c.share * rank_time();
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

  LimitingCause computation(bool lacks_processors) const {
    LimitingCause c{.limit = Limit::computation, .interval = from_start(analysed())};
    c.share = static_cast<double>(in_.shares.sum_ns.compute) / rank_time();
    c.frame = most_computed([](std::int32_t, FrameId) { return 1; });
    c.evidence = lacks_processors ? "no loss but lack of processors exceeds 5 % of rank time"
                                  : "no loss exceeds 5 % of rank time";
    return c;
  }

  static bool is_of_threads(Limit limit) {
    return limit == Limit::openmp_serial || limit == Limit::openmp_imbalance ||
           limit == Limit::openmp_synchronisation;
  }

  void rate(std::vector<LimitingCause>& causes) const {
    for (std::size_t i = 0; i < causes.size(); ++i) {
      const double next = i + 1 < causes.size() ? causes[i + 1].share : 0;
      LimitingCause& c = causes[i];
      const bool doubtful = c.limit == Limit::unknown || in_.waits.clipped > 0 ||
                            (is_of_threads(c.limit) && losses_.has_more_threads());
      const bool clear = c.share >= 2 * kLeastLoss && c.share >= 1.5 * next && i == 0;
      c.confidence = doubtful || (c.share < kLeastLoss && c.limit != Limit::computation)
                         ? Confidence::weak
                     : clear ? Confidence::certain
                             : Confidence::likely;
    }
  }

  const LimitInputs& in_;
  std::vector<FrameId> own_;  // of every frame
  LimitLosses losses_;
  std::int64_t start_;
};

}  // namespace

std::vector<LimitingCause> limiting_causes(const LimitInputs& inputs) {
  return LimitSearch(inputs).find();
}

}  // namespace slackline
