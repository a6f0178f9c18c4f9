#include "app/load/stretched_model.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/packed.h"
#include "base/progress.h"
#include "calls/call_matching.h"
#include "calls/findings.h"
#include "parallel/process_group.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

constexpr std::uint64_t kShareOfReduction = 8;

/// Findings that name calls by their number, and deadlocks, which are broken in an order that
/// depends on all ranks.
constexpr std::array kDependsOnOthers{
    &kUnmatchedSend,       &kUnmatchedReceive,   &kOpenSend,
    &kOpenReceive,         &kOpenCollective,     &kRendezvousDeadlock,
    &kSynchronousDeadlock, &kCollectiveMismatch, &kCollectiveIncomplete};

/// Whether findings of stretches, one after the other, are those of the whole run. The order of
/// several ones may differ.
bool are_independent(const Findings& findings) {
  const bool released = std::ranges::any_of(
      kDependsOnOthers, [&](const FindingKind* kind) { return findings.count(*kind) > 0; });
  const auto& all = findings.entries();
  return !released && (all.empty() || (all.size() == 1 && all.front().examples.size() <= 1));
}

/// Adds the check of another stretch to `all`. If several messages are equally bad, which of them
/// is named depends on the whole run: then `worst` is empty.
void add_check(CausalityCheck& all, const CausalityCheck& of) {
  all.violations += of.violations;
  all.on_one_clock += of.on_one_clock;
  if (of.worst_ns > all.worst_ns) {
    all.worst_ns = of.worst_ns;
    all.worst = of.worst;
  } else if (of.worst_ns == all.worst_ns && of.worst != all.worst) {
    all.worst.clear();
  }
}
bool is_clear(const CausalityCheck& check) {
  return check.violations == 0 || !check.worst.empty();
}

/// What add_check() adds up.
struct SharedCheck {
  CausalityCheck check;

  auto carried() {
    return std::tie(check.violations, check.on_one_clock, check.worst_ns, check.worst);
  }
};

/// The sum over all processes, in all of them.
CausalityCheck check_of_all(ProcessGroup& group, CausalityCheck mine) {
  SharedCheck shared{std::move(mine)};
  Bytes bytes;
  pack(bytes, shared);
  CausalityCheck all;
  for (const Bytes& given : group.exchange_with_all(bytes)) {
    std::span<const std::byte> rest(given);
    unpack(rest, shared);
    add_check(all, shared.check);
  }
  return all;
}

constexpr std::size_t kBytesAtOnce = std::size_t{4} << 20;

/// Sends the lists of all other processes to the first one, which calls take(piece) for each piece,
/// in the order of processes.
template <class T, class Take>
void send_to_first(ProcessGroup& group, std::span<const T> mine, const Take& take) {
  constexpr std::size_t kAtOnce = kBytesAtOnce / sizeof(T);
  const std::vector<std::uint64_t> counts =
      gather_all(group, std::vector<std::uint64_t>{mine.size()});
  for (std::size_t p = 1; p < counts.size(); ++p) {
    for (std::size_t done = 0; done < counts[p]; done += kAtOnce) {
      std::vector<Bytes> to_each(counts.size());
      if (p == static_cast<std::size_t>(group.rank())) {
        const auto piece = std::as_bytes(mine.subspan(done, std::min(kAtOnce, mine.size() - done)));
        to_each.front().assign(piece.begin(), piece.end());
      }
      const Bytes got = std::move(group.exchange(std::move(to_each))[p]);
      if (group.is_first()) {
        take(std::span(reinterpret_cast<const T*>(got.data()), got.size() / sizeof(T)));
      }
    }
  }
}

}  // namespace

std::optional<StretchedModel> StretchedModel::load(const ModelRequest& request,
                                                   ProcessGroup& group) {
  const NetworkOptions& network = request.network;
  const bool by_pairs = network.given() || !network.hosts.empty() || !network.intra_node.empty();
  if (by_pairs || resolve_model(request.model).bounds) {
    group.set_unshared("parameters by pairs of ranks or with measured intervals are not shared");
    return std::nullopt;
  }
  std::optional<StretchedRun> run =
      load_stretches({.trace = request.trace, .reading = request.reading}, group);
  if (!run) return std::nullopt;
  const Trace& job = run->trace.job();
  Findings chosen;
  ModelChoice model = resolve_model(request.model, job, chosen);
  model.graph.collectives.resolve_automatic(job.info().mpi_library);
  LoadedGraph loaded{std::move(run->run.opened), std::move(model), {}};
  loaded.has_calls = false;
  StretchedModel result(std::move(*run), std::move(loaded), group);
  result.computation_ = choose_computation(request.model.computation, result.run_.trace.job(),
                                           result.add_up_time_off());
  result.loaded_.model.computation = result.computation_.name;
  result.loaded_.findings = result.computation_.findings;
  result.loaded_.findings.merge(chosen);
  return result;
}

std::size_t StretchedModel::rounds() const {
  const auto processes = static_cast<std::size_t>(group_.size());
  return (run_.trace.size() + processes - 1) / processes;
}

