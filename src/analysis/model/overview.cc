#include "analysis/model/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "analysis/model/model_choice.h"
#include "base/arithmetic.h"
#include "base/units.h"

namespace slackline {
namespace {

// Some pieces of graphs so large that this is not enough are left out.
constexpr std::size_t kEdgesToVisit = 300'000'000;
constexpr std::size_t kMostPasses = 1500;
constexpr std::int64_t kPlotMargin = 5;  // quarter: the plot ends at 5/4 of the last tolerance
constexpr double kBalanced = 0.005;      // a loss under half a per cent is not worth a sentence

/// The plot's right end: past the last tolerance; without any, ten times today's L.
std::int64_t plot_end_fs(const Tolerances& t, const LogGPS& model) {
  std::int64_t end = std::max<std::int64_t>(10 * model.latency_fs, 10'000 * kFemtosPerNano);
  if (!t.rows.empty() && t.rows.back().value_ns) {
    const double last_fs = *t.rows.back().value_ns * static_cast<double>(kFemtosPerNano);
    end = saturated_sum(nearest_whole(last_fs / 4 * kPlotMargin), kFemtosPerNano);
  }
  return end;
}

double sum(const std::vector<TimeBreakdown>& ranks, std::int64_t TimeBreakdown::*part) {
  return std::accumulate(ranks.begin(), ranks.end(), 0.0, [part](double s, const TimeBreakdown& r) {
    return s + static_cast<double>(r.*part);
  });
}

std::string where_sentence(const Prediction& p) {
  const std::string predicted = format_time_ns(p.makespan_ns);
  if (!p.measured || p.measured->makespan_ns <= 0) {
    return fmt::format("Predicted run time on {}: {}.", count_of(p.ranks_ps.size(), "rank"),
                       predicted);
  }
  const double measured = static_cast<double>(p.measured->makespan_ns);
  return fmt::format(
      "Run time on {}: {} measured, {} predicted with the measured computation ({:+.1f} %).",
      count_of(p.ranks_ps.size(), "rank"), format_time_ns(measured), predicted,
      100 * (p.makespan_ns / measured - 1));
}

Table losses_table(const Losses& l) {
  return {"losses",
          "Predicted rank time",
          {{"part"}, {"share", Unit::ratio}},
          {{"computation", l.compute},
           {"load imbalance", l.imbalance},
           {"message transfer", l.transfer},
           {"CPU overhead of messages", l.overhead},
           {"serialisation", l.dependence}}};
}

Table path_parts_table(const PathTime& total) {
  const auto share = [&](std::int64_t ps) {
    return ratio_of(static_cast<double>(ps), static_cast<double>(total.total_ps()));
  };
  return {"path_parts",
          "Predicted critical path",
          {{"part"}, {"share", Unit::ratio}},
          {{"computation", share(total.compute_ps)},
           {"overhead", share(total.overhead_ps)},
           {"latency", share(total.latency_ps)},
           {"bandwidth", share(total.bandwidth_ps)}}};
}

auto losses_object(const Losses& l) {
  return Object{"compute"_key = l.compute,       "imbalance"_key = l.imbalance,
                "transfer"_key = l.transfer,     "overhead"_key = l.overhead,
                "dependence"_key = l.dependence, "busiest_rank"_key = l.busiest_rank};
}

auto overview_object(const PredictionJson& prediction, const Overview& o) {
  return Object{prediction, "losses"_key = losses_object(losses(o.prediction.ranks_ps)),
                ToleranceRowsJson(o.tolerances), PiecesJson(o.sensitivity)};
}

}  // namespace

Losses losses(const std::vector<TimeBreakdown>& ranks) {
  Losses l;
  if (ranks.empty() || ranks.front().total() == 0) return l;
  const double all = static_cast<double>(ranks.front().total()) * static_cast<double>(ranks.size());
  const double compute = sum(ranks, &TimeBreakdown::compute);
  const auto busiest = std::ranges::max_element(ranks, {}, &TimeBreakdown::compute);
  const double mean = compute / static_cast<double>(ranks.size());
  const double waiting = sum(ranks, &TimeBreakdown::wait) / all;
  l.busiest_rank = static_cast<std::int32_t>(busiest - ranks.begin());
  l.busiest_over_mean = mean > 0 ? static_cast<double>(busiest->compute) / mean : 1;
  l.compute = compute / all;
  l.transfer = sum(ranks, &TimeBreakdown::transfer) / all;
  l.overhead = sum(ranks, &TimeBreakdown::overhead) / all;
  // Were every rank as busy as the busiest, that much of the ranks' time would be computation.
  const double ceiling =
      static_cast<double>(busiest->compute) * static_cast<double>(ranks.size()) / all;
  l.imbalance = std::min(waiting, ceiling - l.compute);
  l.dependence = waiting - l.imbalance;
  return l;
}

std::string limit_sentence(const Prediction& p) {
  const Losses l = losses(p.ranks_ps);
  struct Loss {
    double share;
    std::string text;
  };
  const std::array candidates{
      Loss{l.imbalance,
           fmt::format("load imbalance, {} (rank {} computes {:.2f} x the mean)",
                       format_percent(l.imbalance), l.busiest_rank, l.busiest_over_mean)},
      Loss{l.transfer, fmt::format("message transfer, {}", format_percent(l.transfer))},
      Loss{l.overhead, fmt::format("CPU overhead of messages, {}", format_percent(l.overhead))},
      Loss{l.dependence, fmt::format("serialisation, {}", format_percent(l.dependence))}};
  const Loss& largest = std::ranges::max(candidates, {}, &Loss::share);
  const std::string useful =
      fmt::format("Predicted parallel efficiency {}", format_percent(l.compute));
  if (largest.share < kBalanced) return useful + "; no loss exceeds 0.5 %.";
  return fmt::format("{}; largest loss: {}.", useful, largest.text);
}

std::string path_sentence(const Prediction& p) {
  const double total = std::max(1.0, static_cast<double>(p.path.total.total_ps()));
  const auto share = [total](std::int64_t ps) {
    return format_percent(static_cast<double>(ps) / total);
  };
  return fmt::format(
      "The critical path is {} computation, {} overhead, {} latency and {} bandwidth; it contains "
      "{}.",
      share(p.path.total.compute_ps), share(p.path.total.overhead_ps),
      share(p.path.total.latency_ps), share(p.path.total.bandwidth_ps),
      count_of(p.path.messages, "message"));
}

Overview overview(const Trace& trace, const ExecutionGraph& graph, const ModelChoice& choice,
                  const std::vector<std::int64_t>& degradations_ppm) {
  return overview(trace, ModelFunctions(graph, choice), ModelledRun(trace, graph, choice),
                  degradations_ppm);
}

Overview overview(const Trace& trace, const ModelFunctions& functions, const ModelledRun& run,
                  const std::vector<std::int64_t>& degradations_ppm) {
  const ModelChoice& choice = functions.choice();
  const VariedParameter latency = full_parameter(choice, Parameter::latency);
  Overview o;
  o.prediction = predict(trace, functions, run);
  MakespanFunction makespan = functions.of(Parameter::latency);
  o.tolerances = tolerances(makespan, latency, degradations_ppm);
  o.sensitivity = sensitivity(makespan, latency, 0, plot_end_fs(o.tolerances, choice.model),
                              plot_effort(functions.graph(), kEdgesToVisit, kMostPasses));
  return o;
}

const JsonType& declared_type(const OverviewJsonTag*) {
  return json_type_by<overview_object>();
}

Described<OverviewJson> describe(const Overview& o, const Trace& trace) {
  auto prediction = describe(o.prediction, trace);
  const auto tolerance = describe(o.tolerances);
  Described<OverviewJson> report{overview_object(prediction.result, o),
                                 std::move(prediction.sections)};

  Section summary{.id = "summary", .title = "Model prediction (LogGPS)"};
  summary.items.emplace_back(Paragraph{where_sentence(o.prediction)});
  if (o.prediction.measured) summary.items.emplace_back(Paragraph{path_sentence(o.prediction)});
  for (const std::string& text : tolerance_sentences(o.tolerances)) {
    summary.items.emplace_back(Paragraph{text});
  }
  summary.items.emplace_back(losses_table(losses(o.prediction.ranks_ps)));
  summary.items.emplace_back(path_parts_table(o.prediction.path.total));
  Section latency{.id = "latency", .title = "Network latency"};
  latency.items.emplace_back(Facts{{{"assumed latency", o.tolerances.base_ns, Unit::ns}}});
  latency.items.emplace_back(sensitivity_series(o.sensitivity, tolerance_zones(o.tolerances)));
  for (const Item& item : tolerance.sections.front().items) {
    if (std::holds_alternative<Table>(item)) latency.items.push_back(item);
  }
  report.sections.insert(report.sections.begin(), {std::move(summary), std::move(latency)});
  return report;
}

}  // namespace slackline
