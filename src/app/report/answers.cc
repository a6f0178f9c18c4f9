#include "app/report/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/paths/call_activities.h"
#include "analysis/paths/critical_path.h"
#include "base/sentences.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr double kHardly = 0.005;      // of the ranks' time: nobody is late for that
constexpr double kNoticeable = 1.005;  // times the mean: below it, computation is balanced
constexpr double kNearlyAlways = 0.8;  // of the analysed interval
constexpr double kMostly = 0.5;        // of it: a single late rank is not limited to a part
constexpr double kCloseToMeasured = 0.1;
constexpr double kNoticeableChange = 0.05;  // of the rank time
constexpr std::size_t kMostTimes = 4;
constexpr std::size_t kMostActivities = 3;
constexpr double kWorthNaming = 0.01;  // of the critical path

template <class Activity>
std::string activity_in(const Activity& activity, const CallPaths& paths) {
  const std::string what(activity_name(activity));
  const std::string path = paths.name(activity.path);
  return path.empty() ? what : what + " in " + path;
}

std::pair<std::string, std::string> time_range(std::int64_t begin_ns, std::int64_t end_ns) {
  return format_time_range_ns(static_cast<double>(begin_ns), static_cast<double>(end_ns));
}

/// When a rank is late, unless that is nearly always.
std::string when(const Diagnosis& d, const LateRank& late) {
  const double always = d.causes.late_count > 1 ? kNearlyAlways : kMostly;
  if (static_cast<double>(late.when.length_ns()) >
      always * static_cast<double>(d.shares.length_ns)) {
    return "";
  }
  const auto [begin, end] = time_range(late.when.begin_ns, late.when.end_ns);
  return fmt::format(" ({} to {})", begin, end);
}

std::string late_ranks(const Diagnosis& d, const CallPaths& paths) {
  const auto by = [&](const LateRank& late) { return activity_in(late, paths) + when(d, late); };
  const std::span<const LateRank> late = d.causes.late();
  if (late.size() == 1) {
    return fmt::format("Rank {}: it causes {} of wait time, mainly through {}.", late[0].rank,
                       format_percent(late[0].share, 0), by(late[0]));
  }
  std::vector<std::string> ranks;
  std::vector<std::string> parts;
  for (const LateRank& l : late) {
    ranks.push_back(std::to_string(l.rank));
    parts.push_back(fmt::format("rank {} causes {} of wait time, mainly through {}", l.rank,
                                format_percent(l.share, 0), by(l)));
  }
  return fmt::format("Ranks {}: {}.", enumeration(ranks), enumeration(parts));
}

Answer late(const Diagnosis& d, const CallPaths& paths) {
  Answer a{"late",
           "Which rank is late?",
           "",
           {"cause_ranks", "cause_activities", "causes", "time_shares"}};
  const double waiting = d.shares.share(d.shares.sum_ns.wait);
  const RootCauses& causes = d.causes;
  if (waiting < kHardly || causes.ranks.empty() || causes.activities.empty()) {
    a.text = fmt::format("None: wait states are {} of rank time.", format_percent(waiting));
  } else if (causes.late_count > 0) {
    a.text = late_ranks(d, paths);
  } else {
    const LateRank& largest = causes.ranks.front();
    const CausingActivity& main = causes.activities.front();
    a.text = fmt::format(
        "No single rank. Rank {} causes the largest share of wait time: {} (even share {}). "
        "Largest "
        "root cause over all ranks: {} ({}).",
        largest.rank, format_percent(largest.share, 0), format_percent(causes.even_share, 0),
        activity_in(main, paths), format_percent(main.share, 0));
  }
  return a;
}

double lost_ns(const FocusInterval& r) {
  return (1 - r.efficiency.useful) * static_cast<double>(r.end_ns - r.begin_ns);
}

/// Those between start-up and shutdown.
std::vector<FocusInterval> program_intervals(const Diagnosis& d) {
  std::vector<FocusInterval> intervals = d.monitor.intervals;
  std::erase_if(intervals, [](const FocusInterval& r) {
    return r.kind == IntervalKind::startup || r.kind == IntervalKind::shutdown;
  });
  return intervals;
}

/// Neighbouring intervals of one kind that are nearly as efficient as each other are no change.
bool differ(const FocusInterval& a, const FocusInterval& b) {
  return a.kind != b.kind ||
         std::abs(a.efficiency.useful - b.efficiency.useful) >= kNoticeableChange;
}

