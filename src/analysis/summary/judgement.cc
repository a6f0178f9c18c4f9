// What a performance engineer would say first.
//
// The ranks' time falls into computation, waiting for one another, calls for which no waiting is
// defined, and the rest of MPI (moving data and MPI's own work). The largest loss is
// what limits the run. Waiting is explained by the delay costs, the rest by the calls it is spent
// in; both are laid over the focus regions to tell when. What could be gained at most is a bound,
// not a forecast: nobody can save more than all waiting (shared out over the ranks, as if perfectly
// in step), or than an ideal network saves. So the network is blamed only for what an ideal one
// would save, and not for a few calls that take much longer than others like them.

#include "analysis/summary/judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "analysis/efficiency/efficiency.h"
#include "analysis/paths/call_activities.h"
#include "analysis/summary/concentration.h"
#include "analysis/summary/limits.h"
#include "base/arithmetic.h"
#include "base/sentences.h"
#include "base/units.h"
#include "calls/clocks.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

constexpr double kLittle = 0.1;       // of the ranks' time: less is little to gain
constexpr double kNothing = 0.005;    // of the ranks' time: not worth a sentence
constexpr double kWorthNaming = 0.1;  // of the waiting: what causes less is not named alone
constexpr double kUnevenRank = 1.05;  // of the mean computation: busier than the others
constexpr double kLongStart = 0.2;    // of the run: start-up and shut-down are mentioned
constexpr double kExplained = 0.5;    // of a loss: less does not explain it

/// The largest of what is lost.
enum class MainLoss : std::uint8_t { waiting, unknown, network, stalls, inside };

struct Subject {
  const Diagnosis& d;
  const Trace& trace;
  const CallPaths& paths;

  double waiting() const { return d.shares.share(d.shares.sum_ns.wait); }
  double inside() const { return d.shares.share(d.shares.sum_ns.mpi); }
  double compute() const { return d.shares.share(d.shares.sum_ns.compute); }
  double unknown() const { return d.shares.share(d.shares.unknown_ns); }
  double between_polls() const { return d.shares.share(d.poll_gaps.sum_ns); }
  double own() const { return d.shares.share(d.shares.own_ns()); }
  /// The share of the run that an ideal network would save.
  double network() const {
    return length() > 0 ? 1 - static_cast<double>(d.shares.ideal_ns) / length() : 0;
  }
  bool stalls_are_main() const {
    const std::int64_t sum = d.long_calls_ns();
    return sum > 0 &&
           static_cast<double>(sum) >= kExplained * static_cast<double>(d.shares.sum_ns.mpi);
  }
  MainLoss main_loss() const {
    if (unknown() > std::max(waiting(), own())) return MainLoss::unknown;
    if (waiting() >= own()) return MainLoss::waiting;
    if (stalls_are_main()) return MainLoss::stalls;
    return network() >= kExplained * own() ? MainLoss::network : MainLoss::inside;
  }
  bool waiting_is_main() const { return main_loss() == MainLoss::waiting; }
  double length() const { return static_cast<double>(d.shares.length_ns); }
};

std::string in_path(const CallPaths& paths, PathId path) {
  const std::string name = paths.name(path);
  return name.empty() ? "" : " in " + name;
}

/// Where the ranks' time goes, in the same words whatever limits the run.
std::string rank_time(const Subject& s) {
  const RankTime& t = s.d.shares.sum_ns;
  std::vector<std::string> parts;
  const auto add = [&](std::int64_t ns, std::string_view what) {
    const double share = s.d.shares.share(ns);
    if (share >= kShownPart) parts.push_back(fmt::format("{} {}", format_percent(share), what));
  };
  add(t.compute, "computation");
  add(t.no_processor, "without a processor");
  add(t.blocked, "blocked outside MPI");
  add(t.recording, "recording");
  add(t.wait, "waiting");
  add(s.d.shares.own_ns(), "other MPI time");
  add(s.d.shares.unknown_ns, "MPI calls for which waiting is not known");
  add(t.outside, "outside the program");
  return fmt::format("Rank time ({}, {}): {}.", count_of(s.d.shares.present, "rank"),
                     format_time_ns(s.length()), enumeration(parts));
}

