#include "app/requests/run_requests.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/cube/profile_writers.h"
#include "analysis/efficiency/efficiency.h"
#include "analysis/efficiency/scaling_laws.h"
#include "app/load/input.h"
#include "app/load/loaded_run.h"
#include "app/load/stretched_analyses.h"
#include "app/load/stretched_run.h"
#include "app/load/summaries.h"
#include "app/options/option_values.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "base/file.h"
#include "parallel/process_group.h"
#include "report/report.h"

namespace slackline {
namespace {

/// The kind that was asked for, or that the runs look like.
LikelyScaling scaling_of(const std::string& name, const std::vector<Efficiency>& runs) {
  if (name.empty()) return likely_scaling(runs);
  if (name == "strong") return {Scaling::strong};
  if (name == "weak") return {Scaling::weak};
  throw usage_error("unknown scaling '" + name + "'", "no such name", "Choose strong or weak.");
}

/// What a report says of all the runs that it compares.
struct ComparedInputs {
  void add(const LoadedRun& run) {
    inputs.push_back(input_to_json(run.opened));
    title += (title.empty() ? "" : ", ") + subject(run.opened);
    if (choice.empty()) describe_run_choice(choice, run);
    // Where there are measured and predicted runs, those of a predicted one.
    if (!options || run.on != "measured") options = options_of(run);
  }
  std::variant<InputJson, std::vector<InputJson>> input() const {
    if (inputs.size() == 1) return inputs.front();
    return inputs;
  }

  std::vector<InputJson> inputs{};
  std::optional<RunOptionsJson> options{};
  std::string title{};
  std::vector<Section> choice{};
};

/// The report of all runs; scaling laws follow from several.
auto report_of(Described<EfficiencyJson> described, Scaling scaling,
               std::optional<ScalingLaws> laws, const EfficiencyRequest& request,
               const IdealOptions& ideal, const ComparedInputs& compared) {
  std::vector<Section>& sections = described.sections;
  sections.insert(sections.begin(), compared.choice.begin(), compared.choice.end());
  std::optional<ScalingLawsJson> result;
  if (laws) {
    sections.push_back(std::move(laws->section));
    result = std::move(laws->result);
  }
  return typed_report("efficiency", "efficiency: " + compared.title,
                      Object{"collective_causality"_key = to_string(ideal.causality),
                             "rendezvous_from_bytes"_key = ideal.rendezvous_bytes,
                             "scaling"_key = scaling == Scaling::weak ? "weak" : "strong",
                             "interval"_key = request.interval, *compared.options},
                      compared.input(), std::move(described).with("scaling_laws"_key.when(result)));
}
using EfficiencyReports = CommandReports<ReturnedBy<report_of>>;

SeverityCube severities_of(const LoadedRun& run) {
  const CallPaths paths = CallPaths::of_regions_or_functions(run.trace());
  WaitOptions options{.eager_bytes = run.eager_bytes};
  if (run.on == "measured") options.sends = &run.opened.sends;
  return severity_cube(run.trace(), paths, wait_states(run.trace(), run.matching(), options));
}

std::optional<Report> execute_in_stretches(const EfficiencyRequest& request, ProcessGroup& group) {
  group.set_unshared("several traces, summaries and Extra-P measurements are not shared");
  if (!request.summary.file.empty() || !request.extra_p.empty()) return std::nullopt;
  if (request.traces.size() > 1) return std::nullopt;
  const IdealOptions ideal =
      ideal_network(request.causality, request.rendezvous, request.run.model);
  const Scaling scaling = scaling_of(request.scaling, {}).scaling;
  RunRequest one = request.run;
  one.trace = request.traces.empty() ? std::string() : request.traces.front();
  std::optional<StretchedRun> run = load_stretches(one, group);
  if (!run) return std::nullopt;
  require_calls(run->run.opened, run->trace.calls(), "no efficiency of");
  StretchedEfficiency efficiency(
      *run, ideal, resolve_interval(request.interval, run->span).value_or(run->span.common));
  if (!analyse_in_stretches(*run, group, std::array<StretchAnalysis*, 1>{&efficiency})) {
    return std::nullopt;
  }
  if (!group.is_first()) return Report();
  ComparedInputs compared;
  compared.add(run->run);
  Efficiency found = efficiency.take();
  found.findings.merge(run->run.trace().findings());
  return EfficiencyReports::untyped(report_of(describe_efficiency({std::move(found)}, scaling),
                                              scaling, {}, request, ideal, compared));
}

Report execute_whole(const EfficiencyRequest& request) {
  const IdealOptions ideal =
      ideal_network(request.causality, request.rendezvous, request.run.model);
  scaling_of(request.scaling, {});  // refuses other names before any work
  std::vector<Efficiency> runs;
  std::vector<RunQuantities> quantities;
  ComparedInputs compared;
  std::vector<JobSummary> summaries;
  std::vector<ScalingRun> scaling_runs;
  std::vector<std::string> traces = request.traces;
  if (traces.empty()) traces.emplace_back();
  for (const std::string& trace : traces) {
    RunRequest one = request.run;
    one.trace = trace;
    const LoadedRun run = load_run(one);
    require_calls(run.opened, run.trace().call_count(), "no efficiency of");
    runs.push_back(efficiency(run.trace(), run.matching(), ideal,
                              resolve_interval(request.interval, run.trace())));
    runs.back().name = run.opened.path;
    quantities.push_back(run_quantities(run.trace()));
    runs.back().findings.merge(run.trace().findings());
    runs.back().findings.merge(run.findings);
    compared.add(run);
    if (!request.summary.file.empty()) {
      summaries.push_back(summary_of(run, identity_of(request.summary)));
    }
    if (!request.extra_p.empty()) {
      scaling_runs.push_back({runs.back().analysed.observed_ns, severities_of(run)});
    }
  }
  if (!scaling_runs.empty()) write_output(request.extra_p, extra_p_lines(scaling_runs));
  if (!summaries.empty()) write_summary(request.summary, merged(summaries));
  const auto [scaling, why] = scaling_of(request.scaling, runs);
  return EfficiencyReports::untyped(report_of(describe_efficiency(runs, scaling, why), scaling,
                                              scaling_laws(quantities, runs), request, ideal,
                                              compared));
}

}  // namespace

void declare(OptionList& options, EfficiencyRequest& request) {
  options.add("traces TRACE", request.traces,
              "Trace files or recording folders, the first being the reference for scalability; "
              "default: the newest slackline-trace* in the current folder",
              {.keyword = "trace"});
  options.add("--collective-causality RULE", request.causality,
              "Dependences of collectives on the ideal network: dimemas (all ranks wait for all, "
              "except in reductions) or data (data dependences only)");
  declare_rendezvous_from(options, request.rendezvous);
  options.add("--scaling KIND", request.scaling,
              "Scaling type: strong (same problem) or weak (same problem per rank); default: by "
              "the computation per rank");
  declare_interval(options, request.interval);
  options.add("--extra-p FILE", request.extra_p,
              "Also write the runs as measurements for Extra-P (JSON Lines), by call path");
  declare(options, request.run);
  declare_memory(options, request.run.reading);
  describe_memory_of_stretches(options);
  declare(options, request.summary);
}

CommandSchema efficiency_schema() {
  return EfficiencyReports::schema();
}

Report execute(const EfficiencyRequest& request, ProcessGroup& group) {
  if (auto report = execute_in_stretches(request, group)) return std::move(*report);
  return group.is_first() ? execute_whole(request) : Report();
}

}  // namespace slackline
