#include "training/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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

struct Group {
  std::string name;
  /// Kernels by rank (index in TrainingRun::ranks), each in the order of their begins.
  std::map<std::uint32_t, std::vector<std::uint32_t>> kernels;
};

// Groups of different ranks may share a name, so that the members belong to the key.
using GroupKey = std::pair<std::string, std::vector<std::int32_t>>;
using Groups = std::map<GroupKey, Group>;

void add_kernel(const ProfiledRank& profile, std::uint32_t rank, std::uint32_t activity,
                Groups& groups) {
  const std::uint32_t detail = profile.gpu[activity].collective;
  GroupKey key;
  if (detail != kNone) {
    key = {profile.collectives[detail].group, profile.collectives[detail].ranks};
  }
  Group& group = groups[key];
  group.name = key.first;
  group.kernels[rank].push_back(activity);
}

Groups groups_of(const TrainingRun& run, Findings& findings) {
  Groups groups;
  for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
    const ProfiledRank& profile = run.ranks[rank];
    bool guessed = false;
    for (std::uint32_t i = 0; i < profile.gpu.size(); ++i) {
      const GpuActivity& activity = profile.gpu[i];
      if (activity.work != GpuWork::communication) continue;
      if (operation_of(profile.name(activity.name)) == kPointToPoint) continue;
      guessed = guessed || activity.collective == kNone;
      add_kernel(profile, rank, i, groups);
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
    member.waiting_ns = std::min(all_there, member.time.end_ns) - member.time.begin_ns;
    collective.waiting_ns += member.waiting_ns;
  }
}

void check_clocks(const TrainingRun& run, const TrainingCollective& collective,
                  Findings& findings) {
  const CollectiveKernel& last = collective.members[collective.straggler];
  for (const CollectiveKernel& member : collective.members) {
    if (member.time.end_ns >= last.time.begin_ns) continue;
    findings.add(kGpuClocksDiffer, fmt::format("ranks {} and {}", run.ranks[member.rank].rank,
                                               run.ranks[last.rank].rank));
    return;
  }
}

// The k-th kernels of a group's ranks.
TrainingCollective collective_at(const TrainingRun& run, const Group& group, std::size_t k) {
  TrainingCollective collective;
  collective.group = group.name;
  for (const auto& [rank, kernels] : group.kernels) {
    collective.members.push_back({rank, kernels[k], run.ranks[rank].gpu[kernels[k]].time});
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
