#include "app/report/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/sentences.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr double kHardly = 0.005;      // of the ranks' time: nobody is late for that
constexpr double kNoticeable = 1.005;  // times the mean: below it, computation is balanced
constexpr double kOutstanding = 2;     // times an equal share: that rank is the late one
constexpr std::size_t kMostTimes = 4;
constexpr std::size_t kMostActivities = 3;
constexpr double kWorthNaming = 0.01;  // of the critical path

std::string activity(Operation operation, const std::string& path) {
  const std::string what =
      operation == Operation::none ? "computation" : std::string(mpi_name(operation));
  return path.empty() ? what : what + " in " + path;
}

/// What one rank makes others wait.
struct DelayTotals {
  std::int32_t rank = 0;
  double caused_ns = 0;
  const DelayCost* mostly = nullptr;  ///< null: nobody waits for anybody
};

DelayTotals most_delaying(const DelayCosts& delays) {
  std::map<std::int32_t, DelayTotals> by_rank;
  DelayTotals most;
  for (const DelayCost& cost : delays.costs) {  // largest first
    DelayTotals& totals = by_rank[cost.rank];
    totals.rank = cost.rank;
    totals.caused_ns += cost.total();
    if (totals.mostly == nullptr) totals.mostly = &cost;
    if (totals.caused_ns > most.caused_ns) most = totals;
  }
  return most;
}

Answer late(const Diagnosis& d, const CallPaths& paths) {
  Answer a{"late", "Which rank is late?", "", {"wait_causes", "rank_shares"}};
  const double waiting = d.shares.share(d.shares.sum_ns.wait);
  const DelayTotals most = most_delaying(d.waits.delays);
  if (waiting < kHardly || most.mostly == nullptr || d.waits.delays.waiting_ns <= 0) {
    a.text = fmt::format("None: wait states are {} of rank time.", format_percent(waiting));
    return a;
  }
  const double share = most.caused_ns / d.waits.delays.waiting_ns;
  const double equal = 1 / static_cast<double>(std::max<std::size_t>(1, d.shares.present));
  const std::string by = activity(most.mostly->operation, paths.name(most.mostly->path));
  if (share >= std::min(0.5, kOutstanding * equal)) {
    a.text = fmt::format("Rank {}: it causes {} of wait time, mainly through {}.", most.rank,
                         format_percent(share, 0), by);
  } else {
    a.text = fmt::format(
        "No single rank. Rank {} causes the largest share of wait time: {} (even share {}), mainly "
        "through {}.",
        most.rank, format_percent(share, 0), format_percent(equal, 0), by);
  }
  return a;
}

std::string time(std::int64_t ns) {
  return format_time_ns(static_cast<double>(ns));
}

double lost_ns(const FocusInterval& r) {
  return (1 - r.efficiency.useful) * static_cast<double>(r.end_ns - r.begin_ns);
}

std::optional<Answer> answer_change(const Diagnosis& d) {
  std::vector<FocusInterval> regions = d.monitor.intervals;
  std::erase_if(regions, [](const FocusInterval& r) {
    return r.kind == IntervalKind::startup || r.kind == IntervalKind::shutdown;
  });
  if (regions.empty()) return std::nullopt;
  Answer a{"change", "When does the behaviour change?", "", {"focus_regions"}};
  const FocusInterval& worst = *std::ranges::max_element(regions, {}, lost_ns);
  const bool efficient = worst.kind == IntervalKind::computing;
  const std::string where =
      fmt::format("parallel efficiency {}{}{}", format_percent(worst.efficiency.useful),
                  efficient ? "" : ", limited by ", efficient ? "" : name(worst.kind));
  if (regions.size() == 1) {
    a.text = fmt::format("No phase change detected ({} to {}, {}).", time(worst.begin_ns),
                         time(worst.end_ns), where);
    return a;
  }
  std::vector<std::string> times;
  for (std::size_t i = 1; i < regions.size(); ++i) times.push_back(time(regions[i].begin_ns));
  a.text = times.size() <= kMostTimes ? "At " + enumeration(times)
                                      : fmt::format("{} phase changes between {} and {}",
                                                    times.size(), times.front(), times.back());
  if (!efficient) {
    a.text += fmt::format("; largest loss between {} and {} ({})", time(worst.begin_ns),
                          time(worst.end_ns), where);
  }
  a.text += ".";
  return a;
}

