#include "graph/collectives/smp.h"

#include <algorithm>
#include <unordered_map>

#include "graph/collectives/algorithms.h"

namespace slackline::collectives {
namespace {

constexpr std::uint64_t kInteger = 4;

}  // namespace

NodeLayout::NodeLayout(const StepWriter& w)
    : rank_(w.rank()), leader_of_(static_cast<std::size_t>(w.size())) {
  const std::span<const std::int32_t> nodes = w.call().nodes;
  const bool known = nodes.size() == leader_of_.size();
  std::unordered_map<std::int32_t, std::size_t> place;  // of a node among the leaders
  std::vector<std::int32_t> last;
  for (std::int32_t r = 0; r < w.size(); ++r) {
    const auto index = static_cast<std::size_t>(r);
    const auto [found, is_new] = place.emplace(known ? nodes[index] : r, leaders_.size());
    if (is_new) {
      leaders_.push_back(r);
      sizes_.push_back(0);
      last.push_back(r - 1);
    }
    const std::size_t node = found->second;
    leader_of_[index] = leaders_[node];
    ++sizes_[node];
    if (last[node] != r - 1) blocked_ = false;
    last[node] = r;
  }
  for (std::int32_t r = 0; r < w.size(); ++r) {
    if (leader_of(r) == leader_of(rank_)) node_.push_back(r);
  }
  uniform_ = std::ranges::all_of(sizes_, [&](std::int32_t size) { return size == sizes_[0]; });
}

std::int32_t NodeLayout::leader_of(std::int32_t rank) const {
  return leader_of_[static_cast<std::size_t>(rank)];
}

void perform_level(StepWriter& w, std::span<const std::int32_t> ranks, CollectiveCall part,
                   const CollectiveAlgorithm* tuned) {
  part.size = static_cast<std::int32_t>(ranks.size());
  part.smp_part = true;
  w.nested_among(ranks, part, tuned != nullptr ? *tuned : *smpi_decision("mpich", part).algorithm);
}

void set_up_nodes(StepWriter& w) {
  const NodeLayout layout(w);
  const CollectiveCall word = w.part(Operation::allgather, kInteger);
  w.nested(word, allgather::spread);
  w.nested_among(layout.leaders(), word, allgather::spread);
  CollectiveCall uniform = w.part(Operation::bcast, kInteger);
  uniform.element_bytes = kInteger;
  w.nested_among(layout.node(), uniform, bcast::scatter_ring_allgather);
  w.nested(w.part(Operation::allreduce, kInteger), allreduce::linear_nonblocking);
}

}  // namespace slackline::collectives
