#include "app/load/stretched_model.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/stage.h"
#include "calls/findings.h"
#include "parallel/process_group.h"

namespace slackline {
namespace {

constexpr std::uint64_t kShareOfReduction = 8;

/// What names calls by their number, or was let go on in an order in which all have part.
constexpr std::array kDependsOnOthers{&kUnmatchedSend,      &kUnmatchedReceive,
                                      &kRendezvousDeadlock, &kSynchronousDeadlock,
                                      &kCollectiveMismatch, &kCollectiveIncomplete};

/// Whether findings of stretches, one after the other, are those of the whole run. The order of
/// several need not be.
bool are_independent(const Findings& findings) {
  const bool released = std::ranges::any_of(
      kDependsOnOthers, [&](const FindingKind* kind) { return findings.count(*kind) > 0; });
  const auto& all = findings.entries();
  return !released && (all.empty() || (all.size() == 1 && all.front().examples.size() <= 1));
}

std::vector<LastOnLink> link_ends(const ExecutionGraph& graph) {
  std::vector<LastOnLink> links;
  for (std::int32_t r = 0; r < graph.ranks(); ++r) links.push_back(graph.link_end(r));
  return links;
}

}  // namespace

std::optional<StretchedModel> StretchedModel::load(const ModelRequest& request) {
  const NetworkOptions& network = request.network;
  const bool by_pairs = network.given() || !network.hosts.empty() || !network.intra_node.empty();
  if (by_pairs || resolve_model(request.model).bounds) return std::nullopt;
  SingleProcess alone;
  std::optional<StretchedRun> run =
      load_stretches({.trace = request.trace, .reading = request.reading}, alone);
  if (!run) return std::nullopt;
  const Trace& job = run->trace.job();
  Findings chosen;
  ModelChoice model = resolve_model(request.model, job, chosen);
  model.graph.collectives.resolve_automatic(job.info().mpi_library);
  LoadedGraph loaded{std::move(run->run.opened), std::move(model), {}};
  loaded.has_calls = false;
  StretchedModel result(std::move(*run), std::move(loaded));
  result.computation_ = choose_computation(request.model.computation, result.run_.trace.job(),
                                           result.add_up_time_off());
  result.loaded_.model.computation = result.computation_.name;
  result.loaded_.findings = result.computation_.findings;
  result.loaded_.findings.merge(chosen);
  return result;
}

/// One more pass over all calls, where it is known of any time between them that it is not
/// computation.
OffComputation StretchedModel::add_up_time_off() {
  OffComputation times;
  if (!run_.trace.has_time_off()) return times;
  begin_stage("adding up computation");
  for (std::size_t s = 0; s < run_.trace.size(); ++s) {
    const std::optional<Stretch> stretch = read_stretch(run_, s);
    if (!stretch) throw changed_while_read();
    times += off_computation(stretch->trace, stretch->part);
  }
  return times;
}

bool StretchedModel::for_each_stretch(const Use& use) {
  begin_stage("analysing the run");
  SingleProcess alone;
  links_.assign(1, {});
  Findings findings;
  bool independent = true;
  for (std::size_t s = 0; s < run_.trace.size() && independent; ++s) {
    std::optional<Stretch> stretch = read_stretch(run_, s);
    if (!stretch) throw changed_while_read();
    const Trace program = computing(computation_, std::move(stretch->trace));
    const ExecutionGraph graph =
        build_graph(program, loaded_.model.graph, stretch->part, links_.back());
    findings.merge(graph.findings());
    independent = are_independent(findings) && use(program, graph, stretch->part);
    if (loaded_.model.graph.serial_links) {
      links_.push_back(link_ends(graph));
    } else {
      links_.emplace_back();
    }
  }
  if (independent) {
    loaded_.findings.merge(findings);
    return true;
  }
  require_whole(
      run_, alone,
      "messages or collectives that are incomplete, deadlock under the model, or of which "
      "only the whole run tells what the model makes of them");
  return false;
}

void StretchedModel::for_each_again(const std::function<void(const Trace&, const ExecutionGraph&,
                                                             const RunPart&, std::size_t)>& use) {
  begin_stage("following the critical path");
  for (std::size_t s = run_.trace.size() - 1; s-- > 0;) {
    std::optional<Stretch> stretch = read_stretch(run_, s);
    if (!stretch) throw changed_while_read();
    const Trace program = computing(computation_, std::move(stretch->trace));
    use(program, build_graph(program, loaded_.model.graph, stretch->part, links_[s]), stretch->part,
        s);
  }
}

std::optional<ReducedLogGPS> reduce(StretchedModel& model, const ReadingOptions& reading) {
  PartReduction reduction(memory_for(reading).bytes / kShareOfReduction);
  const bool complete =
      model.for_each_stretch([&](const Trace&, const ExecutionGraph& graph, const RunPart& part) {
        return reduction.add(graph, part.last);
      });
  if (!complete) return std::nullopt;
  return std::move(reduction).finish();
}

}  // namespace slackline
