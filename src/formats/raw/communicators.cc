#include "formats/raw/communicators.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "formats/raw/findings.h"
#include "trace/communicator_makers.h"

namespace slackline::raw {

namespace {

constexpr std::size_t kRun = 3;                 // first world rank, stride, count
constexpr std::int64_t kMostForeign = 1 << 20;  // processes of other worlds in one list

/// The runs of one member list at the front of `args`, with their number before them; takes them
/// off. Nothing when they do not describe `size` ranks of a world of `world`, and processes of
/// other ones.
std::optional<std::vector<std::int64_t>> take_runs(std::span<const std::int64_t>& args,
                                                   std::int64_t size, std::int64_t world) {
  if (args.empty() || args[0] < 0) return std::nullopt;
  const auto runs = static_cast<std::uint64_t>(args[0]);
  if (runs > (args.size() - 1) / kRun) return std::nullopt;
  const auto list = args.subspan(1, static_cast<std::size_t>(runs) * kRun);
  std::int64_t total = 0;
  std::int64_t foreign = 0;
  for (std::size_t i = 0; i < list.size(); i += kRun) {
    const std::int64_t first = list[i];
    const std::int64_t stride = list[i + 1];
    const std::int64_t count = list[i + 2];
    if (first < -1 || first >= world) return std::nullopt;
    if (count < 1 || count > world + kMostForeign) return std::nullopt;
    total += count;
    if (first == -1 && (stride == 0 || count == 1)) {
      foreign += count;
      if (foreign > kMostForeign) return std::nullopt;
      continue;
    }
    if (count == 1) continue;  // of one, the stride says nothing
    if (count > world + 1 || stride < -world || stride > world) return std::nullopt;
    const std::int64_t last = first + stride * (count - 1);
    if (last < -1 || last >= world) return std::nullopt;
    if (first == -1 || last == -1) ++foreign;
  }
  if (total != size || size - foreign > world) return std::nullopt;
  args = args.subspan(1 + list.size());
  return std::vector<std::int64_t>(list.begin(), list.end());
}

std::vector<std::int32_t> expand(const std::vector<std::int64_t>& runs) {
  std::vector<std::int32_t> members;
  for (std::size_t i = 0; i < runs.size(); i += kRun) {
    for (std::int64_t k = 0; k < runs[i + 2]; ++k) {
      members.push_back(static_cast<std::int32_t>(runs[i] + k * runs[i + 1]));
    }
  }
  return members;
}

bool is_foreign(std::int32_t member) {
  return member < 0;
}

bool has_foreign(const std::vector<std::int32_t>& members) {
  return std::ranges::any_of(members, is_foreign);
}

std::vector<std::int32_t> of_this_world(std::vector<std::int32_t> members) {
  std::erase_if(members, is_foreign);
  return members;
}

bool all_foreign(const std::vector<std::int64_t>& runs) {
  return of_this_world(expand(runs)).empty();
}

/// Is the order of such calls on one communicator, with one tag, the same on all members of what is
/// made?
bool is_ordered_by_parent(Operation operation) {
  switch (operation) {
    case Operation::comm_spawn:
    case Operation::comm_spawn_multiple:
    case Operation::comm_accept:
    case Operation::comm_connect:
      return false;
    case Operation::comm_create_group:
      return true;
    default:
      return operation_class(operation) == OperationClass::comm_create &&
             !is_made_by_members(operation);
  }
}

/// By local number of each communicator of the rank: the one that it was made from.
std::unordered_map<std::uint32_t, std::uint32_t> parents_of(std::span<const Record> records) {
  std::unordered_map<std::uint32_t, std::uint32_t> parents;
  for (const Record& maker : records) {
    if (maker.head.op >= SLK_OPERATION_COUNT) continue;
    if (maker.args.size() != 1 || maker.args[0] <= SLK_COMM_SELF || maker.args[0] >= kCommNull) {
      continue;
    }
    if (!is_ordered_by_parent(static_cast<Operation>(maker.head.op))) continue;
    parents.emplace(static_cast<std::uint32_t>(maker.args[0]), maker.head.comm);
  }
  return parents;
}

}  // namespace

bool tells_of_communicator(std::uint8_t op) {
  return op == SLK_REC_COMM ||
         (op < SLK_OPERATION_COUNT &&
          operation_class(static_cast<Operation>(op)) == OperationClass::comm_create);
}

std::uint32_t Communicators::global_id(const Kind& kind, std::size_t occurrence) {
  const auto [found, added] = ids_.try_emplace({kind, occurrence}, kCommNull);
  if (added) {
    Communicator communicator;
    communicator.members = of_this_world(expand(kind.local));
    communicator.remote = of_this_world(expand(kind.remote));
    found->second = trace_.add_communicator(std::move(communicator));
  }
  return found->second;
}

CommViews Communicators::views(std::span<const Record> records, Findings& findings) {
  CommViews views;
  views[SLK_COMM_WORLD] = {.global = kCommWorld};
  views[SLK_COMM_SELF] = {.global = kCommSelf};
  const std::unordered_map<std::uint32_t, std::uint32_t> parents = parents_of(records);
  std::map<Kind, std::size_t> seen;
  for (const Record& record : records) {
    if (record.head.op != SLK_REC_COMM) continue;
    auto args = record.args;
    std::optional<Key> local;
    std::optional<Key> remote;
    if (args.size() > kRun) {
      const std::int64_t local_size = args[1];
      const std::int64_t remote_size = args[2];
      const bool inter = args[0] != 0;
      args = args.subspan(kRun);
      local = take_runs(args, local_size, trace_.ranks());
      remote = inter ? take_runs(args, remote_size, trace_.ranks()) : Key{};
    }
    if (!local || !remote || local->empty() || record.head.comm <= SLK_COMM_SELF) {
      findings.add(kDamagedRecord, "a communicator");
      continue;
    }
    CommView view;
    view.inter = !remote->empty();
    view.peers = expand(view.inter ? *remote : *local);
    if (!has_foreign(view.peers) && !has_foreign(expand(*local))) view.peers.clear();
    if (!view.peers.empty()) findings.add(kOtherWorlds);
    // Both sides of an intercommunicator must give it one name: the smaller list goes first.
    view.swapped = view.inter && !all_foreign(*remote) && *remote < *local;
    if (view.swapped) std::swap(*local, *remote);
    const auto parent = parents.find(record.head.comm);
    const auto made_from = parent == parents.end() ? views.end() : views.find(parent->second);
    const Kind kind{std::move(*local), std::move(*remote),
                    made_from == views.end() ? kCommNull : made_from->second.global,
                    record.head.bytes};
    view.global = global_id(kind, seen[kind]++);
    views[record.head.comm] = std::move(view);
  }
  return views;
}

}  // namespace slackline::raw
