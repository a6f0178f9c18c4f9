#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <ranges>

#include "analysis/efficiency/efficiency.h"
#include "base/units.h"

namespace slackline {

/// What a run is compared with.
struct EfficiencyOf {
  const Efficiency& first;
  Scaling scaling;
};

namespace {

auto scalability_object(const EfficiencyInputs& in, const EfficiencyInputs& reference,
                        Scaling scaling) {
  const Scalability s = scalability(in, reference, scaling);
  const double parallel = factors(in, EfficiencyVariant::multiplicative).parallel;
  return Object{"computation"_key = s.computation, "instructions"_key = s.instructions,
                "ipc"_key = s.ipc, "frequency"_key = s.frequency,
                "global_efficiency"_key = s.global(parallel)};
}

std::optional<ReturnedBy<scalability_object>> scalability_to_json(const EfficiencyInputs& in,
                                                                  const EfficiencyInputs& reference,
                                                                  Scaling scaling) {
  if (!in.has_time() || !reference.has_time()) return std::nullopt;
  return scalability_object(in, reference, scaling);
}

const Rows<Efficiency, EfficiencyOf> kAnalysed{
    {"begin_ns", [](auto& run) { return run.interval.begin_ns; }},
    {"end_ns", [](auto& run) { return run.interval.end_ns; }},
    {"observed_ns", [](auto& run) { return run.analysed.observed_ns; }},
    {"ideal_ns", [](auto& run) { return run.analysed.ideal_ns; }},
    {"multiplicative",
     [](auto& run) { return factors_to_json(run.analysed, EfficiencyVariant::multiplicative); }},
    {"scalability", [](auto& run, auto& base) {
       return scalability_to_json(run.analysed, base.first.analysed, base.scaling);
     }}};

const Rows<EfficiencyInputs> kInputs{
    "efficiency_times",
    "Times behind the efficiency factors, whole run",
    {{"ranks", Unit::count, &EfficiencyInputs::ranks},
     {"observed_ns", "run time", Unit::ns, &EfficiencyInputs::observed_ns},
     {"ideal_ns", "ideal-network run time", Unit::ns, &EfficiencyInputs::ideal_ns},
     {"useful_mean_ns", "mean computation", Unit::ns, &EfficiencyInputs::useful_mean_ns},
     {"useful_max_ns", "max. computation", Unit::ns, &EfficiencyInputs::useful_max_ns},
     {"outside_mpi_max_ns", &EfficiencyInputs::outside_max_ns},
     {"ideal_computation_max_ns", &EfficiencyInputs::ideal_useful_max_ns},
     {"instructions", &EfficiencyInputs::instructions},
     {"cycles", &EfficiencyInputs::cycles}}};

template <EfficiencyVariant variant>
std::optional<FactorsJson> factors_in(const Efficiency& run) {
  return factors_to_json(run.inputs, variant);
}

/// Only several runs have a `study`.
auto efficiency_object(const std::vector<Efficiency>& runs, Scaling scaling,
                       const std::optional<ScalingStudy>& study) {
  return Object{
      "runs"_key = list_of(runs,
                           [&](const Efficiency& run) {
                             return EfficiencyRunJson(run, EfficiencyOf{runs.front(), scaling});
                           }),
      "scaling"_key.when(optional_of(study, [](const ScalingStudy& s) { return s.result; }))};
}

class EfficiencyTable {
 public:
  EfficiencyTable(const std::vector<Efficiency>& runs, std::string id, std::string title)
      : runs_(runs), table_{std::move(id), std::move(title), {{"factor"}}, {}} {
    for (const Efficiency& run : runs) {
      table_.columns.push_back(
          {count_of(static_cast<std::uint64_t>(run.inputs.ranks), "rank"), Unit::ratio, run.name});
    }
  }
  void row(std::string name, const std::function<std::optional<double>(const Efficiency&)>& value) {
    std::vector<Value> row;
    row.emplace_back(std::move(name));
    bool any = false;
    for (const Efficiency& run : runs_) {
      const std::optional<double> v = value(run);
      any = any || v.has_value();
      if (v) {
        row.emplace_back(*v);
      } else {
        row.emplace_back();
      }
    }
    if (any) table_.rows.push_back(std::move(row));
  }
  Table take() { return std::move(table_); }