std::size_t StretchedModel::own_number(std::size_t round) const {
  return round * static_cast<std::size_t>(group_.size()) + static_cast<std::size_t>(group_.rank());
}

/// As recorded. Nothing in a process for which the last round has no stretch.
std::optional<Stretch> StretchedModel::read_own(std::size_t round) {
  const std::size_t number = own_number(round);
  if (number >= run_.trace.size()) return std::nullopt;
  std::optional<Stretch> stretch = read_stretch(run_, number);
  if (!stretch) throw changed_while_read();
  return stretch;
}

std::optional<ModelStretch> StretchedModel::load_own(std::size_t round, CausalityCheck* check) {
  std::optional<Stretch> stretch = read_own(round);
  if (!stretch) return std::nullopt;
  if (check != nullptr) {
    *check = check_causality(stretch->trace,
                             CallMatching(stretch->trace, CallMatching::Extent::receipts));
  }
  Trace program = computing(computation_, std::move(stretch->trace));
  ExecutionGraph graph = build_graph(program, loaded_.model.graph, stretch->part);
  return ModelStretch{own_number(round), stretch->part, std::move(program), std::move(graph)};
}

/// One more pass over all calls, if some of the time between them is known not to be computation.
OffComputation StretchedModel::add_up_time_off() {
  OffComputation times;
  if (true_in_all(group_, !run_.trace.has_time_off())) return times;
  begin_stage("adding up computation");
  for (std::size_t round = 0; round < rounds(); ++round) {
    const std::optional<Stretch> stretch = read_own(round);
    if (stretch) times += off_computation(stretch->trace, stretch->part);
  }
  OffComputation all;
  for (const OffComputation& of : gather_all(group_, std::vector{times})) all += of;
  return all;
}

bool StretchedModel::for_each_stretch(
    const std::function<bool(std::optional<ModelStretch>&)>& add,
    const std::function<bool(const std::optional<ModelStretch>&)>& join) {
  begin_stage("analysing the run");
  Findings findings;
  CausalityCheck causality;
  bool independent = true;
  for (std::size_t round = 0; round < rounds() && independent; ++round) {
    CausalityCheck check;
    std::optional<ModelStretch> own = load_own(round, &check);
    findings.merge(findings_of_all(group_, own ? own->graph.findings() : Findings{}));
    add_check(causality, check);
    const bool mine = !own || add(own);
    independent = true_in_all(group_, mine) && are_independent(findings) && join(own);
    if (round + 1 == rounds() && !is_last(own_number(round))) newest_ = std::move(own);
  }
  if (independent) causality = check_of_all(group_, std::move(causality));
  if (independent && is_clear(causality)) {
    loaded_.findings.merge(findings);
    TraceBuilder job(std::move(loaded_.opened.trace));
    report_causality(causality, job);
    loaded_.opened.trace = std::move(job).build();
    return true;
  }
  newest_.reset();
  require_whole(
      run_, group_,
      "messages or collectives that are incomplete, deadlock under the model, or of which "
      "only the whole run tells what the model makes of them");
  return false;
}

void StretchedModel::for_each_again(
    const std::function<void(const std::optional<ModelStretch>&)>& visit) {
  begin_stage("following the critical path");
  visit(std::exchange(newest_, std::nullopt));
  for (std::size_t round = rounds() - 1; round-- > 0;) visit(load_own(round));
}

std::optional<ReducedLogGPS> reduce(StretchedModel& model, const ReadingOptions& reading) {
  ProcessGroup& group = model.group();
  const std::uint64_t in_memory = memory_for(reading).bytes / kShareOfReduction;
  PartReduction reduction;
  ReducedLogGPSWriter& lists = reduction.lists();
  const auto take = [&](const auto& part) {
    lists.append(part);
    lists.spill_beyond(in_memory);
  };
  const auto add = [&reduction](std::optional<ModelStretch>& own) {
    const std::size_t number = own->number;
    const RunPart part = own->part;
    const ExecutionGraph graph = std::move(own->graph);
    own.reset();  // the calls take as much memory as the graph
    return reduction.add(graph, part, number);
  };
  const auto join = [&](const std::optional<ModelStretch>&) {
    const auto wide = gather_all(group, std::vector<std::uint64_t>{lists.wide().size()});
    lists.renumber_wide(
        std::accumulate(wide.begin(), wide.begin() + group.rank(), std::uint64_t{0}));
    if (group.is_first()) lists.spill_beyond(in_memory);
    send_to_first(group, lists.nodes(), take);
    send_to_first(group, lists.edges(), take);
    send_to_first(group, lists.wide(), take);
    if (!group.is_first()) lists.clear();
    CountSums sums;
    for (const CountSums& of : gather_all(group, std::vector{reduction.sums()})) sums += of;
    return sums.fit();
  };
  if (!model.for_each_stretch(add, join)) return std::nullopt;
  const std::uint32_t slots = std::ranges::max(gather_all(group, std::vector{reduction.slots()}));
  if (!group.is_first()) return ReducedLogGPS{};
  return std::move(lists).finish(slots);
}

}  // namespace slackline