/// "at 1.2 s and 3.4 s", with enough digits to tell each from the one before; empty without any.
std::string times_of_changes(const std::vector<FocusInterval>& intervals) {
  std::vector<std::string> times;
  std::int64_t before = intervals.front().begin_ns;
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    if (!differ(intervals[i - 1], intervals[i])) continue;
    times.push_back(time_range(before, intervals[i].begin_ns).second);
    before = intervals[i].begin_ns;
  }
  if (times.empty()) return "";
  return times.size() <= kMostTimes
             ? "at " + enumeration(times)
             : fmt::format("{} times between {} and {}", times.size(), times.front(), times.back());
}

/// How the behaviour changes steadily, if it does.
std::string trends(const Diagnosis& d) {
  std::string text;
  if (!d.monitor.iterations) return text;
  for (const IterationTrend& t : d.monitor.iterations->trends) text += " " + trend_sentence(t);
  return text;
}

/// The largest change from one iteration to the next; null without any.
const IterationChange* largest_change(const Diagnosis& d) {
  if (!d.monitor.iterations || d.monitor.iterations->changes.empty()) return nullptr;
  return &*std::ranges::max_element(
      d.monitor.iterations->changes, {},
      [](const IterationChange& c) { return std::abs(c.after_ns - c.before_ns); });
}

/// What changes most between two iterations, where the intervals of the run do not differ; empty
/// without that.
std::string change_between_iterations(const Diagnosis& d) {
  const IterationChange* const change = largest_change(d);
  if (change == nullptr) return "";
  std::string text = change_sentence(*change);
  const std::size_t more = d.monitor.iterations->changes.size() - 1;
  if (more > 0) text += fmt::format(" {} between iterations.", count_of(more, "smaller change"));
  return text;
}

std::optional<Answer> answer_change(const Diagnosis& d) {
  const std::vector<FocusInterval> intervals = program_intervals(d);
  if (intervals.empty()) return std::nullopt;
  Answer a{"change", "When does the behaviour change?", "", {"focus_regions"}};
  const FocusInterval& worst = *std::ranges::max_element(intervals, {}, lost_ns);
  if (d.monitor.iterations && !d.monitor.iterations->trends.empty()) {
    a.evidence.emplace_back("iteration_trends");
  }
  const bool efficient = worst.kind == IntervalKind::computing;
  const std::string where =
      fmt::format("parallel efficiency {}{}{}", format_percent(worst.efficiency.useful),
                  efficient ? "" : ", limited by ", efficient ? "" : name(worst.kind));
  const std::string times = times_of_changes(intervals);
  if (const std::string text = change_between_iterations(d); times.empty() && !text.empty()) {
    a.evidence.emplace_back("iteration_changes");
    a.text = text + trends(d);
    return a;
  }
  if (times.empty()) {
    const auto [begin, end] = time_range(intervals.front().begin_ns, intervals.back().end_ns);
    a.text = intervals.size() == 1
                 ? fmt::format("No phase change detected ({} to {}, {}).", begin, end, where)
                 : fmt::format("No phase change detected ({} to {}).", begin, end);
    a.text += trends(d);
    return a;
  }
  a.text = "It changes " + times;
  if (!efficient) {
    const auto [begin, end] = time_range(worst.begin_ns, worst.end_ns);
    a.text += fmt::format("; largest loss between {} and {} ({})", begin, end, where);
  }
  a.text += "." + trends(d);
  return a;
}

/// What the model's time is worth beside the measured one.
std::string prediction_quality(const Prediction& p, const TimeShares* shares) {
  if (!p.measured || p.measured->makespan_ns <= 0) return "";
  const double ratio = p.makespan_ns / static_cast<double>(p.measured->makespan_ns);
  const bool other = shares != nullptr && shares->extent != AnalysedExtent::program;
  const std::string times = fmt::format(
      "Predicted / measured run time: {:.2f} ({} / {}{})", ratio, format_time_ns(p.makespan_ns),
      format_time_ns(static_cast<double>(p.measured->makespan_ns)),
      other ? ", " + meaning(AnalysedExtent::program, shares->ends) : "");
  if (std::abs(ratio - 1) <= kCloseToMeasured) return times + ".";
  return times + (ratio < 1 ? "; the percentages refer to the predicted time: the rest of the "
                              "measured time is outside the model."
                            : "; the percentages refer to the predicted time: the model's "
                              "parameters are too slow for this run.");
}