std::optional<Answer> latency(const Tolerances& t) {
  if (t.rows.empty()) return std::nullopt;
  Answer a{"latency", "How much additional latency is tolerable?", "", {"tolerance"}};
  std::vector<std::string> limits;
  for (const Tolerances::Row& row : t.rows) {
    if (!row.value_ns) continue;
    limits.push_back(fmt::format("+{} for {}",
                                 format_time_ns(std::max(0.0, *row.value_ns - t.base_ns)),
                                 percent_of_ppm(row.degradation_ppm)));
  }
  if (limits.empty()) {
    a.text = "Unlimited: the predicted run time does not depend on latency.";
    return a;
  }
  a.text = fmt::format("{} longer predicted run time.", enumeration(limits));
  if (t.parameter.qualifier.empty()) {
    a.text +=
        fmt::format(" Assumed latency: {} = {}.", t.parameter.name(), format_time_ns(t.base_ns));
  }
  return a;
}

bool is_around(Operation operation) {
  return is_init(operation) || operation == Operation::finalize;
}

std::optional<Answer> answer_path(const Diagnosis& d, const CallPaths& paths) {
  const auto late = static_cast<double>(d.path.late_start_ns);
  double around = late;
  for (const ActivityShare& share : d.path.activities) {
    if (is_around(share.operation)) around += static_cast<double>(share.on_path_ns);
  }
  const double whole = static_cast<double>(d.path.makespan_ns);
  const double rest = whole - around;
  if (rest <= 0) return std::nullopt;
  Answer a{"path", "What is on the critical path?", "", {"path_activities", "path_ranks"}};
  std::vector<std::pair<double, std::string>> shares;
  for (const ActivityShare& share : d.path.activities) {
    if (is_around(share.operation)) continue;
    const bool starts_late = share.operation == Operation::none && share.path == 0;
    const double part = (static_cast<double>(share.on_path_ns) - (starts_late ? late : 0)) / rest;
    if (part < kWorthNaming) continue;
    shares.emplace_back(
        part, format_percent(part) + " " + activity(share.operation, paths.name(share.path)));
  }
  std::ranges::stable_sort(shares, std::greater{}, &std::pair<double, std::string>::first);
  std::vector<std::string> parts;
  for (const auto& [part, text] :
       std::span(shares).first(std::min(kMostActivities, shares.size()))) {
    parts.push_back(text);
  }
  a.text = enumeration(parts);
  std::vector<double> by_rank(d.path.by_rank.size());
  for (const ActivitySegment& s : d.path.segments) {
    if (is_around(s.operation)) continue;
    by_rank[static_cast<std::size_t>(s.rank)] += static_cast<double>(s.length_ns());
  }
  if (late > 0) by_rank[static_cast<std::size_t>(d.path.segments.front().rank)] -= late;
  const auto busiest = std::ranges::max_element(by_rank);
  if (busiest != by_rank.end()) {
    a.text += fmt::format("; the largest share of it, {}, is on rank {}",
                          format_percent(*busiest / rest), busiest - by_rank.begin());
  }
  a.text += ".";
  if (around > 0) {
    a.text += fmt::format(" ({}MPI_Init and MPI_Finalize, {} of the run, excluded.)",
                          late > 0 ? "Late start, " : "", format_percent(around / whole));
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
  add(all, latency(model.tolerances));
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
  add(all, latency(model.tolerances));
  return all;
}

void add_answers(const std::vector<Answer>& answers, Report& report) {
  if (answers.empty()) return;
  Json list = Json::array();
  Section section{.id = "answers", .title = "Key questions"};
  for (const Answer& a : answers) {
    list.push_back(
        {{"id", a.id}, {"question", a.question}, {"answer", a.text}, {"evidence", a.evidence}});
    section.items.emplace_back(Paragraph{a.question + " " + a.text});
  }
  report.sections.insert(report.sections.begin(), std::move(section));
  report.result["answers"] = std::move(list);
}

}  // namespace slackline