std::string limit_text(const Subject& s) {
  const std::string limit =
      s.d.limits.empty() ? "" : sentence(s.d.limits.front(), s.trace.call_tree()) + " ";
  return limit + rank_time(s);
}

/// What lies outside of the analysed interval: MPI's own start and end, or the program's.
std::string around(const Subject& s) {
  const TimeShares& t = s.d.shares;
  const std::int64_t rest = t.run_ns - t.length_ns;
  if (static_cast<double>(rest) <= kLongStart * static_cast<double>(t.run_ns)) return "";
  const std::string time = format_time_ns(static_cast<double>(rest));
  if (t.extent == AnalysedExtent::asked) {
    return fmt::format(" The rest of the run is {} (not included above).", time);
  }
  const std::int64_t environment = std::min(rest, t.environment_ns);
  if (static_cast<double>(environment) >= kExplained * static_cast<double>(rest)) {
    return fmt::format(" MPI_Init and MPI_Finalize add {} (not included above).", time);
  }
  return fmt::format(
      " {} more lie outside the analysed interval: {} in MPI_Init and MPI_Finalize (mean of the "
      "ranks), the rest before ranks start and after they end (not included above).",
      time, format_time_ns(static_cast<double>(environment)));
}

Judgement limit(const Subject& s) {
  Judgement limit{JudgementAspect::limit,
                  limit_text(s) + around(s),
                  {"limits", "time_shares", "efficiency_multiplicative"}};
  if (s.d.efficiency.openmp) {
    limit.evidence.insert(limit.evidence.end(), {"hybrid_efficiency", "openmp_regions"});
  }
  return limit;
}

/// When `what` is lost.
std::string when(const std::optional<LossStretch>& stretch, std::string_view what) {
  if (!stretch) return "distributed over the whole run";
  const std::string share =
      fmt::format("{} of {} lies", format_percent(std::min(1.0, stretch->share), 0), what);
  const auto [begin, end] = format_time_range_ns(static_cast<double>(stretch->begin_ns),
                                                 static_cast<double>(stretch->end_ns));
  if (stretch->to_end) return fmt::format("{} after {}", share, begin);
  if (stretch->from_start) return fmt::format("{} before {}", share, end);
  return fmt::format("{} between {} and {}", share, begin, end);
}

/// The table of such stretches has a row only for one.
std::vector<std::string> with_intervals(const std::optional<LossStretch>& stretch,
                                        std::vector<std::string> evidence) {
  if (stretch) evidence.emplace_back("loss_intervals");
  return evidence;
}

double busier_than_mean(const TimeShares& shares, std::int32_t rank) {
  const double mean =
      ratio_of(static_cast<double>(shares.sum_ns.compute), static_cast<double>(shares.present));
  return ratio_of(static_cast<double>(shares.ranks_ns[static_cast<std::size_t>(rank)].compute),
                  mean);
}

/// How much longer than others the rank computes, where that explains something.
std::string computing_of(const Subject& s, std::int32_t rank) {
  const double busy = busier_than_mean(s.d.shares, rank);
  return busy >= kUnevenRank ? fmt::format(", whose computation time is {:.2f} x the mean", busy)
                             : "";
}

/// Several late ranks, each with what makes it late.
std::string causes_of(const Subject& s, std::span<const LateRank> late) {
  std::vector<std::string> parts;
  for (const LateRank& l : late) {
    parts.push_back(fmt::format("{}{} on rank {} ({})", activity_name(l), in_path(s.paths, l.path),
                                l.rank, format_percent(l.activity_share, 0)));
  }
  return fmt::format("root causes (of all wait time): {}", enumeration(parts));
}

/// The same cause as the answer to which rank is late.
std::string caused_by(const Subject& s) {
  const RootCauses& causes = s.d.causes;
  const auto what = [&](const auto& activity) {
    return std::string(activity_name(activity)) + in_path(s.paths, activity.path);
  };
  if (causes.late_count > 1) return causes_of(s, causes.late());
  if (causes.late_count == 1) {
    const LateRank& late = causes.ranks.front();
    std::string text = fmt::format("root cause: {} on rank {} ({} of all wait time)", what(late),
                                   late.rank, format_percent(late.activity_share, 0));
    return late.operation == Operation::none && !late.late_start ? text + computing_of(s, late.rank)
                                                                 : text;
  }
  const CausingActivity& most = causes.activities.front();
  if (most.share < kWorthNaming) return "no single cause exceeds 10 %";
  std::string text = fmt::format("root cause: {} ({} of all wait time) on several ranks",
                                 what(most), format_percent(most.share, 0));
  if (most.operation == Operation::none && !most.late_start &&
      busier_than_mean(s.d.shares, most.rank) < kUnevenRank) {
    text += ", whose total computation is close to the mean: the late rank varies over time";
  }
  return text;
}

