#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/model/model_choice.h"
#include "app/load/input.h"
#include "app/options/run_request.h"
#include "base/findings.h"
#include "formats/open/open.h"
#include "graph/execution_graph.h"
#include "graph/training/moments.h"
#include "report/report.h"
#include "report/typed_report.h"

namespace slackline {

/// A trace that has been read, and its graph under the model.
struct LoadedGraph {
  OpenedTrace opened;
  ModelChoice model;
  ExecutionGraph graph;
  bool has_graph = true;  ///< false until complete() has built it
  bool has_calls = true;  ///< false of a profile

  std::optional<std::int64_t> measured_ns{};  ///< of a profile, whose trace has no calls
  /// A profile has the run with clocks corrected, and what the vertices of `graph` stand for.
  struct Training {
    TrainingRun run;
    std::vector<TrainingMoment> moments;
  };
  std::optional<Training> training{};
  std::optional<Trace> cpu_time{};  ///< with CPU time as computation, where the model uses that
  Findings findings{};

  // A profile has a graph and no calls: whoever asks for them is refused with an Error, here, so
  // that no answer comes of an empty trace.

  /// As it was recorded.
  const Trace& trace() const { return require_calls(), opened.trace; }
  /// As the model takes it. `graph` is of this one.
  const Trace& program() const { return require_calls(), program_or_none(); }
  /// The same, given away.
  Trace take_program() {
    require_calls();
    return cpu_time ? std::move(*cpu_time) : std::move(opened.trace);
  }
  /// The same for whoever only names what the graph tells: without any call, of a profile.
  const Trace& program_or_none() const { return cpu_time ? *cpu_time : opened.trace; }
  void require_calls() const;
};

/// Whether the graph is built with the trace, or later by complete(), so that others can use the
/// trace meanwhile.
enum class GraphTime : std::uint8_t { now, later };
/// Whether the report names calls. Only then is a list of calls made of a GOAL file.
enum class CallDetail : std::uint8_t { none, named };

/// Whether OpenedTrace::matching stays for who looks at messages and collectives of the run.
enum class KeepMatching : std::uint8_t { no, yes };

/// Whether questions about the run are about the measured one, and not about one that the model
/// predicts: it was measured, and the request says nothing of another network.
bool is_measured(const LoadedGraph& loaded, const ModelRequest& request);

/// Reads the trace and resolves the model. Throws Error.
LoadedGraph load_graph(const ModelRequest& request, CallDetail detail = CallDetail::named,
                       GraphTime time = GraphTime::now, KeepMatching keep = KeepMatching::no);
/// Gives the model of a graph that is there the L, o and G of `request`, which is otherwise the one
/// that the graph was loaded by. Throws Error.
void set_parameters(LoadedGraph& loaded, const ModelRequest& request);
/// The graph, built now if that was left for later.
const ExecutionGraph& complete(LoadedGraph& loaded);

/// What was described with its title, options (the model's, then `own`) and input, and the findings
/// of trace and graph added.
template <class Result, class Own = Object<>>
auto with_context(Described<Result> described, std::string_view command, const LoadedGraph& loaded,
                  Own own = {}) {
  auto whole = with_context(std::move(described), command, loaded.opened,
                            Object<ModelJson, Own>(to_json(loaded.model), std::move(own)));
  whole.described.findings.merge(loaded.findings);
  whole.described.findings.merge(loaded.graph.findings());
  return whole;
}

using PairwiseJson = JsonOf<struct PairwiseJsonTag>;
const JsonType& declared_type(const PairwiseJsonTag*);
/// Adds what the critical path pays for by parts of the network, where pairs of ranks differ, and
/// if `pairs` by pairs of ranks. Returns the same for scripts.
PairwiseJson add_pairwise(std::vector<Section>& sections, const LoadedGraph& loaded, bool pairs);

}  // namespace slackline
