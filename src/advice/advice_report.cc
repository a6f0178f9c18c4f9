#include <fmt/format.h>

#include <optional>
#include <utility>

#include "advice/advice.h"
#include "base/arithmetic.h"
#include "base/units.h"

namespace slackline {
namespace {

/// Whether the sum of all computation stays, so that perfect balance bounds the gain.
bool keeps_work(Problem problem) {
  return problem != Problem::computation && problem != Problem::slow_ranks &&
         problem != Problem::outliers && problem != Problem::serial &&
         problem != Problem::processors && problem != Problem::blocking &&
         problem != Problem::threads;
}

Value share_of_possible(const Advice& advice, const Proposal& p) {
  const double possible = advice.run_ns - advice.ideal_ns;
  if (!keeps_work(p.hypothesis.problem) || possible <= 0) return {};
  return p.gain_ns / possible;
}

std::optional<double> number_of(const Value& value) {
  const double* number = std::get_if<double>(&value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

auto replayed_object(const ReplayedGain& r) {
  return Object{"gain_ns"_key = r.gain_ns, "low_ns"_key = r.low_ns, "high_ns"_key = r.high_ns};
}

auto proposal_object(const Advice& advice, const Proposal& p) {
  const Hypothesis& h = p.hypothesis;
  return Object{"action"_key = h.action,
                "problem"_key = identifier(h.problem),
                "place"_key = h.place,
                "rank"_key = known_if(h.rank >= 0, h.rank),
                "gain_ns"_key = p.gain_ns,
                "gain_low_ns"_key = p.low_ns,
                "gain_high_ns"_key = p.high_ns,
                "simulated_gain_ns"_key = p.simulated_gain_ns,
                "replayed"_key = optional_of(p.replayed, replayed_object),
                "share_of_run"_key = ratio_of(p.gain_ns, advice.run_ns),
                "share_of_possible"_key = number_of(share_of_possible(advice, p)),
                "evidence"_key = h.evidence,
                "assumption"_key = h.assumption,
                "edits"_key = list_of(h.edits, [](const Edit& edit) { return to_string(edit); }),
                "command"_key = p.command};
}

auto combination_object(const Advice& advice) {
  const Combination& combination = advice.combination;
  const auto action = [&](std::size_t i) { return advice.proposals[i].hypothesis.action; };
  return Object{"actions"_key = list_of(combination.proposals, action),
                "gain_ns"_key = combination.gain_ns};
}

auto advice_object(const Advice& advice) {
  return Object{
      "evaluated_on"_key = advice.measured ? "measured_run" : "predicted_run",
      "run_ns"_key = advice.run_ns,
      "simulated_ns"_key = advice.simulated_ns,
      "ideal_ns"_key = advice.ideal_ns,
      "hypotheses"_key = advice.hypotheses,
      "advice"_key =
          list_of(advice.proposals, [&](const Proposal& p) { return proposal_object(advice, p); }),
      "combination"_key =
          known_if(!advice.combination.proposals.empty(), combination_object(advice))};
}

std::string run_time(const Advice& advice) {
  return fmt::format("{} run time {}", advice.measured ? "Measured" : "Predicted",
                     format_time_ns(advice.run_ns));
}

Paragraph headline(const Advice& advice) {
  if (advice.run_ns <= 0) {
    return {"No change can be evaluated: there is no interval in which all ranks were recorded."};
  }
  if (advice.proposals.empty()) {
    return {fmt::format("{}. None of {} hypotheses gains more than 0.1 % of it.", run_time(advice),
                        advice.hypotheses)};
  }
  const Proposal& best = advice.proposals.front();
  return {fmt::format("{}. First change to try: {}: {} shorter ({}).", run_time(advice),
                      best.hypothesis.action, format_time_ns(best.gain_ns),
                      format_percent(ratio_of(best.gain_ns, advice.run_ns)))};
}

/// What the measured run does not have is what the simulation has.
std::optional<Paragraph> of_simulation(const Advice& advice) {
  if (!advice.simulated_ns) return std::nullopt;
  return Paragraph{fmt::format(
      "Simulated run time {}. Edits of the program were simulated, too, and are ranked by the "
      "smaller gain; those that gain nothing by simulation are left out.",
      format_time_ns(*advice.simulated_ns))};
}

Paragraph bound(const Advice& advice) {
  return {fmt::format(
      "With perfectly balanced computation and free communication the run would take {}: no change "
      "that keeps the amount of computation gains more than {}.",
      format_time_ns(advice.ideal_ns), format_time_ns(advice.run_ns - advice.ideal_ns))};
}

Table overview_table(const Advice& advice) {
  Table table{
      .id = "advice",
      .title = "Proposed changes",
      .columns = {{"", Unit::count},
                  {"change"},
                  {"where"},
                  {"gain", Unit::ns, "how much shorter the run is, executed with the change"},
                  {"low", Unit::ns, "error bar: variation over the run, lack of processors"},
                  {"high", Unit::ns},
                  {"of the run", Unit::ratio},
                  {"of the possible", Unit::ratio,
                   "gain over that of perfect balance and free communication"}},
      .rows = {}};
  if (advice.simulated_ns) {
    table.columns.push_back({"simulated gain", Unit::ns, "reduction of the simulated run time"});
  }
  std::int64_t number = 0;
  for (const Proposal& p : advice.proposals) {
    table.rows.push_back({++number, p.hypothesis.action, p.hypothesis.place, p.gain_ns, p.low_ns,
                          p.high_ns, ratio_of(p.gain_ns, advice.run_ns),
                          share_of_possible(advice, p)});
    if (advice.simulated_ns)
      table.rows.back().push_back(p.simulated_gain_ns ? Value(*p.simulated_gain_ns) : Value{});
  }
  return table;
}

/// Predicted beside measured.
Table verification_table(const Advice& advice) {
  Table table{.id = "verification",
              .title = "Replayed",
              .columns = {{"", Unit::count},
                          {"change"},
                          {"predicted gain", Unit::ns},
                          {"low", Unit::ns},
                          {"high", Unit::ns},
                          {"replayed gain", Unit::ns,
                           "median replay of the program less that of the edited one"},
                          {"replayed low", Unit::ns, "the two replays that are closest"},
                          {"replayed high", Unit::ns, "the two that are farthest apart"},
                          {"agrees", Unit::none, "the ranges overlap"}},
              .rows = {}};
  for (std::size_t i = 0; i < advice.proposals.size(); ++i) {
    const Proposal& p = advice.proposals[i];
    if (!p.replayed) continue;
    const bool agrees = p.low_ns <= p.replayed->high_ns && p.replayed->low_ns <= p.high_ns;
    table.rows.push_back({static_cast<std::int64_t>(i + 1), p.hypothesis.action, p.gain_ns,
                          p.low_ns, p.high_ns, p.replayed->gain_ns, p.replayed->low_ns,
                          p.replayed->high_ns, agrees ? "yes" : "no"});
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
      format_percent(ratio_of(advice.combination.gain_ns, advice.run_ns)))};
}

}  // namespace

const JsonType& declared_type(const AdviceJsonTag*) {
  return json_type_by<advice_object>();
}

Described<AdviceJson> describe(const Advice& advice) {
  Described<AdviceJson> report{advice_object(advice)};
  Section summary{.id = "advise", .title = "Advice"};
  summary.items.emplace_back(headline(advice));
  if (auto simulated = of_simulation(advice)) summary.items.emplace_back(std::move(*simulated));
  if (advice.run_ns > 0) summary.items.emplace_back(bound(advice));
  if (!advice.proposals.empty()) summary.items.emplace_back(overview_table(advice));
  if (Table replayed = verification_table(advice); !replayed.rows.empty()) {
    summary.items.emplace_back(std::move(replayed));
  }
  if (auto joint = combined(advice)) summary.items.emplace_back(std::move(*joint));
  report.sections.push_back(std::move(summary));
  if (!advice.proposals.empty()) report.sections.push_back(reasons(advice));
  return report;
}

}  // namespace slackline
