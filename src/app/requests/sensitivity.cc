#include "app/requests/model_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/model/adaptation.h"
#include "analysis/model/comparison.h"
#include "analysis/model/loggops_prediction.h"
#include "analysis/model/run_distribution.h"
#include "analysis/model/sensitivity.h"
#include "analysis/model/thresholds.h"
#include "analysis/runs/measured.h"
#include "app/load/loaded_graph.h"
#include "app/load/loaded_program.h"
#include "app/load/loaded_reduction.h"
#include "app/options/option_values.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/units.h"
#include "formats/open/open.h"
#include "graph/goal/goal_graph.h"
#include "parallel/process_group.h"
#include "report/report.h"

namespace slackline {
namespace {

constexpr int kComparedPoints = 11;
constexpr std::size_t kMostThresholds = 16;
const std::vector<std::int64_t> kComparedDegradations{10'000, 20'000, 50'000};

std::int64_t parse_value_fs(Parameter parameter, const std::string& text, const char* what) {
  return parameter == Parameter::gap_per_byte ? parse_gap_per_byte_fs(text, what)
                                              : parse_time_fs(text, what);
}

/// Ten times the model's own value, or ten microseconds (of G 1 ns/B) when that is nothing.
std::int64_t default_end_fs(Parameter parameter, std::int64_t base) {
  if (base > 0) return 10 * base;
  return parameter == Parameter::gap_per_byte ? kFemtosPerNano : 10'000 * kFemtosPerNano;
}

void require_collectives(const LoadedGraph& loaded) {
  if (loaded.opened.format != "goal") return;
  throw usage_error("cannot compare collectives of a GOAL program",
                    "its collectives are already expanded into messages",
                    "Use the trace it was generated from.");
}

/// The trace and the others, at the model's own value of the parameter.
std::vector<ScaledComparison> compared_at_scales(const SensitivityRequest& request,
                                                 const LoadedGraph& loaded,
                                                 const VariedParameter& parameter) {
  const std::vector<std::int64_t> base{base_value_fs(loaded.graph, loaded.model, parameter)};
  std::vector<ScaledComparison> scales;
  const auto add = [&](const LoadedGraph& at) {
    require_collectives(at);
    scales.push_back(
        {at.trace().ranks(), compare_collectives(at.program(), at.model, request.compare, parameter,
                                                 base, kComparedDegradations)});
  };
  add(loaded);
  for (const std::string& path : request.scales) {
    ModelRequest other = request.input;
    other.trace = path;
    add(load_graph(other, CallDetail::none));
  }
  return scales;
}

struct ParameterRange {
  std::int64_t from_fs;
  std::int64_t to_fs;
};

/// `base_fs`: the parameter's own value.
ParameterRange parse_interval(const SensitivityRequest& request, Parameter parameter,
                              std::int64_t base_fs) {
  const std::int64_t from = parse_value_fs(parameter, request.from, "--from");
  const std::int64_t to = request.to.empty() ? default_end_fs(parameter, base_fs)
                                             : parse_value_fs(parameter, request.to, "--to");
  if (to <= from) {
    throw usage_error("the interval is empty", "--to must be larger than --from",
                      "Example: --from 0us --to 20us.");
  }
  return {from, to};
}

auto range_object(const SensitivityRequest& request, const ParameterRange& range) {
  constexpr double kFsPerNs = static_cast<double>(kFemtosPerNano);
  return Object{"param"_key = request.parameter,
                "from_ns"_key = static_cast<double>(range.from_fs) / kFsPerNs,
                "to_ns"_key = static_cast<double>(range.to_fs) / kFsPerNs};
}

auto compared_report(const SensitivityRequest& request, const LoadedGraph& loaded,
                     const VariedParameter& parameter, const ParameterRange& range) {
  require_collectives(loaded);
  auto report = describe(compare_collectives(loaded.program(), loaded.model, request.compare,
                                             parameter, range.from_fs, range.to_fs, kComparedPoints,
                                             kComparedDegradations));
  std::optional<ScaledComparisonsJson> scales;
  if (!request.scales.empty()) {
    scales = add_scales(report.sections, compared_at_scales(request, loaded, parameter));
  }
  const auto pairwise = add_pairwise(report.sections, loaded, request.pairs);
  return with_context(std::move(report).with("scales"_key.when(scales), pairwise), "sensitivity",
                      loaded, range_object(request, range));
}

constexpr int kMostSamples = 1'000'000;

/// A further recording of the program, and by how much the latency was higher there.
struct OtherLatency {
  std::string trace;
  std::int64_t added_fs = 0;
};

OtherLatency parse_other_latency(const std::string& text) {
  constexpr std::string_view kSeparator = ":dL=";
  const std::size_t at = text.rfind(kSeparator);
  if (at == std::string::npos) return {text};
  return {text.substr(0, at), parse_time_fs(text.substr(at + kSeparator.size()), "dL")};
}

/// Ten times the model's latency, and beyond all of those under which the program was recorded.
ParameterRange adaptation_range(const SensitivityRequest& request,
                                const std::vector<OtherLatency>& others, std::int64_t base_fs) {
  ParameterRange range = parse_interval(request, Parameter::latency, base_fs);
  std::int64_t last = base_fs;
  for (const OtherLatency& other : others) last = std::max(last, base_fs + other.added_fs);
  if (request.to.empty()) range.to_fs = std::max(range.to_fs, last);
  if (range.from_fs > base_fs || range.to_fs < last) {
    throw usage_error(
        "the interval is too short",
        fmt::format("the traces were recorded at L = {} to {}", format_time_ns(ns_of_fs(base_fs)),
                    format_time_ns(ns_of_fs(last))),
        "Choose --from and --to so that the interval includes these.");
  }
  return range;
}

Adaptation::Run adapted_run(const OtherLatency& of, const LoadedGraph& loaded,
                            const VariedParameter& parameter, const ParameterRange& range) {
  Adaptation::Run run{
      .trace = of.trace,
      .added_ns = ns_of_fs(of.added_fs),
      .extent = program_extent(loaded.program_or_none(), loaded.graph),
      .curve = sensitivity(loaded.graph, loaded.model, parameter, range.from_fs, range.to_fs)};
  if (const auto measured = measured_run(loaded.opened.trace)) {
    run.measured_ns = static_cast<double>(measured->makespan_ns);
  }
  return run;
}

/// Under the model of the first trace, so that nothing differs but the programs.
LoadedGraph load_other(const SensitivityRequest& request, const std::string& trace,
                       const LoadedGraph& first) {
  ModelRequest input = request.input;
  input.trace = trace;
  LoadedGraph other = load_graph(input, CallDetail::none, GraphTime::later);
  const std::int32_t ranks = other.opened.trace.ranks();
  const std::int32_t wanted = first.opened.trace.ranks();
  if (ranks != wanted) {
    throw usage_error(fmt::format("cannot compare {} with {}", trace, first.opened.path),
                      fmt::format("they have {} and {} ranks", ranks, wanted),
                      "Give traces of the same program on the same number of ranks.");
  }
  other.model = first.model;
  complete(other);
  return other;
}

auto adaptation_report(const SensitivityRequest& request, const LoadedGraph& loaded,
                       const VariedParameter& parameter) {
  std::vector<OtherLatency> others;
  for (const std::string& text : request.also) others.push_back(parse_other_latency(text));
  const ParameterRange range =
      adaptation_range(request, others, base_value_fs(loaded.graph, loaded.model, parameter));
  Adaptation adaptation{{adapted_run({loaded.opened.path}, loaded, parameter, range)}};
  Findings findings;
  for (const OtherLatency& of : others) {
    const LoadedGraph other = load_other(request, of.trace, loaded);
    findings.merge(other.graph.findings());
    adaptation.runs.push_back(adapted_run(of, other, parameter, range));
  }
  auto report = describe(adaptation);
  report.findings.merge(findings);
  return with_context(std::move(report), "sensitivity", loaded,
                      Object{range_object(request, range), "also"_key = request.also});
}

/// Refuses what an answer would leave out.
void refuse_unused(const SensitivityRequest& request) {
  const bool loggops = request.loggops.wanted();
  const bool sampled = request.samples > 0;
  const bool latency = request.parameter.starts_with('L');
  const auto refuse = [](bool given, const char* option, const char* with, const char* why) {
    if (given) {
      throw usage_error(fmt::format("cannot use {} with {}", option, with), why,
                        "Omit one of them.");
    }
  };
  if (!request.also.empty()) {
    constexpr const char* kWhy = "it shows T(L) of each trace and nothing else";
    refuse(!latency, "--also", "another --param", kWhy);
    refuse(request.pairs, "--also", "--pairs", kWhy);
    refuse(sampled, "--also", "--samples", kWhy);
    refuse(loggops, "--also", "--model", kWhy);
  }
  if (sampled) {
    constexpr const char* kWhy = "it needs T as a longest path, over L, o or G";
    refuse(request.parameter == "S", "--samples", "--param S", kWhy);
    refuse(loggops, "--samples", "--model", kWhy);
    return;
  }
  for (const auto& [given, option] :
       {std::pair{request.seed != SensitivityRequest().seed, "--seed"},
        std::pair{!request.degradations.empty(), "--degrade"}}) {
    if (!given) continue;
    throw usage_error(fmt::format("cannot use {}", option), "it is for a distribution",
                      "Add --samples.");
  }
}

auto latency_sweep(const SensitivityRequest& request, Parameter parameter) {
  if (parameter != Parameter::latency) {
    throw usage_error("cannot vary this parameter with --model loggops",
                      "it supports only --param L",
                      "Omit --param, or use 'slackline predict' at single values.");
  }
  const LoadedProgram loaded = load_program(request.input, request.loggops);
  const ParameterRange interval = parse_interval(request, parameter, loaded.model.latency_fs);
  return with_context(describe(sweep_latency(loaded.program, loaded.model, interval.from_fs,
                                             interval.to_fs, request.points, loaded.path)),
                      "sensitivity", loaded,
                      Object{range_object(request, interval), "points"_key = request.points});
}

/// How far to look for pieces: for all, unless the user interrupts.
class Search {
 public:
  explicit Search(const SensitivityRequest& request) {
    if (request.keep_on_interrupt) interrupt_.emplace();
  }
  EnvelopeEffort effort() const {
    return {kAllPieces, 0, [this] { return interrupt_ && interrupt_->arrived(); }};
  }

 private:
  std::optional<InterruptRequest> interrupt_;
};

/// T by the eager threshold, which has no intervals.
auto threshold_sweep(const SensitivityRequest& request) {
  std::vector<std::uint64_t> thresholds;
  for (const std::string& text : request.at) thresholds.push_back(parse_bytes(text, "--at"));
  LoadedGraph loaded = load_graph(request.input, CallDetail::none);
  const std::optional<OpenedGoal> goal =
      loaded.opened.format == "goal" ? open_goal(loaded.opened.path) : std::nullopt;
  const auto build = [&](const GraphOptions& graph) {
    return goal ? build_goal_graph(goal->program, goal->path, graph).graph
                : build_graph(loaded.program(), graph);
  };
  return with_context(describe(sweep_thresholds(build, loaded.model, thresholds, kMostThresholds)),
                      "sensitivity", loaded, Object{"param"_key = "S"});
}

auto reduced_sensitivity_report(const SensitivityRequest& request, const VariedParameter& parameter,
                                const LoadedReduction& reduced) {
  const ParameterRange interval =
      parse_interval(request, parameter.kind, value_fs(reduced.model.model, parameter.kind));
  MakespanFunction makespan = reduced.makespan(parameter.kind);
  const Search search(request);
  return with_context(
      describe(sensitivity(makespan, parameter, interval.from_fs, interval.to_fs, search.effort())),
      "sensitivity", reduced, range_object(request, interval));
}

auto sensitivity_report(const SensitivityRequest& request, const LoadedGraph& loaded,
                        const VariedParameter& parameter, const ParameterRange& range) {
  const Search search(request);
  auto report = describe(sensitivity(loaded.graph, loaded.model, parameter, range.from_fs,
                                     range.to_fs, search.effort()));
  const auto pairwise = add_pairwise(report.sections, loaded, request.pairs);
  const bool sampled = request.samples > 0;
  std::optional<RunDistributionJson> distribution;
  if (sampled) {
    auto described = describe(run_distribution(
        loaded.program(), loaded.graph, loaded.model, parameter, range.from_fs, range.to_fs,
        parse_degradations(request.degradations), request.samples, request.seed));
    distribution = std::move(described.result);
    std::ranges::move(described.sections, std::back_inserter(report.sections));
  }
  return with_context(
      std::move(report).with(pairwise, "distribution"_key.when(distribution)), "sensitivity",
      loaded,
      Object{range_object(request, range), "samples"_key.when(sampled, request.samples),
             "seed"_key.when(sampled, request.seed)});
}

using SensitivityReports =
    CommandReports<ReturnedBy<sensitivity_report>, ReturnedBy<reduced_sensitivity_report>,
                   ReturnedBy<compared_report>, ReturnedBy<threshold_sweep>,
                   ReturnedBy<latency_sweep>, ReturnedBy<adaptation_report>>;

}  // namespace

void declare(OptionList& options, SensitivityRequest& request) {
  declare(options, request.input);
  declare(options, request.loggops);
  declare(options, request.cache);
  declare_pairs(options, request.pairs);
  options.add("--points", request.points, "With --model loggops: number of latencies",
              {.range = OptionRange{2, 100'000}});
  options.add("--param NAME", request.parameter,
              "Parameter to vary: L, o or G (of some messages: L:inter-group, L[3][7]), or S");
  options.add("--from VALUE", request.from, "Start of the interval", {.example = "1us"});
  options.add("--to VALUE", request.to,
              "End of the interval (default: ten times the current value)", {.example = "20us"});
  options.add("--at BYTES", request.at, "With --param S: thresholds, e.g. --at 0,4KiB,64KiB",
              {.separator = ',', .example = "64KiB"});
  options.add("--compare RULES", request.compare,
              "Compare T and lambda with these collective algorithms; may be repeated");
  options.add("--scale TRACE", request.scales,
              "With --compare: trace of the same program on another number of ranks; may be "
              "repeated");
  options.add("--also TRACE", request.also,
              "The same program recorded under a higher latency, as TRACE:dL=10us, to show how it "
              "adapts; may be repeated",
              {.excludes = "--compare"});
  options.add("--samples N", request.samples,
              "Distribution of the run time over N runs with resampled computation and the "
              "machine's message noise",
              {.range = OptionRange{0, kMostSamples}, .excludes = "--compare"});
  options.add("--seed N", request.seed, "Seed of the resampling");
  declare_degradations(options, request.degradations);
  declare_clocks(options, request.input.reading, OptionCallers::python);
  describe_memory_of_stretches(options);
}

Report execute(const SensitivityRequest& request, ProcessGroup& group) {
  refuse_unused(request);
  group.set_unshared("--param S, --compare, --also, --samples, --pairs and LogGOPS are not shared");
  if (request.parameter == "S") {
    if (!group.is_first()) return Report();
    return SensitivityReports::untyped(threshold_sweep(request));
  }
  if (!request.at.empty()) {
    throw usage_error("cannot use --at", "it needs --param S",
                      "Use --from and --to, or add --param S.");
  }
  const VariedParameter parameter = parse_varied_parameter(request.parameter);
  if (!request.scales.empty() && request.compare.empty()) {
    throw usage_error("cannot use --scale", "it needs --compare",
                      "Add --compare RULES for each alternative.");
  }
  std::optional<LoadedReduction> reduced;
  const bool sampled = request.samples > 0;
  const bool whole = request.pairs || !request.compare.empty() || !request.also.empty() || sampled;
  if (!whole && !request.loggops.wanted()) {
    reduced = load_reduction(request.input, request.cache, parameter, group);
  }
  if (!group.is_first()) return Report();
  if (request.loggops.wanted()) {
    return SensitivityReports::untyped(latency_sweep(request, parameter.kind));
  }
  if (reduced) {
    return SensitivityReports::untyped(reduced_sensitivity_report(request, parameter, *reduced));
  }
  return execute(request,
                 load_graph(request.input, sampled ? CallDetail::named : CallDetail::none));
}

Report execute(const SensitivityRequest& request, const LoadedGraph& loaded) {
  const VariedParameter parameter = parse_varied_parameter(request.parameter);
  if (!request.also.empty()) {
    return SensitivityReports::untyped(adaptation_report(request, loaded, parameter));
  }
  const ParameterRange interval =
      parse_interval(request, parameter.kind, base_value_fs(loaded.graph, loaded.model, parameter));
  if (!request.compare.empty()) {
    return SensitivityReports::untyped(compared_report(request, loaded, parameter, interval));
  }
  return SensitivityReports::untyped(sensitivity_report(request, loaded, parameter, interval));
}

CommandSchema sensitivity_schema() {
  return SensitivityReports::schema();
}

}  // namespace slackline