auto answer_objects(const std::vector<Answer>& answers) {
  return list_of(answers, [](const Answer& a) {
    return Object{"id"_key = a.id, "question"_key = a.question, "answer"_key = a.text,
                  "evidence"_key = a.evidence};
  });
}

}  // namespace

std::string tolerated_latency(const Tolerances& t) {
  if (t.rows.empty()) return "";
  std::vector<std::string> limits;
  for (const Tolerances::Row& row : t.rows) {
    if (!row.value_ns) continue;
    limits.push_back(fmt::format("+{} for {}",
                                 format_time_ns(std::max(0.0, *row.value_ns - t.base_ns)),
                                 percent_of_ppm(row.degradation_ppm)));
  }
  if (limits.empty()) return "Unlimited: the predicted run time does not depend on latency.";
  std::string text = fmt::format("{} longer predicted run time.", enumeration(limits));
  if (t.parameter.qualifier.empty()) {
    text +=
        fmt::format(" Assumed latency: {} = {}.", t.parameter.name(), format_time_ns(t.base_ns));
  }
  return text;
}

std::string change_over_time(const Diagnosis& measured) {
  const std::vector<FocusInterval> intervals = program_intervals(measured);
  if (intervals.empty()) return "";
  const std::string times = times_of_changes(intervals);
  if (times.empty()) {
    const std::string change = change_between_iterations(measured);
    return (change.empty() ? "No phase change detected." : change) + trends(measured);
  }
  const FocusInterval& worst = *std::ranges::max_element(intervals, {}, lost_ns);
  const auto [begin, end] = time_range(worst.begin_ns, worst.end_ns);
  return fmt::format(
      "Behaviour changes {}. Largest loss between {} and {}: parallel efficiency {}.{}",
      times_of_changes(intervals), begin, end, format_percent(worst.efficiency.useful),
      trends(measured));
}

namespace {

std::optional<Answer> latency(const Overview& model, const TimeShares* shares = nullptr) {
  std::string text = tolerated_latency(model.tolerances);
  if (text.empty()) return std::nullopt;
  const std::string quality = prediction_quality(model.prediction, shares);
  if (!quality.empty()) text += " " + quality;
  if (!model.prediction.link_is_negligible) text += " " + sentence(model.prediction.link);
  return Answer{"latency",
                "How much additional latency is tolerable?",
                std::move(text),
                {"tolerance", "latency", "prediction"}};
}

std::optional<Answer> answer_path(const Diagnosis& d, const CallPaths& paths) {
  const PathShares path =
      path_shares(d.path, {d.shares.begin_ns, d.shares.begin_ns + d.shares.length_ns});
  if (path.length_ns <= 0) return std::nullopt;
  const auto length = static_cast<double>(path.length_ns);
  Answer a{"path",
           "What is on the critical path?",
           "",
           {"path_interval", "path_interval_ranks", "critical_path"}};
  std::vector<std::string> parts;
  for (const PathShares::OfActivity& share : path.activities) {
    const double part = static_cast<double>(share.time_ns) / length;
    if (part < kWorthNaming || parts.size() == kMostActivities) break;
    parts.push_back(format_percent(part) + " " + activity_in(share, paths));
  }
  a.text = enumeration(parts);
  const auto busiest = std::ranges::max_element(path.by_rank);
  if (busiest != path.by_rank.end()) {
    a.text += fmt::format("; the largest share of it, {}, is on rank {}",
                          format_percent(static_cast<double>(*busiest) / length),
                          busiest - path.by_rank.begin());
  }
  a.text += ".";
  const auto whole = static_cast<double>(d.path.makespan_ns);
  if (whole > length) {
    const bool late = d.path.late_start_ns > 0;
    const std::string what = d.shares.extent == AnalysedExtent::asked ? "The rest"
                             : path.environment_ns > 0 ? "Time outside the analysed interval"
                             : late                    ? "Late start, MPI_Init and MPI_Finalize"
                             : path.before             ? "Start-up, MPI_Init and MPI_Finalize"
                                                       : "MPI_Init and MPI_Finalize";
    a.text +=
        fmt::format(" ({}, {} of the run, excluded.)", what, format_percent(1 - length / whole));
  }
  return a;
}

void add(std::vector<Answer>& to, std::optional<Answer> answer) {
  if (answer) to.push_back(std::move(*answer));
}

}  // namespace