/// Where most of the ranks' wait time lies; null where they do not wait.
const WaitPlace* main_place(const WaitSummary& waits) {
  const auto most = std::ranges::max_element(waits.places, {}, &WaitPlace::effective_ns);
  return most == waits.places.end() || most->effective_ns == 0 ? nullptr : &*most;
}

std::optional<Judgement> cause_of_waiting(const Subject& s) {
  const WaitPlace* place = main_place(s.d.waits);
  if (place == nullptr || s.d.causes.activities.empty()) return std::nullopt;
  const double share =
      ratio_of(static_cast<double>(place->effective_ns), static_cast<double>(s.d.waits.total_ns));
  const std::optional<LossStretch> stretch = concentration(s.d.shares, s.d.waiting);
  return Judgement{
      JudgementAspect::cause,
      fmt::format("{} of wait time is {} in {}{}; {}; {}.", format_percent(share, 0),
                  name(place->pattern), mpi_name(place->operation), in_path(s.paths, place->path),
                  caused_by(s), when(stretch, "the wait time")),
      with_intervals(stretch, {"cause_ranks", "cause_activities", "wait_places", "wait_states"})};
}

/// Adds unequal computation that the cause of most wait time does not name: a machine with fewer
/// processors than ranks hides it behind whichever rank does not run.
std::optional<Judgement> with_imbalance(const Subject& s, std::optional<Judgement> cause) {
  if (!cause || 1 - s.compute() < kLittle) return cause;
  const std::optional<ComputationImbalance> uneven =
      computation_imbalance(s.trace, s.paths, s.d.shares);
  const std::span<const LateRank> late = s.d.causes.late();
  const auto names = [&](std::int32_t rank) {
    return s.waiting_is_main() && std::ranges::any_of(late, [&](const LateRank& l) {
             return l.rank == rank && l.operation == Operation::none && !l.late_start;
           });
  };
  if (!uneven || names(uneven->rank)) return cause;
  cause->sentence += fmt::format(
      " Computation is unbalanced: rank {} computes {:.2f} x the mean{}.", uneven->rank,
      uneven->over_mean, uneven->path == 0 ? "" : ", mainly" + in_path(s.paths, uneven->path));
  cause->evidence.emplace_back("rank_shares");
  return cause;
}

/// The calls that make the mean.
std::string tail(const Subject& s) {
  if (!s.stalls_are_main() || s.d.stalls.front().calls == 0) return "";
  const auto inside = static_cast<double>(s.d.shares.calls.front().inside_ns());
  return fmt::format(
      "; {} of them take more than ten times as long as others of their size and {} of this time",
      format_count(s.d.stalls.front().calls),
      format_percent(
          std::min(1.0, ratio_of(static_cast<double>(s.d.stalls.front().sum_ns), inside)), 0));
}

std::optional<Judgement> cause_inside(const Subject& s) {
  if (s.d.shares.calls.empty() || s.d.shares.sum_ns.mpi <= 0) return std::nullopt;
  const std::optional<LossStretch> stretch = concentration(s.d.shares, s.d.stalls.front().by_time);
  const TimeShares::OfCalls& most = s.d.shares.calls.front();
  const auto calls = static_cast<double>(most.calls);
  const double share = std::min(1.0, ratio_of(static_cast<double>(most.inside_ns()),
                                              static_cast<double>(s.d.shares.sum_ns.mpi)));
  return Judgement{
      JudgementAspect::cause,
      fmt::format("{} of this MPI time is in {}{}: {}{}, median {} and mean {} per call excluding "
                  "wait time{}; {}.",
                  format_percent(share, 0), mpi_name(most.operation), in_path(s.paths, most.path),
                  count_of(most.calls, "call"),
                  most.bytes == 0
                      ? ""
                      : ", mean size " + format_bytes(static_cast<double>(most.bytes) / calls),
                  format_time_ns(s.d.stalls.front().median_ns),
                  format_time_ns(static_cast<double>(most.inside_ns()) / calls), tail(s),
                  when(stretch, "their time")),
      with_intervals(stretch, {"call_times", "mpi_calls"})};
}

