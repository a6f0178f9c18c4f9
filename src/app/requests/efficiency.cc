#include "app/requests/efficiency.h"

#include <utility>

#include "analysis/efficiency/efficiency.h"
#include "analysis/efficiency/scaling_laws.h"
#include "app/load/input.h"
#include "app/load/loaded_run.h"
#include "app/options/analysed_interval.h"
#include "base/error.h"
#include "base/units.h"
#include "report/report.h"

namespace slackline {
namespace {

Scaling parse_scaling(const std::string& name) {
  if (name == "strong") return Scaling::strong;
  if (name == "weak") return Scaling::weak;
  throw usage_error("unknown scaling '" + name + "'", "no such name", "Choose strong or weak.");
}

/// What a report says of all the runs that it compares.
struct ComparedInputs {
  void add(const LoadedRun& run) {
    inputs.push_back(input_to_json(run.opened));
    title += (title.empty() ? "" : ", ") + subject(run.opened);
    if (which.sections.empty()) describe_run_choice(which, run);
    options.update(run.options);
  }

  Json inputs = Json::array();
  Json options = Json::object();
  std::string title{};
  Report which{};
};

}  // namespace

Report execute(const EfficiencyRequest& request) {
  IdealOptions ideal;
  ideal.causality = parse_collective_causality(request.causality);
  ideal.rendezvous_bytes = parse_bytes(request.rendezvous, "--rendezvous-from");
  const Scaling scaling = parse_scaling(request.scaling);
  std::vector<Efficiency> runs;
  std::vector<RunQuantities> quantities;
  ComparedInputs compared;
  std::vector<std::string> traces = request.traces;
  if (traces.empty()) traces.emplace_back();
  for (const std::string& trace : traces) {
    RunRequest one = request.run;
    one.trace = trace;
    const LoadedRun run = load_run(one);
    if (run.trace().call_count() == 0) {
      throw Error("no efficiency of " + run.opened.path, "the trace has no calls of MPI",
                  "Record an MPI program, or choose the trace of one.");
    }
    runs.push_back(efficiency(run.trace(), run.matching(), ideal,
                              resolve_interval(request.interval, run.trace())));
    runs.back().name = run.opened.path;
    quantities.push_back(run_quantities(run.trace()));
    runs.back().findings.merge(run.trace().findings());
    runs.back().findings.merge(run.findings);
    compared.add(run);
  }
  Report report = describe_efficiency(runs, scaling);
  if (Section laws = scaling_laws_section(quantities, runs, report.result); !laws.items.empty()) {
    report.sections.push_back(std::move(laws));
  }
  report.sections.insert(report.sections.begin(), compared.which.sections.begin(),
                         compared.which.sections.end());
  report.command = "efficiency";
  report.title = "efficiency: " + compared.title;
  report.options = {{"collective_causality", to_string(ideal.causality)},
                    {"rendezvous_from_bytes", ideal.rendezvous_bytes},
                    {"scaling", request.scaling},
                    {"interval", request.interval}};
  report.options.update(compared.options);
  report.input = compared.inputs.size() == 1 ? compared.inputs[0] : compared.inputs;
  return report;
}

}  // namespace slackline
