#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "analysis/regression/check.h"
#include "base/units.h"

namespace slackline {
namespace {

bool is_run_time(const CheckedLimit& limit) {
  return limit.metric == kRunMetrics[0];
}

std::string on_ranks(std::int32_t ranks) {
  return fmt::format("on {}", count_of(static_cast<std::uint64_t>(ranks), "rank"));
}

std::string signed_percent(double ratio) {
  return fmt::format("{}{}", ratio < 0 ? "" : "+", format_percent(ratio, 2));
}

std::string outcome_words(const CheckedLimit& limit) {
  switch (limit.outcome) {
    case CheckOutcome::kept:
      return "the limit is kept";
    case CheckOutcome::exceeded:
      return "the limit is exceeded";
    case CheckOutcome::undecided:
      break;
  }
  return "undecided: neither exceeded nor kept by more than runs vary; more runs would decide";
}

/// "run time on 4 ranks: +3.10 % (90 %: +2.50 to +3.70 %), limit +2.00 %, p = 0.0012: exceeded".
std::string sentence(const CheckedLimit& limit) {
  const bool time = is_run_time(limit);
  const auto shown = [&](double value) {
    return time ? signed_percent(value) : format_percent(value, 2);
  };
  std::string text =
      time ? fmt::format("{} instead of {} ({}", format_time_ns(limit.fresh),
                         format_time_ns(limit.base.value_or(0)), shown(limit.measured))
           : fmt::format("{} ({}", shown(limit.measured), count_of(limit.fresh_runs, "run"));
  text +=
      fmt::format("; 90 %: {} to {}", shown(limit.interval.first), shown(limit.interval.second));
  text += fmt::format("), {} {}", time ? "at most" : "at least", shown(limit.limit));
  text += fmt::format(", p = {:.2g}", limit.adjusted_p);
  return text + ": " + outcome_words(limit);
}

const Rows<CheckedLimit> kCheckedLimits{
    "check-run-time",
    "Run time (analysed interval)",
    {{"metric", &CheckedLimit::metric},
     {"ranks", Unit::none, &CheckedLimit::ranks},
     {kShown, "runs", Unit::none,
      [](auto& l) {
        return is_run_time(l) ? fmt::format("{} / {}", l.base_runs, l.fresh_runs)
                              : fmt::format("{}", l.fresh_runs);
      }},
     {"base_value", "base", Unit::ns, &CheckedLimit::base, "geometric mean"},
     {"new_value", "new", Unit::ns, &CheckedLimit::fresh, "geometric mean"},
     {"base_runs", &CheckedLimit::base_runs},
     {"new_runs", &CheckedLimit::fresh_runs},
     {"value", "change", Unit::ratio, &CheckedLimit::measured},
     {"low", Unit::ratio, [](auto& l) { return l.interval.first; }, "of the interval of 90 %"},
     {"high", Unit::ratio, [](auto& l) { return l.interval.second; }},
     {"limit", Unit::ratio, &CheckedLimit::limit},
     {"adjusted_p", "p", Unit::none, &CheckedLimit::adjusted_p,
      "that the limit is kept, corrected for all limits"},
     {"outcome", Unit::none, [](auto& l) { return to_string(l.outcome); }}}};

Table limits_table(const RegressionCheck& check, bool time) {
  Table table = kCheckedLimits.table(std::views::filter(
      check.limits, [=](const CheckedLimit& limit) { return is_run_time(limit) == time; }));
  if (time) return table;
  table.id = "check-efficiency";
  table.title = "Parallel efficiency";
  remove_column(table, "base");
  remove_column(table, "new");
  column_named(table, "change").name = "new";
  return table;
}

const Rows<ChangedQuantity> kChangedQuantities{
    "check-functions",
    "Functions that changed (computation)",
    {{"metric", "quantity", Unit::none, [](auto& c) { return NameOf(c.metric, spaced(c.metric)); }},
     {"ranks", Unit::none, &ChangedQuantity::ranks},
     {"function", Unit::none, [](auto& c) { return known_text(c.function); }},
     {"rank", [](auto& c) { return known_if(c.rank >= 0, c.rank); }},
     {kShown, "rank", Unit::none,
      [](auto& c) { return c.rank < 0 ? Value("all") : Value(std::int64_t{c.rank}); },
      "the slowest one of most new runs"},
     {"base_value", "base", Unit::ns, &ChangedQuantity::base},
     {"new_value", "new", Unit::ns, &ChangedQuantity::fresh},
     {"difference", "new - base", Unit::ns, &ChangedQuantity::difference},
     {"adjusted_p", "p", Unit::none, &ChangedQuantity::adjusted_p,
      "corrected for all quantities"}}};

Table changes_table(const RegressionCheck& check, bool times) {
  Table table = kChangedQuantities.table(std::views::filter(
      check.changes, [=](const ChangedQuantity& change) { return change.is_time() == times; }));
  if (times) return table;
  table.id = "check-factors";
  table.title = "Efficiencies and waiting that changed";
  remove_column(table, "function");
  remove_column(table, "rank");
  for (const char* value : {"base", "new"}) column_named(table, value).unit = Unit::ratio;
  column_named(table, "new - base").unit = Unit::points;
  return table;
}

std::string headline(const RegressionCheck& check) {
  const auto count = [&](CheckOutcome outcome) {
    return static_cast<std::uint64_t>(
        std::ranges::count(check.limits, outcome, &CheckedLimit::outcome));
  };
  const std::uint64_t undecided = count(CheckOutcome::undecided);
  std::string text = check.exceeded()
                         ? fmt::format("{} of {} exceeded.", count(CheckOutcome::exceeded),
                                       count_of(check.limits.size(), "limit"))
                         : "No limit is exceeded.";
  if (undecided > 0) {
    text += fmt::format(
        " {} of {} undecided: the runs vary too much, or are too few, to say that they exceed the "
        "limit or that they keep it.",
        undecided, count_of(check.limits.size(), "limit"));
  }
  return text;
}

}  // namespace

std::string_view to_string(CheckOutcome outcome) {
  constexpr std::array<std::string_view, 3> kNames{"kept", "exceeded", "undecided"};
  return kNames[static_cast<std::size_t>(outcome)];
}

const Rows<RegressionCheck> kRegressionCheck{
    {"exceeded", &RegressionCheck::exceeded},
    {"limits", &RegressionCheck::limits, kCheckedLimits},
    {"differences", &RegressionCheck::changes, kChangedQuantities},
    {"unpaired_ranks", &RegressionCheck::unpaired}};

Described<RegressionCheckJson> describe(const RegressionCheck& check) {
  Described<RegressionCheckJson> report{RegressionCheckJson(check)};
  report.findings = check.findings;
  Section section{.id = "check", .title = "Limits"};
  section.items.emplace_back(Paragraph{headline(check)});
  for (const bool time : {true, false}) {
    Table table = limits_table(check, time);
    if (!table.rows.empty()) section.items.emplace_back(std::move(table));
  }
  if (!check.unpaired.empty()) {
    section.items.emplace_back(
        Paragraph{fmt::format("Not compared: runs on {} ranks, which only one side has.",
                              fmt::join(check.unpaired, ", "))});
  }
  report.sections.push_back(std::move(section));
  Section changes{.id = "check-changes", .title = "What changed by more than runs vary"};
  for (const bool times : {false, true}) {
    Table table = changes_table(check, times);
    if (!table.rows.empty()) changes.items.emplace_back(std::move(table));
  }
  if (changes.items.empty()) changes.items.emplace_back(Paragraph{"Nothing else."});
  report.sections.push_back(std::move(changes));
  return report;
}

std::vector<CheckedCondition> conditions(const RegressionCheck& check) {
  using Outcome = CheckedCondition::Outcome;
  std::vector<CheckedCondition> conditions;
  for (const CheckedLimit& limit : check.limits) {
    const Outcome outcome = limit.outcome == CheckOutcome::kept       ? Outcome::passed
                            : limit.outcome == CheckOutcome::exceeded ? Outcome::failed
                                                                      : Outcome::undecided;
    conditions.push_back({spaced(std::string(limit.metric)) + " " + on_ranks(limit.ranks), outcome,
                          sentence(limit)});
  }
  return conditions;
}

}  // namespace slackline