/// When the analysed interval begins.
bool all_have_left_init(const Subject& s) {
  const std::int64_t begin = run_span(s.trace).whole.begin_ns + s.d.shares.begin_ns;
  for (std::int32_t r = 0; r < s.trace.ranks(); ++r) {
    const RankSpan rank = rank_span(s.trace.calls(r));
    if (rank.first_call > 0 && rank.analysed.begin_ns > begin) return false;
  }
  return true;
}

/// Waiting for a rank that is slow in MPI is blamed on wait states by the shares of time, on the
/// network by the efficiency factors: both are given. The ideal run knows nothing of ranks that are
/// in MPI_Init, so that it is compared only where all ranks have left it.
std::string gain_with_network(const Subject& s) {
  const TimeShares& t = s.d.shares;
  if (s.network() <= s.waiting() || !all_have_left_init(s)) return "";
  const EfficiencyFactors f = factors(efficiency_inputs(t), EfficiencyVariant::multiplicative);
  return fmt::format(
      " On an ideal network (zero latency, infinite bandwidth), which also removes waiting for "
      "ranks in MPI calls, the run would be at most {} ({}) shorter (transfer efficiency {}).",
      format_time_ns(static_cast<double>(t.length_ns - t.ideal_ns)), format_percent(s.network()),
      format_percent(f.transfer));
}

Judgement gain_of_waiting(const Subject& s) {
  const double gain = s.waiting() * s.length();
  std::string text = fmt::format("Removing all wait states would save at most {} ({}).",
                                 format_time_ns(gain), format_percent(s.waiting()));
  text += gain_with_network(s);
  if (!s.d.example)
    return {JudgementAspect::gain, text, {"time_shares", "efficiency_multiplicative"}};
  const ExampleWait& e = *s.d.example;
  text += fmt::format(" Start at t = {}: rank {} waits {} in {} for rank {} ({}).",
                      format_time_ns(static_cast<double>(e.begin_ns)), e.state.rank,
                      format_time_ns(static_cast<double>(e.state.wait_ns)),
                      mpi_name(s.trace.calls(e.state.rank).operation(e.state.call)),
                      e.state.cause_rank, name(e.state.pattern));
  return {JudgementAspect::gain,
          std::move(text),
          {"time_shares", "efficiency_multiplicative", "example_wait"}};
}

/// The sentence on a run that the ideal network does not shorten. A replay can only be longer than
/// the run where messages arrive before they are sent.
Judgement nothing_to_gain(const Subject& s) {
  std::string text = fmt::format(
      "A faster network would not shorten this run: with zero latency and infinite bandwidth it "
      "takes {}",
      format_time_ns(static_cast<double>(s.d.shares.ideal_ns)));
  if (s.d.shares.ideal_ns > s.d.shares.length_ns) {
    text += have_one_clock(s.trace)
                ? ", longer than measured (the replay contains more dependences than the run)"
                : ", longer than measured (clock skew between ranks)";
  }
  return {JudgementAspect::gain, text + ".", {"time_shares", "efficiency_multiplicative"}};
}

/// The sentence on calls that take much longer than others like them.
Judgement gain_of_stalls(const Subject& s) {
  return {JudgementAspect::gain,
          fmt::format("The network does not explain these calls: most calls of this size take less "
                      "than a tenth of that. Look for what delays them: the processor, a "
                      "GPU, a file, memory. They take {} in sum over the ranks.",
                      format_time_ns(static_cast<double>(s.d.long_calls_ns()))),
          {"call_times", "time_shares"}};
}

