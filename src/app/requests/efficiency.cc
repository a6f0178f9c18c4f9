#include "app/requests/run_requests.h"

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
#include "app/load/run.h"
#include "app/load/run_analyses.h"
#include "app/load/summaries.h"
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

/// Several runs, summaries and measurements for Extra-P need the calls of the whole.
StretchUse stretch_use(const EfficiencyRequest& request) {
  const bool alone =
      request.traces.size() <= 1 && request.summary.file.empty() && request.extra_p.empty();
  return alone ? StretchUse::for_speed : StretchUse::never;
}

/// What is found of each run.
struct AnalysedRuns {
  void add(const Run& run, Efficiency efficiency, const EfficiencyRequest& request) {
    efficiency.findings.merge(run.trace().findings());
    efficiency.findings.merge(run.loaded().findings);
    inputs.add(run.loaded());
    if (request.traces.size() > 1) quantities.push_back(run_quantities(run.trace()));
    if (!request.summary.file.empty()) {
      summaries.push_back(summary_of(run.loaded(), identity_of(request.summary)));
    }
    if (!request.extra_p.empty()) {
      scaling.push_back({efficiency.analysed.observed_ns, severities_of(run.loaded())});
    }
    efficiencies.push_back(std::move(efficiency));
  }

  ComparedInputs inputs{};
  std::vector<Efficiency> efficiencies{};
  std::vector<RunQuantities> quantities{};
  std::vector<JobSummary> summaries{};
  std::vector<ScalingRun> scaling{};
};

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
  group.set_unshared("several traces, summaries and Extra-P measurements are not shared");
  const IdealOptions ideal =
      ideal_network(request.causality, request.rendezvous, request.run.model);
  scaling_of(request.scaling, {});  // refuses other names before any work
  std::vector<std::string> traces = request.traces;
  if (traces.empty()) traces.emplace_back();
  AnalysedRuns runs;
  for (const std::string& trace : traces) {
    RunRequest one = request.run;
    one.trace = trace;
    Run run = Run::open(one, group, stretch_use(request));
    if (run.is_here()) require_calls(run.loaded().opened, run.calls(), "no efficiency of");
    EfficiencyAnalysis efficiency(ideal, request.interval);
    run.analyse({&efficiency});
    if (group.is_first()) runs.add(run, efficiency.take(), request);
  }
  if (!group.is_first()) return Report();
  if (!runs.scaling.empty()) write_output(request.extra_p, extra_p_lines(runs.scaling));
  if (!runs.summaries.empty()) write_summary(request.summary, merged(runs.summaries));
  const auto [scaling, why] = scaling_of(request.scaling, runs.efficiencies);
  std::optional<ScalingLaws> laws;
  if (traces.size() > 1) laws = scaling_laws(runs.quantities, runs.efficiencies);
  return EfficiencyReports::untyped(report_of(describe_efficiency(runs.efficiencies, scaling, why),
                                              scaling, std::move(laws), request, ideal,
                                              runs.inputs));
}

}  // namespace slackline
