#include "app/load/loaded_graph.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "analysis/model/pairwise.h"
#include "app/load/computation.h"
#include "app/load/input.h"
#include "base/error.h"
#include "base/progress.h"
#include "graph/goal/goal_graph.h"
#include "graph/training/training_graph.h"
#include "training/collectives.h"

namespace slackline {
namespace {

LoadedGraph load_goal_graph(OpenedGoal goal, const ModelChoice& model, CallDetail detail) {
  GoalGraph g =
      build_goal_graph(goal.program, goal.path, model.graph,
                       detail == CallDetail::named ? GoalTrace::linearised : GoalTrace::none);
  const auto ranks = static_cast<std::int32_t>(goal.program.ranks.size());
  return {OpenedTrace{g.trace ? std::move(*g.trace) : Trace(ranks, false), "goal", goal.path,
                      goal.bytes, goal.checksum, goal.program.operation_count()},
          model, std::move(g.graph), true};
}

/// What says how calls become messages has no effect where there are only messages, or kernels.
void refuse_options_of_calls(const ModelOptions& options, std::string_view input) {
  const auto refuse = [&](std::string_view option) {
    throw usage_error(fmt::format("cannot use {} here", option),
                      fmt::format("{} has no calls of MPI that it would change", input),
                      "Omit it.");
  };
  if (!options.collectives.empty()) refuse("--collectives");
  if (options.computation != "auto") refuse("--computation");
  if (options.occupancy == kLinksOccupied) refuse("--occupancy links");
}

// L and G are the recorded ones where the request leaves them open.
LoadedGraph load_training_graph(OpenedTraining training, const ModelOptions& options,
                                ModelChoice model) {
  refuse_options_of_calls(options, "a profile");
  model.graph.serial_links = false;
  if (options.eager_threshold || !options.rendezvous.empty()) {
    throw usage_error("cannot use -S or --rendezvous here",
                      "kernels of a profile wait for each other whatever their size", "Omit it.");
  }
  if (!has_gpu(training.run)) {
    throw Error(fmt::format("cannot predict {}", training.path), "the profile has no GPU kernels",
                "Profile some steps with ProfilerActivity.CUDA.");
  }
  begin_stage("building the execution graph");
  correct_clocks(training.run);
  TrainingGraph g = build_training_graph(training.run);
  const bool open = options.network_is_open() && options.params_file.empty();
  if (open) {
    model.network = "recorded";
    model.model.overhead_fs = 0;
    if (!options.latency) model.model.latency_fs = g.network.latency_fs;
    if (!options.gap_per_byte) model.model.gap_per_byte_fs = g.network.gap_per_byte_fs;
  }
  LoadedGraph loaded{without_calls(training), std::move(model), std::move(g.graph), true};
  if (g.measured_ns == 0) {
    throw Error(fmt::format("cannot predict {}", training.path),
                "the profile has no activities that take time",
                "Profile some steps with ProfilerActivity.CUDA.");
  }
  loaded.measured_ns = g.measured_ns;
  loaded.has_calls = false;
  loaded.findings = std::move(training.run.findings);
  loaded.training = {std::move(training.run), std::move(g.moments)};
  if (!g.network.has_sizes) loaded.findings.add(kMessageSizesUnknown, {});
  if (g.network.assumed) loaded.findings.add(kLatencyAssumed, {});
  return loaded;
}

auto pairwise_object(const std::optional<std::vector<ClassJson>>& classes,
                     const std::optional<std::vector<PairJson>>& pairs) {
  return Object{"classes"_key.when(classes), "pairs"_key.when(pairs)};
}

}  // namespace

bool is_measured(const LoadedGraph& loaded, const ModelRequest& request) {
  return loaded.trace().timed() && !request.model.given() && !request.network.given();
}

LoadedGraph load_graph(const ModelRequest& request, CallDetail detail, GraphTime time,
                       KeepMatching keep) {
  ModelChoice model = resolve_model(request.model);
  begin_stage("reading the trace");
  const std::string path = input_path(request.trace);
  const auto with_network = [&](LoadedGraph loaded) {
    loaded.model.pairs =
        resolve_network(request.network, loaded.model.model, loaded.opened.trace.ranks());
    return loaded;
  };
  if (std::optional<OpenedGoal> goal = open_goal(path)) {
    refuse_options_of_calls(request.model, "a GOAL file");
    model.graph.serial_links = false;
    return with_network(load_goal_graph(std::move(*goal), model, detail));
  }
  if (std::optional<OpenedTraining> training = open_training(path)) {
    return with_network(load_training_graph(std::move(*training), request.model, model));
  }
  // A caller that keeps the matching also looks at measured times.
  const bool measured = keep == KeepMatching::yes;
  const OpenOptions options = open_options(
      request.reading, measured ? ClockPolicy::when_needed : ClockPolicy::as_read, measured);
  LoadedGraph loaded{open_trace(path, options), std::move(model), {}, false};
  Findings chosen;
  if (!request.network.given()) {
    loaded.model = resolve_model(request.model, loaded.trace(), chosen);
  } else {
    // A network of several values of G has costs of its own.
    loaded.model.graph.transfer = {};
    loaded.model.graph.link = {};
  }
  loaded.model.graph.collectives.resolve_automatic(loaded.trace().info().mpi_library);
  ComputationChoice computation = choose_computation(request.model.computation, loaded.trace());
  loaded.model.computation = computation.name;
  loaded.findings = std::move(computation.findings);
  loaded.findings.merge(chosen);
  loaded.cpu_time = std::move(computation.cpu_time);
  if (time == GraphTime::now) complete(loaded);
  begin_stage("analysing the run");
  return with_network(std::move(loaded));
}

void LoadedGraph::require_calls() const {
  if (!has_calls) throw profile_without_calls(opened.path);
}

void set_parameters(LoadedGraph& loaded, const ModelRequest& request) {
  const bool follows_trace = loaded.opened.format != "goal" && !request.network.given();
  const Trace& trace = loaded.opened.trace;
  Findings known;  // those of the first choice
  loaded.model.model = follows_trace ? resolve_model(request.model, trace, known).model
                                     : resolve_model(request.model).model;
  loaded.model.pairs = resolve_network(request.network, loaded.model.model, trace.ranks());
  if (loaded.model.pairs != nullptr) loaded.model.bounds.reset();
}

const ExecutionGraph& complete(LoadedGraph& loaded) {
  begin_stage("building the execution graph");
  if (!loaded.has_graph) loaded.graph = build_graph(loaded.program(), loaded.model.graph);
  loaded.has_graph = true;
  return loaded.graph;
}

const JsonType& declared_type(const PairwiseJsonTag*) {
  return json_type_by<pairwise_object>();
}

PairwiseJson add_pairwise(std::vector<Section>& sections, const LoadedGraph& loaded, bool pairs) {
  if (!pairs && loaded.model.pairs == nullptr) return pairwise_object({}, {});
  const PairwiseSensitivity pairwise = pairwise_sensitivity(loaded.graph, loaded.model);
  const std::optional<std::vector<ClassJson>> classes = add_classes(sections, pairwise);
  std::optional<std::vector<PairJson>> all_pairs;
  if (pairs) all_pairs = add_pairs(sections, pairwise);
  return pairwise_object(classes, all_pairs);
}

}  // namespace slackline
