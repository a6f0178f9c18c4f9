#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
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

Table limits_table(const RegressionCheck& check, bool time) {
  Table table{.id = time ? "check-run-time" : "check-efficiency",
              .title = time ? "Run time (analysed interval)" : "Parallel efficiency",
              .columns = {{"ranks"}, {"runs"}},
              .rows = {}};
  if (time) {
    table.columns.push_back({"base", Unit::ns, "geometric mean"});
    table.columns.push_back({"new", Unit::ns, "geometric mean"});
  }
  const std::string what = time ? "change" : "new";
  for (const auto& [name, explanation] :
       {std::pair(what, ""), std::pair(std::string("low"), "of the interval of 90 %"),
        std::pair(std::string("high"), ""), std::pair(std::string("limit"), "")}) {
    table.columns.push_back({name, Unit::ratio, explanation});
  }
  table.columns.push_back({"p", Unit::none, "that the limit is kept, corrected for all limits"});
  table.columns.push_back({"outcome"});
  for (const CheckedLimit& limit : check.limits) {
    if (is_run_time(limit) != time) continue;
    std::vector<Value> row{std::int64_t{limit.ranks},
                           time ? fmt::format("{} / {}", limit.base_runs, limit.fresh_runs)
                                : fmt::format("{}", limit.fresh_runs)};
    if (time) {
      row.emplace_back(limit.base.value_or(0));
      row.emplace_back(limit.fresh);
    }
    row.insert(row.end(), {limit.measured, limit.interval.first, limit.interval.second, limit.limit,
                           limit.adjusted_p});
    row.emplace_back(std::string(to_string(limit.outcome)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table changes_table(const RegressionCheck& check, bool times) {
  Table table{.id = times ? "check-functions" : "check-factors",
              .title = times ? "Functions that changed (computation)"
                             : "Efficiencies and waiting that changed",
              .columns = {{"quantity"}, {"ranks"}},
              .rows = {}};
  if (times) {
    table.columns.push_back({"function"});
    table.columns.push_back({"rank", Unit::none, "the slowest one of most new runs"});
  }
  const Unit unit = times ? Unit::ns : Unit::ratio;
  table.columns.push_back({"base", unit});
  table.columns.push_back({"new", unit});
  table.columns.push_back({"new - base", times ? Unit::ns : Unit::points});
  table.columns.push_back({"p", Unit::none, "corrected for all quantities"});
  for (const ChangedQuantity& change : check.changes) {
    if (change.is_time() != times) continue;
    std::vector<Value> row{spaced(change.metric), std::int64_t{change.ranks}};
    if (times) {
      row.emplace_back(change.function);
      row.push_back(change.rank < 0 ? Value("all") : Value(std::int64_t{change.rank}));
    }
    row.insert(row.end(), {change.base, change.fresh, change.difference(), change.adjusted_p});
    table.rows.push_back(std::move(row));
  }
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

auto limit_object(const CheckedLimit& limit) {
  return Object{"metric"_key = limit.metric,         "ranks"_key = limit.ranks,
                "base_value"_key = limit.base,       "new_value"_key = limit.fresh,
                "base_runs"_key = limit.base_runs,   "new_runs"_key = limit.fresh_runs,
                "value"_key = limit.measured,        "low"_key = limit.interval.first,
                "high"_key = limit.interval.second,  "limit"_key = limit.limit,
                "adjusted_p"_key = limit.adjusted_p, "outcome"_key = to_string(limit.outcome)};
}

auto changed_quantity_object(const ChangedQuantity& change) {
  return Object{"metric"_key = change.metric,
                "ranks"_key = change.ranks,
                "function"_key = known_text(change.function),
                "rank"_key = known_if(change.rank >= 0, change.rank),
                "base_value"_key = change.base,
                "new_value"_key = change.fresh,
                "difference"_key = change.difference(),
                "adjusted_p"_key = change.adjusted_p};
}

auto check_object(const RegressionCheck& check) {
  return Object{"exceeded"_key = check.exceeded(),
                "limits"_key = list_of(check.limits, limit_object),
                "differences"_key = list_of(check.changes, changed_quantity_object),
                "unpaired_ranks"_key = check.unpaired};
}

}  // namespace

std::string_view to_string(CheckOutcome outcome) {
  constexpr std::array<std::string_view, 3> kNames{"kept", "exceeded", "undecided"};
  return kNames[static_cast<std::size_t>(outcome)];
}

const JsonType& declared_type(const RegressionCheckJsonTag*) {
  return json_type_by<check_object>();
}

Described<RegressionCheckJson> describe(const RegressionCheck& check) {
  Described<RegressionCheckJson> report{check_object(check)};
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
