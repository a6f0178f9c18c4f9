#include "app/requests/advise.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/summary/diagnosis.h"
#include "app/load/loaded_graph.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "base/printable.h"
#include "base/units.h"
#include "report/report.h"

namespace slackline {
namespace {

/// The options of the request that decide about the model.
std::string model_options(const ModelRequest& request) {
  std::string text;
  const auto add = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", option, shell_word(value));
  };
  const ModelOptions& model = request.model;
  add("-L", model.latency.value_or(""));
  add("--overhead", model.overhead.value_or(""));
  add("-G", model.gap_per_byte.value_or(""));
  add("-S", model.eager_threshold.value_or(""));
  add("--network", model.network);
  add("--machine", model.machine);
  add("--buffers", model.buffers);
  add("--params", model.params_file);
  add("--rendezvous", model.rendezvous);
  for (const std::string& rule : model.collectives) add("--collectives", rule);
  if (model.computation != "auto") add("--computation", model.computation);
  add("--topology", request.network.topology);
  add("--latency-matrix", request.network.latency_matrix);
  add("--gap-matrix", request.network.gap_matrix);
  add("--placement", request.network.placement);
  if (request.network.ranks_per_node > 0) {
    add("--ranks-per-node", std::to_string(request.network.ranks_per_node));
  }
  if (request.reading.fix_clocks) text += " --fix-clocks";
  return text;
}

/// The command that gives the run time under the hypothesis, or compares the run with one of the
/// changed program.
std::string command_for(const Hypothesis& hypothesis, const ModelRequest& request,
                        const LoadedGraph& loaded) {
  const std::string trace = shell_word(loaded.opened.path);
  if (hypothesis.edits.empty()) return fmt::format("slackline report {} CHANGED.slk", trace);
  std::string text = "slackline whatif " + trace;
  for (const Edit& edit : hypothesis.edits) text += " --set " + shell_word(to_string(edit));
  return text + model_options(request);
}

auto advise_report(const Advice& advice, const LoadedGraph& loaded, const AdviseRequest& request,
                   const SimulatedTime& simulated) {
  return with_context(describe(advice), "advise", loaded,
                      Object{"count"_key = request.count,
                             "simulated_by"_key = known_if(simulated.given(), simulated.by)});
}
using AdviseReports = CommandReports<ReturnedBy<advise_report>>;

}  // namespace

void declare(OptionList& options, AdviseRequest& request) {
  declare(options, request.input);
  options.add("--count N", request.count, "Largest number of changes to propose",
              {.positive = true});
  declare(options, request.platform);
  options["--platform"].help =
      "Simulate the changes on this platform (SimGrid XML or TOML), too, and rank by both";
  declare(options, request.loggops);
  declare_clocks(options, request.input.reading);
}

Advice advice_on(ScenarioRuns& run, std::span<const LimitingCause> limits,
                 const LoadedGraph& loaded, const ModelRequest& request,
                 const AdviceOptions& options) {
  Advice advice = advise(run, limits, loaded.opened.samples, loaded.model, options);
  for (Proposal& proposal : advice.proposals) {
    proposal.command = command_for(proposal.hypothesis, request, loaded);
  }
  return advice;
}

Advice advice_on(const RunWithTimes& run, const LoadedGraph& loaded, const ModelRequest& request,
                 const AdviceOptions& options) {
  Advice advice;
  const Trace& trace = *run.trace;
  const CausalOrder order(trace, *run.matching);
  DiagnosisOptions diagnosis{.samples = &loaded.opened.samples};
  diagnosis.limited = [&](ScenarioRuns& runs, std::span<const LimitingCause> limits) {
    advice = advice_on(runs, limits, loaded, request, options);
  };
  diagnose(trace, CallPaths(trace), *run.matching, order,
           wait_states(trace, *run.matching, order, run.waits), diagnosis);
  advice.measured = run.measured;
  return advice;
}

Report execute(const AdviseRequest& request) {
  LoadedGraph loaded =
      load_graph(request.input, CallDetail::named, GraphTime::later, KeepMatching::yes);
  Findings of_platform;
  const SimulatedTime simulated =
      simulated_time(loaded, request.platform, request.loggops, of_platform);
  Advice advice = advice_on(run_with_times(loaded, request.input), loaded, request.input,
                            {.count = request.count,
                             .only_edits = request.replays != nullptr,
                             .simulated = simulated.run_ns});
  if (request.replays) verify(advice, request.verified, request.replays(loaded.opened.path));
  Report report = AdviseReports::untyped(advise_report(advice, loaded, request, simulated));
  report.findings.merge(of_platform);
  return report;
}

CommandSchema advise_schema() {
  return AdviseReports::schema();
}

}  // namespace slackline
