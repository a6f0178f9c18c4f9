#include "training/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace slackline {
namespace {

constexpr std::string_view kPointToPoint = "SendRecv";

// "AllReduce" of "ncclDevKernel_AllReduce_Sum_f16_RING_LL(...)".
std::string_view operation_of(std::string_view kernel) {
  const std::size_t at = kernel.find('_');
  if (at == std::string_view::npos) return kernel;
  const std::string_view rest = kernel.substr(at + 1);
  return rest.substr(0, rest.find_first_of("_("));
}

// NCCL makes all-to-all of sends and receives; only the profile's metadata distinguishes it.
bool is_all_to_all(const CollectiveDetail& detail) {
  return detail.operation.starts_with("all_to_all");
}

struct Group {
  std::string name;
  bool point_to_point = false;
  /// Kernels by rank (index in TrainingRun::ranks), each in the order of their begins.
  std::map<std::uint32_t, std::vector<std::uint32_t>> kernels;
};

// Groups of different ranks may share a name, so that the members belong to the key.
struct GroupKey {
  bool point_to_point = false;
  std::string name{};
  std::vector<std::int32_t> ranks{};

  auto operator<=>(const GroupKey&) const = default;
};
using Groups = std::map<GroupKey, Group>;

// What a kernel is matched in; nothing for sends and receives whose peer is not said.
std::optional<GroupKey> key_of(const ProfiledRank& profile, const GpuActivity& kernel) {
  const bool transfers = operation_of(profile.name(kernel.name)) == kPointToPoint;
  if (kernel.collective == kNotRecorded)
    return transfers ? std::nullopt : std::optional(GroupKey{});
  const CollectiveDetail& detail = profile.collectives[kernel.collective];
  if (!transfers || is_all_to_all(detail)) return GroupKey{false, detail.group, detail.ranks};
  if (detail.target >= 0) return GroupKey{true, detail.group, {profile.rank, detail.target}};
  if (detail.source >= 0) return GroupKey{true, detail.group, {detail.source, profile.rank}};
  return std::nullopt;
}

Groups groups_of(const TrainingRun& run, Findings& findings) {
  Groups groups;
  for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
    const ProfiledRank& profile = run.ranks[rank];
    bool guessed = false;
    for (std::uint32_t i = 0; i < profile.gpu.size(); ++i) {
      const GpuActivity& activity = profile.gpu[i];
      if (activity.work != GpuWork::communication) continue;
      const std::optional<GroupKey> key = key_of(profile, activity);
      if (!key) continue;
      guessed = guessed || activity.collective == kNotRecorded;
      Group& group = groups[*key];
      group.name = key->name;
      group.point_to_point = key->point_to_point;
      group.kernels[rank].push_back(i);
    }
    if (guessed) findings.add(kGroupsGuessed, fmt::format("rank {}", profile.rank));
  }
  return groups;
}

void judge(TrainingCollective& collective) {
  const auto& members = collective.members;
  const auto begin = [](const CollectiveKernel& member) { return member.time.begin_ns; };
  const auto last = std::ranges::max_element(members, {}, begin);
  collective.straggler = static_cast<std::uint32_t>(last - members.begin());
  collective.first =
      static_cast<std::uint32_t>(std::ranges::min_element(members, {}, begin) - members.begin());
  collective.transfer_ns = last->time.duration_ns();
  const std::int64_t all_there = last->time.begin_ns;
  for (CollectiveKernel& member : collective.members) {
    // A send that is buffered does not wait for its receiver.
    const bool buffered =
        collective.point_to_point && &member == &members.front() && member.time.end_ns < all_there;
    if (buffered) continue;
    member.waiting_ns = std::min(all_there, member.time.end_ns) - member.time.begin_ns;
    collective.waiting_ns += member.waiting_ns;
  }
}

void check_clocks(const TrainingRun& run, const TrainingCollective& collective,
                  Findings& findings) {
  const CollectiveKernel& last = collective.members[collective.straggler];
  for (std::size_t i = 0; i < collective.members.size(); ++i) {
    const CollectiveKernel& member = collective.members[i];
    if (member.time.end_ns >= last.time.begin_ns) continue;
    if (!needs(collective, i, collective.straggler)) continue;
    findings.add(kGpuClocksDiffer, fmt::format("ranks {} and {}", run.ranks[member.rank].rank,
                                               run.ranks[last.rank].rank));
    return;
  }
}

// The k-th kernels of a group's ranks.
TrainingCollective collective_at(const TrainingRun& run, const Group& group, std::size_t k) {
  TrainingCollective collective;
  collective.group = group.name;
  collective.point_to_point = group.point_to_point;
  for (const auto& [rank, kernels] : group.kernels) {
    collective.members.push_back({rank, kernels[k], run.ranks[rank].gpu[kernels[k]].time});
  }
  const CollectiveKernel& first = collective.members.front();
  const ProfiledRank& profile = run.ranks[first.rank];
  const std::uint32_t detail = profile.gpu[first.activity].collective;
  if (group.point_to_point && profile.collectives[detail].target < 0) {
    std::ranges::reverse(collective.members);
  }
  return collective;
}

bool same_operation(const TrainingRun& run, TrainingCollective& collective) {
  std::set<std::string_view> operations;
  for (const CollectiveKernel& member : collective.members) {
    const ProfiledRank& profile = run.ranks[member.rank];
    operations.insert(operation_of(profile.name(profile.gpu[member.activity].name)));
  }
  collective.operation = *operations.begin();
  if (collective.operation == kPointToPoint && !collective.point_to_point) {
    collective.operation = "AllToAll";
  }
  return operations.size() == 1;
}

void match_group(const TrainingRun& run, const Group& group,
                 std::vector<TrainingCollective>& collectives, Findings& findings) {
  std::size_t shortest = group.kernels.begin()->second.size();
  for (const auto& [rank, kernels] : group.kernels) shortest = std::min(shortest, kernels.size());
  std::size_t matched = 0;
  for (; matched < shortest; ++matched) {
    TrainingCollective collective = collective_at(run, group, matched);
    if (!same_operation(run, collective)) break;
    judge(collective);
    check_clocks(run, collective, findings);
    collectives.push_back(std::move(collective));
  }
  for (const auto& [rank, kernels] : group.kernels) {
    if (kernels.size() == matched) continue;
    findings.add(
        kCollectivesUnmatched,
        fmt::format("rank {}, from kernel {} of its group on", run.ranks[rank].rank, matched),
        kernels.size() - matched);
  }
}

}  // namespace

bool needs(const TrainingCollective& collective, std::size_t early, std::size_t late) {
  if (early == late) return false;
  if (collective.point_to_point) return late == 0;
  // Broadcasts and reductions to a root need one direction only, and profiles do not name the root.
  return collective.operation.starts_with("All") || collective.operation == "ReduceScatter";
}

std::vector<TrainingCollective> match_collectives(const TrainingRun& run, Findings& findings) {
  std::vector<TrainingCollective> collectives;
  for (const auto& [key, group] : groups_of(run, findings)) {
    match_group(run, group, collectives, findings);
  }
  std::ranges::stable_sort(collectives, {}, [](const TrainingCollective& collective) {
    return collective.members[collective.straggler].time.begin_ns;
  });
  return collectives;
}

}  // namespace slackline
