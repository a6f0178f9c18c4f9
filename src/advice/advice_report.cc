#include <fmt/format.h>

#include "advice/advice.h"
#include "base/ratio.h"
#include "base/units.h"

namespace slackline {
namespace {

/// Whether the sum of all computation stays, so that perfect balance bounds the gain.
bool keeps_work(Problem problem) {
  return problem != Problem::computation && problem != Problem::slow_ranks &&
         problem != Problem::outliers && problem != Problem::serial;
}

Value share_of_possible(const Advice& advice, const Proposal& p) {
  const double possible = advice.makespan_ns - advice.ideal_ns;
  if (!keeps_work(p.hypothesis.problem) || possible <= 0) return {};
  return p.gain_ns / possible;
}

Json json_of(const Value& value) {
  if (const double* number = std::get_if<double>(&value)) return *number;
  return nullptr;
}

Json to_json(const Advice& advice, const Proposal& p) {
  const Hypothesis& h = p.hypothesis;
  Json edits = Json::array();
  for (const Edit& edit : h.edits) edits.push_back(to_string(edit));
  return {{"action", h.action},
          {"problem", std::string(identifier(h.problem))},
          {"place", h.place},
          {"rank", h.rank < 0 ? Json(nullptr) : Json(h.rank)},
          {"gain_ns", p.gain_ns},
          {"gain_low_ns", p.low_ns},
          {"gain_high_ns", p.high_ns},
          {"share_of_run", ratio_of(p.gain_ns, advice.makespan_ns)},
          {"share_of_possible", json_of(share_of_possible(advice, p))},
          {"evidence", h.evidence},
          {"assumption", h.assumption},
          {"edits", std::move(edits)},
          {"command", p.command}};
}

Json to_json(const Advice& advice, const Combination& combination) {
  if (combination.proposals.empty()) return nullptr;
  Json actions = Json::array();
  for (const std::size_t i : combination.proposals) {
    actions.push_back(advice.proposals[i].hypothesis.action);
  }
  return {{"actions", std::move(actions)}, {"gain_ns", combination.gain_ns}};
}

Paragraph headline(const Advice& advice) {
  if (advice.proposals.empty()) {
    return {fmt::format("Predicted run time {}. None of {} gains more than 0.1 % of it.",
                        format_time_ns(advice.makespan_ns),
                        fmt::format("{} hypotheses", advice.hypotheses))};
  }
  const Proposal& best = advice.proposals.front();
  return {fmt::format("Predicted run time {}. Largest gain: {}: {} shorter ({}).",
                      format_time_ns(advice.makespan_ns), best.hypothesis.action,
                      format_time_ns(best.gain_ns),
                      format_percent(ratio_of(best.gain_ns, advice.makespan_ns)))};
}

Paragraph bound(const Advice& advice) {
  return {fmt::format(
      "With perfectly balanced computation and free communication the run would take {}: no change "
      "that "
      "keeps the amount of computation gains more than {}.",
      format_time_ns(advice.ideal_ns), format_time_ns(advice.makespan_ns - advice.ideal_ns))};
}

Table overview_table(const Advice& advice) {
  Table table{.id = "advice",
              .title = "Changes by gain",
              .columns = {{"", Unit::count},
                          {"change"},
                          {"where"},
                          {"gain", Unit::ns, "reduction of the predicted run time"},
                          {"low", Unit::ns, "smallest gain with L, o and G halved or doubled"},
                          {"high", Unit::ns, "largest gain with L, o and G halved or doubled"},
                          {"of the run", Unit::ratio},
                          {"of the possible", Unit::ratio,
                           "gain over that of perfect balance and free communication"}},
              .rows = {}};
  std::int64_t number = 0;
  for (const Proposal& p : advice.proposals) {
    table.rows.push_back({++number, p.hypothesis.action, p.hypothesis.place, p.gain_ns, p.low_ns,
                          p.high_ns, ratio_of(p.gain_ns, advice.makespan_ns),
                          share_of_possible(advice, p)});
  }
  return table;
}

Section reasons(const Advice& advice) {
  Section section{.id = "advice-reasons", .title = "Evidence and verification"};
  for (std::size_t i = 0; i < advice.proposals.size(); ++i) {
    const Proposal& p = advice.proposals[i];
    section.items.emplace_back(
        Paragraph{fmt::format("{}. {} Assumes that {}. Verify: {}", i + 1, p.hypothesis.evidence,
                              p.hypothesis.assumption, p.command)});
  }
  return section;
}

std::optional<Paragraph> combined(const Advice& advice) {
  if (advice.combination.proposals.empty()) return std::nullopt;
  std::string numbers;
  const std::vector<std::size_t>& list = advice.combination.proposals;
  for (std::size_t i = 0; i < list.size(); ++i) {
    numbers += i == 0 ? "" : i + 1 == list.size() ? " and " : ", ";
    numbers += std::to_string(list[i] + 1);
  }
  return Paragraph{fmt::format(
      "Changes {} together: {} shorter ({}).", numbers, format_time_ns(advice.combination.gain_ns),
      format_percent(ratio_of(advice.combination.gain_ns, advice.makespan_ns)))};
}

}  // namespace

Report describe(const Advice& advice) {
  Report report;
  Json list = Json::array();
  for (const Proposal& p : advice.proposals) list.push_back(to_json(advice, p));
  report.result = {{"makespan_ns", advice.makespan_ns},
                   {"ideal_ns", advice.ideal_ns},
                   {"hypotheses", advice.hypotheses},
                   {"advice", std::move(list)},
                   {"combination", to_json(advice, advice.combination)}};
  Section summary{.id = "advise", .title = "Advice"};
  summary.items.emplace_back(headline(advice));
  summary.items.emplace_back(bound(advice));
  if (!advice.proposals.empty()) summary.items.emplace_back(overview_table(advice));
  if (auto joint = combined(advice)) summary.items.emplace_back(std::move(*joint));
  report.sections.push_back(std::move(summary));
  if (!advice.proposals.empty()) report.sections.push_back(reasons(advice));
  return report;
}

}  // namespace slackline
