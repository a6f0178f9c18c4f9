#include "analysis/model/gain_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/model/computation_parts.h"
#include "calls/computation_code.h"
#include "trace/operation.h"
#include "trace/operation_kinds.h"

namespace slackline {
namespace {

/// Functions with less computation are not worth a curve.
constexpr double kLeastShare = 0.001;
constexpr std::size_t kMostFunctions = 200;
constexpr std::size_t kParameters = 3;
constexpr std::array<std::string_view, kParameters> kParameterNames{"latency", "overhead",
                                                                    "transfer"};

/// The parts of an edge that communication pays for, in the order of kParameterNames.
std::array<Edge, kParameters> communication_parts(const Edge& e) {
  Edge latency{};
  latency.from = e.from;
  latency.kind = e.kind;
  Edge overhead = latency;
  Edge transfer = latency;
  latency.latencies = e.latencies;
  overhead.overheads = e.overheads;
  transfer.bytes = e.bytes;
  return {latency, overhead, transfer};
}

/// The price of an edge at the parameter's base value, in ticks of `tick_fs`, rounded down.
class Price {
 public:
  Price(const LinearCost& cost, std::int64_t tick_fs) : cost_(cost), tick_fs_(tick_fs) {}
  std::int64_t operator()(const Edge& e, std::int32_t from_rank, std::int32_t to_rank) const {
    const LinearTerm term = cost_.term(e, from_rank, to_rank);
    return static_cast<std::int64_t>(
        (term.fixed_ticks * cost_.tick_fs() + Int128{term.multiples} * cost_.base_fs()) / tick_fs_);
  }

