#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/regression/change_points.h"
#include "analysis/regression/history.h"
#include "base/error.h"
#include "base/statistics.h"
#include "base/units.h"
#include "report/unicode.h"

namespace slackline {
namespace {

constexpr std::size_t kShownCommit = 12;

std::string short_commit(const std::string& commit) {
  return commit.substr(0, kShownCommit);
}

/// One rank where it has most of the change, else all that the mean stands for.
bool on_one_rank(const ChangedFunction& function, std::int32_t ranks) {
  return std::abs(function.change_ns) > std::abs(function.mean_change_ns) * ranks / 2;
}

std::string function_words(const ChangedFunction& function, std::int32_t ranks) {
  return fmt::format("{} of {} takes {} {}",
                     on_one_rank(function, ranks) ? fmt::format("rank {}", function.rank)
                                                  : std::string("the slowest rank"),
                     function.name, format_time_ns(std::abs(function.change_ns)),
                     function.change_ns < 0 ? "less" : "more");
}

std::string what_changed(const HistoryChange& change) {
  return change.function.empty() ? spaced(change.quantity) : change.function;
}

bool is_time(const HistoryChange& change) {
  return change.quantity == kRunMetrics[0] || !change.function.empty();
}

std::string change_words(const HistoryChange& change) {
  if (!is_time(change)) {
    return fmt::format("{} {} to {}", what_changed(change), format_percent(change.before),
                       format_percent(change.after));
  }
  const double ratio = change.before > 0 ? change.after / change.before - 1 : 0;
  return fmt::format("{} {}{}", what_changed(change), ratio < 0 ? "" : "+",
                     format_percent(ratio, 2));
}

Paragraph changed_words(const RankHistory& history, const ChangedCommit& changed) {
  std::string text = short_commit(history.points[changed.point].commit) + ": ";
  for (std::size_t i = 0; i < changed.changes.size(); ++i) {
    text += (i == 0 ? "" : ", ") + change_words(changed.changes[i]);
  }
  if (!changed.functions.empty()) {
    text += "; " + function_words(changed.functions.front(), history.ranks);
  }
  return {text + "."};
}

/// "4", and of another program "4-app".
std::string id_of(const History& all, const RankHistory& history) {
  const auto first = std::ranges::find(all.by_ranks, history.ranks, &RankHistory::ranks);
  const auto index = &history - &*first;
  return index == 0 ? fmt::format("{}", history.ranks)
                    : fmt::format("{}-{}", history.ranks, index + 1);
}

Table changes_table(const RankHistory& history, const std::string& id, bool times) {
  const Unit unit = times ? Unit::ns : Unit::ratio;
  Table table{.id = fmt::format("history-{}-{}", times ? "times" : "factors", id),
              .title = times ? "Changed times" : "Changed efficiencies",
              .columns = {{"commit"},
                          {"quantity"},
                          {"before", unit, "median"},
                          {"after", unit, "median"},
                          {"change", times ? Unit::ratio : Unit::points},
                          {"p", Unit::none, "of the test that found it, not corrected"}},
              .rows = {}};
  for (const ChangedCommit& changed : history.changed) {
    for (const HistoryChange& change : changed.changes) {
      if (is_time(change) != times) continue;
      const double difference = change.after - change.before;
      table.rows.push_back(
          {history.points[change.point].commit, what_changed(change), change.before, change.after,
           times && change.before > 0 ? difference / change.before : difference, change.p});
    }
  }
  return table;
}

/// The numbers of commits are the axis, and the table names them.
Series series_of(const RankHistory& history, const std::string& id) {
  Series series{.id = "history-" + id,
                .title = "Efficiencies and run time by commit (medians of its runs)",
                .x_name = "commit",
                .x = {},
                .lines = {},
                .zones = {}};
  for (std::size_t i = 0; i < history.points.size(); ++i) {
    series.x.push_back(static_cast<double>(i + 1));
  }
  for (std::size_t m = 1; m <= kRunMetrics.size(); ++m) {
    const std::size_t metric = m % kRunMetrics.size();  // the run time last, below the factors
    Line line{.name = spaced(std::string(kRunMetrics[metric])),
              .unit = metric == 0 ? Unit::ns : Unit::ratio,
              .y = {},
              .panel = metric == 0 ? 1 : 0};
    for (const HistoryPoint& point : history.points) {
      line.y.push_back(median_of(point.runs.metrics[metric]));
    }
    series.lines.push_back(std::move(line));
  }
  for (std::size_t c = 0; c < history.changed.size(); ++c) {
    const std::size_t end =
        c + 1 == history.changed.size() ? history.points.size() : history.changed[c + 1].point;
    series.zones.push_back(
        {"since " + short_commit(history.points[history.changed[c].point].commit),
         static_cast<double>(history.changed[c].point + 1), static_cast<double>(end)});
  }
  return series;
}

Table points_table(const RankHistory& history, const std::string& id) {
  Table table{.id = "history-commits-" + id,
              .title = "Commits",
              .columns = {{"number"},
                          {"commit"},
                          {"started"},
                          {"runs"},
                          {"run time", Unit::ns, "median"},
                          {"parallel efficiency", Unit::ratio},
                          {"load balance", Unit::ratio},
                          {"serialisation", Unit::ratio},
                          {"transfer", Unit::ratio},
                          {"limited by"}},
              .rows = {}};
  for (std::size_t i = 0; i < history.points.size(); ++i) {
    const JobSummary& runs = history.points[i].runs;
    table.rows.push_back({static_cast<std::int64_t>(i + 1), history.points[i].commit, runs.started,
                          static_cast<std::int64_t>(runs.runs()), median_of(runs.metrics[0]),
                          median_of(runs.metrics[1]), median_of(runs.metrics[2]),
                          median_of(runs.metrics[4]), median_of(runs.metrics[5]),
                          runs.causes.empty() ? std::string() : spaced(runs.causes.front().limit)});
  }
  return table;
}

/// With which number of commits a change can be found.
std::string needed_words(const History& all, std::size_t least) {
  return least == 0
             ? fmt::format(
                   "with {} series no change can be found, as their permutations are too few",
                   all.tested)
             : fmt::format("with {} series a change is found from {} commits on", all.tested,
                           least);
}

Section section_of(const History& all, const RankHistory& history, std::size_t least) {
  const std::string id = id_of(all, history);
  Section section{.id = "history-" + id,
                  .title = count_of(static_cast<std::uint64_t>(history.ranks), "rank") +
                           (history.program.empty() ? "" : ": " + history.program)};
  if (least == 0 || history.points.size() < least) {
    section.items.emplace_back(Paragraph{fmt::format(
        "{}: {}.", count_of(history.points.size(), "commit"), needed_words(all, least))});
  } else if (history.changed.empty()) {
    section.items.emplace_back(
        Paragraph{fmt::format("No change in {}.", count_of(history.points.size(), "commit"))});
  }
  for (const ChangedCommit& changed : history.changed) {
    section.items.emplace_back(changed_words(history, changed));
  }
  for (const bool times : {true, false}) {
    Table table = changes_table(history, id, times);
    if (!table.rows.empty()) section.items.emplace_back(std::move(table));
  }
  section.items.emplace_back(series_of(history, id));
  section.items.emplace_back(points_table(history, id));
  return section;
}

Section method_section(const History& history, std::size_t least) {
  return {
      .id = "history-method",
      .title = "Method",
      .items = {Paragraph{fmt::format(
          "{} series (medians over the runs of a commit) are searched for changes of level: by the "
          "largest standardised rank sum over all places, tested by permutations. Where none of "
          "the series changes, the probability of any change is at most {} (Holm); where one has "
          "changed, the stretches before and after are searched at the level of its first change, "
          "and further changes are not bounded over all series. At best, {}, half of them on "
          "either side; of more commits fewer on one side suffice, {} at least. A change that was "
          "soon undone may be missed. slackline check compares the newest commit.",
          history.tested, format_percent(kHistoryErrorRate, 0), needed_words(history, least),
          kLeastStretch)}}};
}

const Rows<HistoryChange> kHistoryChanges{
    {"metric", &HistoryChange::quantity},
    {"function", [](auto& change) { return known_text(change.function); }},
    {"level_before", &HistoryChange::before},
    {"level_after", &HistoryChange::after},
    {"p", &HistoryChange::p}};

const Rows<ChangedFunction> kChangedFunctions{{"function", &ChangedFunction::name},
                                              {"rank", &ChangedFunction::rank},
                                              {"change_ns", &ChangedFunction::change_ns},
                                              {"mean_change_ns", &ChangedFunction::mean_change_ns}};

const Rows<ChangedCommit, RankHistory> kChangedCommits{
    {"commit", [](auto& c, auto& history) { return history.points[c.point].commit; }},
    {"number", [](auto& c) { return c.point + 1; }},
    {"level_changes", &ChangedCommit::changes, kHistoryChanges},
    {"functions", &ChangedCommit::functions, kChangedFunctions}};

const Rows<HistoryPoint> kHistoryPoints{{"commit", &HistoryPoint::commit},
                                        {"summary", &HistoryPoint::runs, kJobSummary}};

const Rows<RankHistory> kRankHistories{
    {"ranks", &RankHistory::ranks},
    {"program", [](auto& history) { return known_text(history.program); }},
    {"changed_commits", &RankHistory::changed, kChangedCommits},
    {"commits", &RankHistory::points, kHistoryPoints}};

std::string colour_of(double share) {
  if (share < 0) return "#555";
  if (share >= 0.8) return "#2a7f3f";
  return share >= 0.6 ? "#9a6b00" : "#b3261e";
}

}  // namespace

const Rows<History> kHistoryRows{{"tested", &History::tested},
                                 {"histories", &History::by_ranks, kRankHistories}};

Described<HistoryJson> describe(const History& history) {
  Described<HistoryJson> report{HistoryJson(history)};
  report.findings = history.findings;
  const std::size_t least = least_values(history.tested, kHistoryErrorRate);
  for (const RankHistory& ranks : history.by_ranks) {
    report.sections.push_back(section_of(history, ranks, least));
  }
  report.sections.push_back(method_section(history, least));
  return report;
}

std::string badge_svg(std::string_view label, std::string_view value, double share) {
  constexpr int kCharacter = 7;  // width of one in this font, wide enough
  constexpr int kMargin = 10;
  const int left = static_cast<int>(label.size()) * kCharacter + kMargin;
  const int right = static_cast<int>(value.size()) * kCharacter + kMargin;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"20\" role=\"img\" "
      "aria-label=\"{4}: {5}\">\n<title>{4}: {5}</title>\n"
      "<rect width=\"{0}\" height=\"20\" rx=\"3\" fill=\"#555\"/>\n"
      "<path d=\"M{1} 0h{2}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{2}z\" fill=\"{3}\"/>\n"
      "<g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\" "
      "text-anchor=\"middle\">\n<text x=\"{6}\" y=\"14\">{4}</text>\n"
      "<text x=\"{7}\" y=\"14\">{5}</text>\n</g>\n</svg>\n",
      left + right, left, right - 3, colour_of(share), escaped_xml(printable(label)),
      escaped_xml(printable(value)), left / 2, left + right / 2);
}

std::string efficiency_badge(const History& history) {
  constexpr std::string_view kLabel = "parallel efficiency";
  if (history.by_ranks.empty()) return badge_svg(kLabel, "unknown", -1);
  const RankHistory& most = history.by_ranks.back();
  if (std::ranges::count(history.by_ranks, most.ranks, &RankHistory::ranks) > 1) {
    throw Error("cannot write a badge",
                fmt::format("there are several programs on {}",
                            count_of(static_cast<std::uint64_t>(most.ranks), "rank")),
                "Give a folder with runs of one.");
  }
  const double efficiency = median_of(most.points.back().runs.metrics[1]);
  return badge_svg(kLabel,
                   fmt::format("{} on {}", format_percent(efficiency, 0),
                               count_of(static_cast<std::uint64_t>(most.ranks), "rank")),
                   efficiency);
}

}  // namespace slackline
