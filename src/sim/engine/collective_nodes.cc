#include "sim/engine/collective_nodes.h"

#include <algorithm>

namespace slackline::sim {

std::span<const std::int32_t> CollectiveNodes::of(const CollectiveIndex::Instance& instance) {
  if (!instance.own_members.empty()) {
    scratch_ = nodes_of(instance);
    return scratch_;
  }
  const auto known = by_comm_.find(instance.comm);
  if (known != by_comm_.end()) return known->second;
  return by_comm_.emplace(instance.comm, nodes_of(instance)).first->second;
}

std::vector<std::int32_t> CollectiveNodes::nodes_of(
    const CollectiveIndex::Instance& instance) const {
  std::vector<std::int32_t> nodes;
  for (const std::int32_t rank : instance.members) {
    nodes.push_back(static_cast<std::int32_t>(hosts_[static_cast<std::size_t>(rank)]));
  }
  std::vector<std::int32_t> sorted = nodes;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) == sorted.end()) nodes.clear();
  return nodes;
}

NodeKnowledge CollectiveNodes::known(std::uint32_t comm, std::uint32_t sequence) const {
  std::uint64_t parts = 0;
  if (const auto found = found_.find(comm); found != found_.end()) {
    for (const Found& f : found->second) {
      if (f.sequence < sequence) parts |= f.parts;
    }
  }
  return NodeKnowledge(parts);
}

void CollectiveNodes::add(std::uint32_t comm, std::uint32_t sequence,
                          const NodeKnowledge& knowledge) {
  if (knowledge.parts() == 0) return;
  std::vector<Found>& found = found_[comm];
  const auto call = std::ranges::find(found, sequence, &Found::sequence);
  if (call != found.end()) {
    call->parts |= knowledge.parts();
  } else if (known(comm, sequence).parts() != knowledge.parts()) {
    found.push_back({sequence, knowledge.parts()});
  }
}

}  // namespace slackline::sim