Judgement gain_inside(const Subject& s) {
  if (s.main_loss() == MainLoss::stalls) return gain_of_stalls(s);
  const auto gain = static_cast<double>(s.d.shares.length_ns - s.d.shares.ideal_ns);
  if (gain <= 0) return nothing_to_gain(s);
  std::string text = fmt::format(
      "On an ideal network (zero latency, infinite bandwidth), the run would be at most {} ({}) "
      "shorter",
      format_time_ns(gain), format_percent(ratio_of(gain, s.length())));
  std::vector<std::string> evidence{"time_shares", "efficiency_multiplicative"};
  const auto& costs = s.d.shares.calls;
  if (costs.size() > 1 && costs[1].inside_ns() > 0) {
    text += fmt::format("; largest contributors: {}{}, {}{}", mpi_name(costs[0].operation),
                        in_path(s.paths, costs[0].path), mpi_name(costs[1].operation),
                        in_path(s.paths, costs[1].path));
    evidence.emplace_back("mpi_calls");
  }
  return {JudgementAspect::gain, text + ".", std::move(evidence)};
}

void add(std::vector<Judgement>& to, std::optional<Judgement> sentence) {
  if (sentence) to.push_back(std::move(*sentence));
}

auto judgement_objects(const std::vector<Judgement>& sentences) {
  return list_of(sentences, [](const Judgement& j) {
    return Object{"aspect"_key = to_string(j.aspect), "sentence"_key = j.sentence,
                  "evidence"_key = j.evidence};
  });
}

}  // namespace

std::string_view to_string(JudgementAspect aspect) {
  switch (aspect) {
    case JudgementAspect::limit:
      return "limit";
    case JudgementAspect::cause:
      return "cause";
    case JudgementAspect::gain:
      return "gain";
    case JudgementAspect::caution:
      return "caution";
  }
  return "limit";
}

std::vector<Judgement> judgement(const Diagnosis& diagnosis, const Trace& trace,
                                 const CallPaths& paths) {
  std::vector<Judgement> sentences;
  const Subject s{diagnosis, trace, paths};
  if (diagnosis.shares.length_ns <= 0) return sentences;
  if (auto stuck = deadlock(diagnosis)) {
    sentences.push_back(std::move(*stuck));
    for (Judgement& caution : cautions(diagnosis, trace)) sentences.push_back(std::move(caution));
    return sentences;
  }
  sentences.push_back(limit(s));
  // Where ranks lack processors, neither balance nor network promises anything.
  const bool lacks_processors =
      !diagnosis.limits.empty() && diagnosis.limits.front().limit == Limit::processors;
  if (s.waiting_is_main() && s.waiting() > kNothing) {
    add(sentences, with_imbalance(s, cause_of_waiting(s)));
    if (!lacks_processors) sentences.push_back(gain_of_waiting(s));
  } else if (s.inside() > kNothing) {
    add(sentences, with_imbalance(s, cause_inside(s)));
    if (!lacks_processors) sentences.push_back(gain_inside(s));
  }
  for (Judgement& caution : cautions(diagnosis, trace)) sentences.push_back(std::move(caution));
  return sentences;
}

std::vector<Judgement> judgement(const Overview& overview) {
  const Losses l = losses(overview.prediction.ranks_ps);
  std::vector<Judgement> sentences;
  if (overview.prediction.makespan_ns <= 0) return sentences;
  sentences.push_back(
      {JudgementAspect::limit, limit_sentence(overview.prediction), {"losses", "ranks"}});
  sentences.push_back({JudgementAspect::cause,
                       path_sentence(overview.prediction),
                       {"path_parts", "path_by_operation", "path_by_rank"}});
  sentences.push_back(
      {JudgementAspect::gain,
       fmt::format("Upper bounds (predicted): perfect load balance saves {}, zero latency {}.",
                   format_percent(l.imbalance), format_percent(overview.prediction.rho_latency)),
       {"losses", "prediction"}});
  return sentences;
}

const JsonType& declared_type(const JudgementJsonTag*) {
  return json_type_by<judgement_objects>();
}

std::optional<JudgementJson> add_judgement(const std::vector<Judgement>& sentences,
                                           std::vector<Section>& sections) {
  if (sentences.empty()) return std::nullopt;
  Section section{.id = "judgement", .title = "Diagnosis"};
  for (const Judgement& j : sentences) section.items.emplace_back(Paragraph{j.sentence});
  sections.insert(sections.begin(), std::move(section));
  return judgement_objects(sentences);
}

}  // namespace slackline