 private:
  const std::vector<Efficiency>& runs_;
  Table table_;
};

Table tree(const std::vector<Efficiency>& runs, EfficiencyVariant variant,
           std::string_view interval) {
  EfficiencyTable table(runs, fmt::format("efficiency_{}", to_string(variant)),
                        fmt::format("Efficiency factors ({}), {}", to_string(variant), interval));
  const auto factor = [&](std::string name, double EfficiencyFactors::*member) {
    table.row(std::move(name), [&](const Efficiency& e) -> std::optional<double> {
      if (!e.inputs.has_time()) return std::nullopt;
      return factors(e.inputs, variant).*member;
    });
  };
  factor("parallel efficiency", &EfficiencyFactors::parallel);
  factor("  load balance", &EfficiencyFactors::load_balance);
  factor("  communication efficiency", &EfficiencyFactors::communication);
  factor("    serialisation efficiency", &EfficiencyFactors::serialisation);
  factor("    transfer efficiency", &EfficiencyFactors::transfer);
  return table.take();
}

/// What a report says of the runs: the factors of the analysed interval.
Table analysed_tree(std::vector<Efficiency> runs) {
  for (Efficiency& run : runs) run.inputs = run.analysed;
  Table table = tree(runs, EfficiencyVariant::multiplicative, "analysed interval");
  table.id = "efficiency_analysed";
  return table;
}

Table scalability_table(const std::vector<Efficiency>& runs, Scaling scaling) {
  const EfficiencyInputs& reference = runs.front().analysed;
  EfficiencyTable table(runs, "scalability",
                        fmt::format("Scalability ({} scaling) relative to {}, analysed interval",
                                    scaling == Scaling::strong ? "strong" : "weak",
                                    count_of(static_cast<std::uint64_t>(reference.ranks), "rank")));
  using Number = std::optional<double>;
  const auto row = [&](std::string name, auto value) {
    table.row(std::move(name), [&, value](const Efficiency& e) -> Number {
      if (!e.analysed.has_time() || !reference.has_time()) return std::nullopt;
      return value(scalability(e.analysed, reference, scaling),
                   factors(e.analysed, EfficiencyVariant::multiplicative).parallel);
    });
  };
  row("global efficiency",
      [](const Scalability& s, double parallel) -> Number { return s.global(parallel); });
  row("  parallel efficiency",
      [](const Scalability&, double parallel) -> Number { return parallel; });
  row("  computation scalability",
      [](const Scalability& s, double) -> Number { return s.computation; });
  row("    instructions", [](const Scalability& s, double) { return s.instructions; });
  row("    IPC", [](const Scalability& s, double) { return s.ipc; });
  row("    frequency", [](const Scalability& s, double) { return s.frequency; });
  return table.take();
}

std::string interval_note(const std::vector<Efficiency>& runs) {
  const std::string& first = runs.front().interval_meaning;
  const bool one = std::ranges::all_of(
      runs, [&](const Efficiency& run) { return run.interval_meaning == first; });
  return fmt::format(
      "The first table is for the analysed interval{}, as in 'slackline report'; the others are "
      "for "
      "the whole run.",
      one ? ", " + first : " of each run");
}

}  // namespace

std::optional<std::string> transfer_note(const EfficiencyInputs& inputs) {
  constexpr double kRounding = 1.0005;  // what one decimal of a percentage shows
  if (!inputs.has_time()) return std::nullopt;
  if (factors(inputs, EfficiencyVariant::multiplicative).transfer < kRounding) return std::nullopt;
  return "Transfer efficiency above 100 %: the replay on an ideal network takes longer than the "
         "run. "
         "Either clocks disagree, or the run did not wait where the replay does, as for messages "
         "that the rendezvous threshold makes wait for their receiver.";
}

const Rows<EfficiencyFactors> kEfficiencyFactors{
    {"parallel", &EfficiencyFactors::parallel},
    {"load_balance", &EfficiencyFactors::load_balance},
    {"communication", &EfficiencyFactors::communication},
    {"serialisation", &EfficiencyFactors::serialisation},
    {"transfer", &EfficiencyFactors::transfer}};

std::optional<FactorsJson> factors_to_json(const EfficiencyInputs& in, EfficiencyVariant variant) {
  if (!in.has_time()) return std::nullopt;
  return FactorsJson(factors(in, variant));
}

Table efficiency_table(const Efficiency& run, EfficiencyVariant variant,
                       std::string_view interval) {
  return tree({run}, variant, interval);
}

const Rows<Efficiency, EfficiencyOf> kEfficiency{
    {"trace", &Efficiency::name},
    {kSpliced, &Efficiency::inputs, kInputs},
    {"useful_ns", &Efficiency::useful_ns},
    {"multiplicative", factors_in<EfficiencyVariant::multiplicative>},
    {"additive", factors_in<EfficiencyVariant::additive>},
    {"basicanalysis", factors_in<EfficiencyVariant::basicanalysis>},
    {"analysed", [](auto& run) -> auto& { return run; }, kAnalysed},
    {"scalability",
     [](auto& run, auto& base) {
       return scalability_to_json(run.inputs, base.first.inputs, base.scaling);
     }},
    {kIfKnown, "machine_share", &Efficiency::machine, kMachineShare},
    {kIfKnown, "openmp", &Efficiency::openmp, kOpenMPRows}};

EfficiencyRunJson efficiency_to_json(const Efficiency& run) {
  return EfficiencyRunJson(run, EfficiencyOf{run, Scaling::strong});
}

const JsonType& declared_type(const EfficiencyJsonTag*) {
  return json_type_by<efficiency_object>();
}

Described<EfficiencyJson> describe_efficiency(const std::vector<Efficiency>& runs, Scaling scaling,
                                              const std::string& why_scaling) {
  std::optional<ScalingStudy> study;
  if (runs.size() > 1) study = scaling_study(runs, scaling);
  Described<EfficiencyJson> report{efficiency_object(runs, scaling, study)};
  for (const Efficiency& run : runs) report.findings.merge(run.findings);
  Section section{.id = "efficiency", .title = "Efficiency"};
  section.items.emplace_back(Paragraph{interval_note(runs)});
  section.items.emplace_back(analysed_tree(runs));
  for (const Efficiency& run : runs) {
    const std::optional<std::string> note = transfer_note(run.analysed);
    if (!note) continue;
    section.items.emplace_back(Paragraph{*note});
    break;
  }
  for (const EfficiencyVariant variant : kEfficiencyVariants) {
    section.items.emplace_back(tree(runs, variant, "whole run"));
  }
  section.items.emplace_back(kInputs.table(runs | std::views::transform(&Efficiency::inputs)));
  if (runs.size() == 1 && runs.front().machine) {
    section.items.emplace_back(machine_facts(*runs.front().machine));
  }
  std::vector<Section> of_threads;
  if (runs.size() == 1 && runs.front().openmp) {
    of_threads.push_back(openmp_section(*runs.front().openmp));
  }
  if (study) {
    if (!why_scaling.empty()) {
      auto& items = study->section.items;
      items.insert(items.begin(), Item(Paragraph{why_scaling}));
    }
    // First, because it is what several runs are compared for.
    study->section.items.emplace_back(scalability_table(runs, scaling));
    report.sections.push_back(std::move(study->section));
  }
  report.sections.push_back(std::move(section));
  std::ranges::move(of_threads, std::back_inserter(report.sections));
  return report;
}

}  // namespace slackline