 private:
  const LinearCost& cost_;
  std::int64_t tick_fs_;
};

}  // namespace

GainOwners::GainOwners(const Trace& trace, const ExecutionGraph& graph, const CallPaths& paths,
                       const ComputationCode& code)
    : trace_(trace), graph_(graph), paths_(paths), code_(code) {}

std::uint32_t GainOwners::owner_of(const ComputationOwner& owner) {
  // Edges that follow each other mostly have the same.
  if (!computation_.empty()) {
    const ComputationOwner& last = computation_[last_];
    if (last.rank == owner.rank && last.path == owner.path && last.frame == owner.frame) {
      return last_;
    }
  }
  const auto [at, added] = known_.try_emplace({owner.rank, owner.path, owner.frame},
                                              static_cast<std::uint32_t>(computation_.size()));
  if (added) {
    computation_.push_back(owner);
    ticks_[0].push_back(0);
  }
  return last_ = at->second;
}

AttributedGraph GainOwners::attribute(const LinearCost& cost, std::int64_t tick_fs) {
  const ComputationParts parts(trace_, graph_, paths_, code_);
  const std::vector<std::int32_t> rank_of = vertex_ranks(graph_);
  const Price price(cost, tick_fs);
  ticks_[1].assign(kOperationCount * kParameters, 0);
  AttributedGraph reduced = reduce_attributed(graph_, [&](const Edge& e, VertexId to,
                                                          AttributedCost& result) {
    const std::int32_t from_rank = rank_of[e.from];
    const std::int32_t to_rank = rank_of[to];
    Edge computed{};
    computed.from = e.from;
    computed.kind = EdgeKind::compute;
    const auto own = [&](CostOwner owner, std::int64_t ticks) {
      if (ticks == 0) return;
      result.parts.push_back({owner, ticks});
      ticks_[static_cast<std::size_t>(owner.kind)][owner.index] += ticks;
    };
    computed.nanoseconds = e.nanoseconds;
    result.ticks = e.nanoseconds == 0 ? 0 : price(computed, from_rank, to_rank);
    parts.for_parts(e, from_rank, [&](PathId path, FrameId frame, std::int64_t ns) {
      computed.nanoseconds = ns;
      own({OwnerKind::computation, owner_of({from_rank, path, frame})},
          price(computed, from_rank, to_rank));
    });
    if (e.latencies == 0 && e.overheads == 0 && e.bytes == 0) return;
    const RankCalls& calls = trace_.calls(to_rank);
    const std::uint32_t call = graph_.global_call(to) - graph_.first_call(to_rank);
    const auto operation = static_cast<std::uint32_t>(calls.operation(call));
    std::uint32_t parameter = 0;
    for (const Edge& part : communication_parts(e)) {
      const std::int64_t ticks = price(part, from_rank, to_rank);
      result.ticks += ticks;
      own({OwnerKind::communication, operation * std::uint32_t{kParameters} + parameter}, ticks);
      ++parameter;
    }
  });
  make_labels();
  return reduced;
}

void GainOwners::make_labels() {
  std::map<std::string, std::uint32_t, std::less<>> known;
  const auto label = [&](const std::string& name, std::string kind) {
    const auto [at, added] = known.try_emplace(name, static_cast<std::uint32_t>(labels.size()));
    if (added) labels.push_back({name, std::move(kind)});
    return at->second;
  };
  for (const ComputationOwner& owner : computation_) {
    const std::string& region = paths_.innermost(owner.path);
    label_of[0].push_back(owner.frame != 0
                              ? label(trace_.call_tree().location(owner.frame).function, "function")
                          : region.empty() ? label("other computation", "computation")
                                           : label(region, "region"));
  }
  for (std::size_t i = 0; i < kOperationCount * kParameters; ++i) {
    label_of[1].push_back(
        label(std::string(mpi_name(static_cast<Operation>(i / kParameters))), "operation"));
  }
  for (const ComputationOwner& owner : computation_) {
    rank_label_of.push_back(label(fmt::format("rank {}", owner.rank), "rank"));
  }
}

template <class GroupsOf>
std::vector<CostGroup> GainOwners::groups(std::size_t count, GroupsOf groups_of) const {
  std::vector<CostGroup> all(count, {OwnerKind::computation, {}});
  for (std::uint32_t i = 0; i < computation_.size(); ++i) {
    if (ticks_[0][i] == 0) continue;
    groups_of(computation_[i], [&](std::size_t group) {
      std::vector<std::uint32_t>& owners = all[group].owners;
      if (owners.empty() || owners.back() != i) owners.push_back(i);  // a region in itself
    });
  }
  return all;
}

void GainOwners::add(std::vector<GainTarget>& all, std::string name, std::string kind,
                     CostGroup group) {
  if (!group.owners.empty()) all.push_back({std::move(name), std::move(kind), std::move(group)});
}

void GainOwners::add_regions(std::vector<GainTarget>& all) const {
  std::vector<CostGroup> found =
      groups(trace_.regions().size(), [&](const ComputationOwner& owner, auto put) {
        for (PathId p = owner.path; p != 0; p = paths_.parent(p)) {
          if (paths_.region(p) != kNoRegion) put(static_cast<std::size_t>(paths_.region(p)));
        }
      });
  for (std::size_t region = 0; region < found.size(); ++region) {
    add(all, trace_.regions()[region], "region", std::move(found[region]));
  }
}

void GainOwners::add_call_paths(std::vector<GainTarget>& all) const {
  std::vector<CostGroup> found =
      groups(paths_.size(), [&](const ComputationOwner& owner, auto put) {
        for (PathId p = owner.path; p != 0; p = paths_.parent(p)) put(p);
      });
  for (PathId path = 1; path < paths_.size(); ++path) {
    if (!found[path].owners.empty())
      add(all, paths_.name(path), "call-path", std::move(found[path]));
  }
}

void GainOwners::add_ranks(std::vector<GainTarget>& all) const {
  std::vector<CostGroup> found = groups(
      static_cast<std::size_t>(trace_.ranks()),
      [](const ComputationOwner& owner, auto put) { put(static_cast<std::size_t>(owner.rank)); });
  for (std::size_t rank = 0; rank < found.size(); ++rank) {
    add(all, fmt::format("rank {}", rank), "rank", std::move(found[rank]));
  }
}

/// Those with the most computation in themselves; outer ones contain theirs.
std::vector<std::string> GainOwners::long_functions() const {
  std::map<std::string, std::int64_t> times;
  std::int64_t all = 0;
  for (std::size_t i = 0; i < computation_.size(); ++i) {
    const FrameId frame = computation_[i].frame;
    if (frame != 0) times[trace_.call_tree().location(frame).function] += ticks_[0][i];
    all += ticks_[0][i];
  }
  std::vector<std::pair<std::int64_t, std::string>> longest;
  for (const auto& [function, ticks] : times) {
    if (static_cast<double>(ticks) >= kLeastShare * static_cast<double>(all)) {
      longest.emplace_back(-ticks, function);
    }
  }
  std::ranges::sort(longest);
  if (longest.size() > kMostFunctions) longest.resize(kMostFunctions);
  std::vector<std::string> names;
  for (auto& [ticks, function] : longest) names.push_back(std::move(function));
  return names;
}

void GainOwners::add_functions(std::vector<GainTarget>& all) const {
  for (const std::string& function : long_functions()) {
    const std::vector<bool> frames = frames_of_function(trace_.call_tree(), function);
    add(all, function, "function", std::move(groups(1, [&](const ComputationOwner& o, auto put) {
                                               if (frames[o.frame]) put(0);
                                             }).front()));
  }
}

void GainOwners::add_communication(std::vector<GainTarget>& all) const {
  const auto add_some = [&](std::string name, std::string kind, const auto& selected) {
    CostGroup group{OwnerKind::communication, {}};
    for (std::uint32_t i = 0; i < ticks_[1].size(); ++i) {
      if (ticks_[1][i] == 0) continue;
      if (selected(static_cast<Operation>(i / kParameters), i % kParameters)) {
        group.owners.push_back(i);
      }
    }
    add(all, std::move(name), std::move(kind), std::move(group));
  };
  for (std::size_t i = 0; i < kOperationCount; ++i) {
    const auto operation = static_cast<Operation>(i);
    add_some(std::string(mpi_name(operation)), "operation",
             [&](Operation o, std::size_t) { return o == operation; });
  }
  for (const bool collective : {false, true}) {
    for (std::size_t parameter = 0; parameter < kParameters; ++parameter) {
      add_some(fmt::format("{} of {}", kParameterNames[parameter],
                           collective ? "collectives" : "point-to-point messages"),
               "network", [&](Operation o, std::size_t p) {
                 return is_collective(o) == collective && p == parameter;
               });
    }
  }
}

std::vector<GainTarget> GainOwners::targets(bool call_paths) const {
  std::vector<GainTarget> all;
  add(all, "all computation", "computation",
      std::move(groups(1, [](const ComputationOwner&, auto put) { put(0); }).front()));
  add_regions(all);
  add_functions(all);
  if (call_paths) add_call_paths(all);
  add_ranks(all);
  add_communication(all);
  return all;
}

}  // namespace slackline
