#include "training/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "training/communication_names.h"

namespace slackline {
namespace {

constexpr std::string_view kPointToPoint = "SendRecv";
constexpr std::string_view kAllToAll = "AllToAll";

// What a kernel's name says, else what the profile says of it, else its name alone.
std::string_view operation_of(std::string_view kernel, const CollectiveDetail* detail) {
  std::string_view operation = communication_operation(kernel);
  if (operation.empty() && detail != nullptr) {
    operation = communication_operation(detail->operation);
  }
  return operation.empty() ? kernel.substr(0, kernel.find_first_of("(<")) : operation;
}

// NCCL makes all-to-all of sends and receives; only the profile's metadata distinguishes it.
bool is_all_to_all(const CollectiveDetail& detail) {
  return detail.operation.starts_with("all_to_all");
}

// Kernels of one operation, by rank (index in TrainingRun::ranks), in the order of their begins.
using KernelsOfRanks = std::map<std::uint32_t, std::vector<std::uint32_t>>;

// Kernels of two operations may run at the same time on two streams, in another order on each rank,
// so that the operation belongs to the key. Groups of different ranks may share a name, so that
// the members do.
struct GroupKey {
  bool point_to_point = false;
  std::string name{};
  std::vector<std::int32_t> ranks{};
  std::string_view operation{};
  bool guessed = false;

  auto operator<=>(const GroupKey&) const = default;
};
using Groups = std::map<GroupKey, KernelsOfRanks>;

GroupKey key_of(const ProfiledRank& profile, const GpuActivity& kernel) {
  const CollectiveDetail* const described =
      kernel.collective == kNotRecorded ? nullptr : &profile.collectives[kernel.collective];
  const std::string_view operation = operation_of(profile.name(kernel.name), described);
  const bool transfers = operation == kPointToPoint;
  const std::string_view collective = transfers ? kAllToAll : operation;
  if (described == nullptr) return {false, "", {}, collective, true};
  const CollectiveDetail& detail = *described;
  if (!transfers || is_all_to_all(detail)) {
    return {false, detail.group, detail.ranks, collective, false};
  }
  if (detail.target >= 0) return {true, detail.group, {profile.rank, detail.target}, operation};
  if (detail.source >= 0) return {true, detail.group, {detail.source, profile.rank}, operation};
  return {false, detail.group, detail.ranks, collective, true};
}

// Where nothing says whether sends and receives are an all-to-all, equally many on all ranks are.
bool may_be_all_to_all(const TrainingRun& run, const KernelsOfRanks& kernels) {
  const std::size_t count = kernels.begin()->second.size();
  return kernels.size() == run.ranks.size() &&
         std::ranges::all_of(kernels, [&](const auto& of) { return of.second.size() == count; });
}

Groups groups_of(const TrainingRun& run, Findings& findings) {
  Groups groups;
  for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
    const ProfiledRank& profile = run.ranks[rank];
    bool guessed = false;
    for (std::uint32_t i = 0; i < profile.gpu.size(); ++i) {
      const GpuActivity& activity = profile.gpu[i];
      if (activity.work != GpuWork::communication) continue;
      GroupKey key = key_of(profile, activity);
      guessed = guessed || key.guessed;
      groups[std::move(key)][rank].push_back(i);
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

// The k-th kernels of the ranks that have as many.
TrainingCollective collective_at(const TrainingRun& run, const GroupKey& key,
                                 const KernelsOfRanks& of_ranks, std::size_t k) {
  TrainingCollective collective;
  collective.operation = key.operation;
  collective.group = key.name;
  collective.point_to_point = key.point_to_point;
  for (const auto& [rank, kernels] : of_ranks) {
    if (k >= kernels.size()) continue;
    collective.members.push_back({rank, kernels[k], run.ranks[rank].gpu[kernels[k]].time});
  }
  const CollectiveKernel& first = collective.members.front();
  const bool receiver_first = key.point_to_point && run.ranks[first.rank].rank != key.ranks.front();
  if (receiver_first) std::ranges::reverse(collective.members);
  return collective;
}

// Kernels that have partners on other ranks are matched; of the others, waiting is unknown.
void match_group(const TrainingRun& run, const GroupKey& key, const KernelsOfRanks& of_ranks,
                 std::vector<TrainingCollective>& collectives, Findings& findings) {
  const auto add_unmatched = [&](std::uint32_t rank, std::size_t from, std::size_t count) {
    findings.add(kCollectivesUnmatched,
                 fmt::format("rank {}, from {} {} of its group on", run.ranks[rank].rank,
                             key.operation, from),
                 count);
  };
  std::vector<std::size_t> counts;
  for (const auto& [rank, kernels] : of_ranks) counts.push_back(kernels.size());
  std::ranges::sort(counts, std::ranges::greater{});
  std::size_t matched = counts.size() > 1 ? counts[1] : 0;
  if (key.ranks.size() == 1) matched = counts.front();  // the only member
  if (key.guessed && key.operation == kAllToAll && !may_be_all_to_all(run, of_ranks)) matched = 0;
  for (std::size_t k = 0; k < matched; ++k) {
    TrainingCollective collective = collective_at(run, key, of_ranks, k);
    judge(collective);
    check_clocks(run, collective, findings);
    collectives.push_back(std::move(collective));
  }
  for (const auto& [rank, kernels] : of_ranks) {
    if (kernels.size() > matched) add_unmatched(rank, matched, kernels.size() - matched);
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
  for (const auto& [key, kernels] : groups_of(run, findings)) {
    match_group(run, key, kernels, collectives, findings);
  }
  std::ranges::stable_sort(collectives, {}, [](const TrainingCollective& collective) {
    return collective.members[collective.straggler].time.begin_ns;
  });
  return collectives;
}

}  // namespace slackline
