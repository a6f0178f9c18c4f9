#include "page/timeline_parts.h"

#include <map>
#include <string>
#include <utility>

namespace slackline {
namespace {

constexpr std::size_t kMostGroups = 512;
constexpr std::uint32_t kFirstOfProgram = 2;  // after MPI_COMM_WORLD and MPI_COMM_SELF

void add(Timeline::Group& group, std::int32_t rank) {
  if (!group.ranks.empty() && group.ranks.back().second + 1 == rank) {
    group.ranks.back().second = rank;
  } else {
    group.ranks.emplace_back(rank, rank);
  }
}

Timeline::Grouping by_host(const Trace& trace) {
  Timeline::Grouping hosts{"host", {}};
  std::map<std::string, std::size_t, std::less<>> index;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const std::string& host = trace.rank_info(r).host;
    const auto [at, is_new] = index.try_emplace(host, hosts.groups.size());
    if (is_new) hosts.groups.push_back({host.empty() ? "unknown host" : host, {}});
    add(hosts.groups[at->second], r);
  }
  return hosts;
}

Timeline::Grouping by_communicator(const Trace& trace) {
  Timeline::Grouping all{"communicator", {}};
  std::vector<bool> placed(static_cast<std::size_t>(trace.ranks()));
  const auto& communicators = trace.communicators();
  for (std::size_t c = kFirstOfProgram; c < communicators.size(); ++c) {
    const Communicator& communicator = communicators[c];
    if (communicator.members.size() >= placed.size()) continue;
    Timeline::Group group{
        communicator.name.empty() ? "communicator " + std::to_string(c) : communicator.name, {}};
    for (const std::int32_t rank : communicator.members) {
      if (rank < 0 || rank >= trace.ranks()) continue;
      const auto index = static_cast<std::size_t>(rank);
      if (!placed[index]) add(group, rank);
      placed[index] = true;
    }
    if (!group.ranks.empty()) all.groups.push_back(std::move(group));
  }
  return all;
}

}  // namespace

std::vector<Timeline::Grouping> groupings_of(const Trace& trace) {
  std::vector<Timeline::Grouping> useful;
  for (Timeline::Grouping& grouping : std::vector{by_host(trace), by_communicator(trace)}) {
    const std::size_t groups = grouping.groups.size();
    if (groups > 1 && groups <= kMostGroups) useful.push_back(std::move(grouping));
  }
  return useful;
}

}  // namespace slackline
