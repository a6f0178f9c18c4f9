#include "app/load/loaded_program.h"

#include <fmt/format.h>

#include <filesystem>

#include "analysis/model/loggops_prediction.h"
#include "analysis/model/model_choice.h"
#include "app/load/computation.h"
#include "app/load/input.h"
#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "formats/open/open.h"
#include "graph/goal/goal_graph.h"
#include "report/command_names.h"

namespace slackline {
LogGOPS resolve_loggops(const ModelChoice& choice, const LogGOPSOptions& options) {
  LogGOPS model;
  model.latency_fs = choice.model.latency_fs;
  model.overhead_fs = choice.model.overhead_fs;
  model.gap_per_byte_fs = choice.model.gap_per_byte_fs;
  model.gap_fs = parse_time_fs(options.gap, "gap g");
  model.overhead_per_byte_fs =
      parse_gap_per_byte_fs(options.overhead_per_byte, "overhead per byte O");
  model.eager_threshold_bytes = choice.graph.eager_threshold_bytes;
  if (!options.noise_file.empty()) {
    const MappedFile file(options.noise_file);
    model.noise = read_noise_pattern(file.text(), options.noise_file);
  }
  model.noise.seed = options.noise_seed;
  model.noise.coscheduled = options.noise_coscheduled;
  model.loggopsim_deviations = options.simulator_flaws;
  return model;
}

LoadedProgram load_program(const ModelRequest& request, const LogGOPSOptions& options) {
  if (request.network.given()) {
    throw usage_error("cannot use a topology with --model loggops",
                      "all its messages have the same L and G",
                      "Omit --topology, --ranks-per-node and --placement.");
  }
  ModelChoice choice = resolve_model(request.model);
  LoadedProgram loaded;
  loaded.model = resolve_loggops(choice, options);
  loaded.path = input_path(request.trace);
  if (std::optional<OpenedGoal> goal = open_goal(loaded.path)) {
    loaded.program = std::move(goal->program);
    const auto ranks = static_cast<std::int32_t>(loaded.program.ranks.size());
    loaded.input = description_of(OpenedTrace{Trace(ranks, false), "goal", goal->path, goal->bytes,
                                              goal->checksum, loaded.program.operation_count()});
    return loaded;
  }
  const OpenedTrace opened = open_trace(loaded.path);
  choice = resolve_model(request.model, opened.trace, loaded.findings);
  loaded.model = resolve_loggops(choice, options);
  choice.graph.collectives.resolve_automatic(opened.trace.info().mpi_library);
  loaded.input = description_of(opened);
  loaded.findings.merge(opened.trace.findings());
  const ComputationChoice computation = choose_computation(request.model.computation, opened.trace);
  const Trace& trace = computation.cpu_time ? *computation.cpu_time : opened.trace;
  loaded.findings.merge(computation.findings);
  loaded.program = goal_of_trace(trace, choice.graph, loaded.findings);
  return loaded;
}

std::string report_title(std::string_view command, const LoadedProgram& loaded) {
  return fmt::format("{}: {} ({})", present_command_name(command),
                     std::filesystem::path(loaded.path).filename().string(),
                     count_of(loaded.program.ranks.size(), "rank"));
}

}  // namespace slackline
