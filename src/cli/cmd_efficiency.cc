#include <memory>

#include "analysis/efficiency/efficiency.h"
#include "base/error.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/model_question.h"
#include "cli/run_choice.h"
#include "cli/run_question.h"

namespace slackline {
namespace {

struct EfficiencyOptions {
  std::vector<std::string> traces{};
  RunChoice run{};
  std::string causality = "dimemas";
  std::string rendezvous = "32KiB";
  std::string scaling = "strong";
  OutputOptions output{};
};

Scaling parse_scaling(const std::string& name) {
  if (name == "strong") return Scaling::strong;
  if (name == "weak") return Scaling::weak;
  throw usage_error("unknown scaling '" + name + "'", "no such name", "Known are strong and weak.");
}

int run_efficiency(const EfficiencyOptions& options) {
  IdealOptions ideal;
  ideal.causality = parse_collective_causality(options.causality);
  ideal.rendezvous_bytes = parse_bytes(options.rendezvous, "--rendezvous-from");
  const Scaling scaling = parse_scaling(options.scaling);
  std::vector<Efficiency> runs;
  Json inputs = Json::array();
  Json on = Json::object();
  std::string title;
  Report which;
  for (const std::string& name : options.traces) {
    const ChosenRun run = open_chosen_run(name, options.run);
    runs.push_back(efficiency(run.trace(), CallMatching(run.trace()), ideal));
    runs.back().name = run.opened.path;
    runs.back().findings.merge(run.trace().findings());
    runs.back().findings.merge(run.findings);
    inputs.push_back(input_to_json(run.opened));
    title += (title.empty() ? "" : ", ") + subject(run.opened);
    if (which.sections.empty()) say_which_run(which, run);
    on.update(run.options);
  }
  Report report = describe_efficiency(runs, scaling);
  report.sections.insert(report.sections.begin(), which.sections.begin(), which.sections.end());
  report.command = "efficiency";
  report.title = "efficiency: " + title;
  report.options = {{"collective_causality", to_string(ideal.causality)},
                    {"rendezvous_from_bytes", ideal.rendezvous_bytes},
                    {"scaling", options.scaling}};
  report.options.update(on);
  report.input = inputs.size() == 1 ? inputs[0] : inputs;
  write_report(report, options.output);
  return 0;
}

}  // namespace

Run setup_efficiency(CommandParser& parser) {
  auto options = std::make_shared<EfficiencyOptions>();
  parser
      .add_option("traces", options->traces,
                  "Trace files or recording folders; of several the first is the reference of the "
                  "scalability. Without any the newest slackline-trace* here")
      ->type_name("TRACE");
  parser
      .add_option("--collective-causality", options->causality,
                  "What a collective waits for on the ideal network: dimemas (all for all, but in "
                  "reductions) or data (what its data needs)")
      ->type_name("RULE")
      ->capture_default_str();
  parser
      .add_option(
          "--rendezvous-from", options->rendezvous,
          "Blocking sends of at least that size wait for their receive on the ideal network")
      ->type_name("BYTES")
      ->capture_default_str();
  parser
      .add_option("--scaling", options->scaling,
                  "Whether the runs share one problem (strong) or one problem per rank (weak)")
      ->type_name("KIND")
      ->capture_default_str();
  add_run_choice(parser, options->run);
  add_output_options(parser, options->output);
  examples(parser, {"slackline efficiency app.slk",
                    "slackline efficiency app-1.slk app-2.slk app-4.slk --format json",
                    "slackline efficiency app.slk --on predicted --network infiniband-fdr"});
  return [options] {
    if (options->traces.empty()) options->traces.emplace_back();
    return run_efficiency(*options);
  };
}

}  // namespace slackline