std::vector<Answer> answers(const Diagnosis& measured, const CallPaths& paths,
                            const Overview& model) {
  std::vector<Answer> all;
  if (measured.shares.length_ns <= 0) return all;
  if (measured.shares.present > 1) all.push_back(late(measured, paths));
  add(all, answer_change(measured));
  add(all, latency(model, &measured.shares));
  add(all, answer_path(measured, paths));
  return all;
}

std::vector<Answer> answers(const Overview& model) {
  std::vector<Answer> all;
  const Losses l = losses(model.prediction.ranks_ps);
  if (model.prediction.makespan_ns <= 0) return all;
  if (model.prediction.ranks_ps.size() > 1) {
    all.push_back({"late",
                   "Which rank is late?",
                   l.busiest_over_mean < kNoticeable
                       ? "None: the predicted computation is balanced."
                       : fmt::format("Rank {} computes longest, {:.2f} x the mean (predicted).",
                                     l.busiest_rank, l.busiest_over_mean),
                   {"ranks"}});
  }
  add(all, latency(model));
  return all;
}

const JsonType& declared_type(const AnswersJsonTag*) {
  return json_type_by<answer_objects>();
}

std::optional<AnswersJson> add_answers(const std::vector<Answer>& answers,
                                       std::vector<Section>& sections) {
  if (answers.empty()) return std::nullopt;
  Section section{.id = "answers", .title = "Key questions"};
  for (const Answer& a : answers) {
    section.items.emplace_back(Paragraph{a.question + " " + a.text});
  }
  sections.insert(sections.begin(), std::move(section));
  return answer_objects(answers);
}

namespace {

constexpr double kLittleWaiting = 0.005;  // of the ranks' time: waiting is not worth a sentence
constexpr double kShownShare = 0.01;      // of the critical path
constexpr double kKnown = 0.05;           // of a wait: smaller causes are none
constexpr std::size_t kMostShown = 3;

/// The largest wait with a place, outside of MPI_Init and MPI_Finalize; one with a cause if any.
const WaitInCode* largest_wait(std::span<const WaitInCode> waits) {
  const WaitInCode* largest = nullptr;
  for (const WaitInCode& w : waits) {
    if (w.frame == 0 || is_init(w.operation) || w.operation == Operation::finalize) continue;
    if (w.cause.rank >= 0 && w.cause.share >= kKnown) return &w;
    if (largest == nullptr) largest = &w;
  }
  return largest;
}

std::string wait_sentence(const WaitInCode& w, const CallTree& tree) {
  std::string text = fmt::format(
      "Largest wait state: {} in {} of {} on rank {} ({})", name(w.pattern), mpi_name(w.operation),
      describe_frame(tree, w.frame), w.rank, format_time_ns(static_cast<double>(w.sum_ns)));
  if (w.cause.rank < 0 || w.cause.share < kKnown) return text + ".";
  const std::string where = describe_frame(tree, w.cause.frame);
  return text + fmt::format("; cause: {} on rank {} ({} of it).",
                            where.empty() ? "computation" : where, w.cause.rank,
                            format_percent(w.cause.share, 0));
}

std::string path_sentence(std::span<const PathFunction> functions, const CallTree& tree) {
  std::int64_t sum = 0;
  for (const PathFunction& f : functions) sum += f.time_ns;
  std::vector<std::string> parts;
  for (const PathFunction& f : functions) {
    const double share = static_cast<double>(f.time_ns) / static_cast<double>(sum);
    if (share < kShownShare || parts.size() == kMostShown) break;
    const std::string where = describe_frame(tree, f.frame);
    parts.push_back(format_percent(share) + " " + (where.empty() ? "code not known" : where));
  }
  return parts.empty() ? "" : "Critical path: " + enumeration(parts) + ".";
}

}  // namespace

std::optional<Answer> code_answer(const RunInCode& run, const CallTree& tree) {
  if (tree.empty()) return std::nullopt;
  Answer a{"code", "Where in the code?", "", {"wait_code", "path_functions"}};
  const WaitInCode* wait = largest_wait(run.waits);
  if (wait != nullptr && run.waiting >= kLittleWaiting) a.text = wait_sentence(*wait, tree);
  const std::string path = path_sentence(run.functions, tree);
  if (!path.empty()) a.text += (a.text.empty() ? "" : " ") + path;
  if (a.text.empty()) return std::nullopt;
  return a;
}

}  // namespace slackline
