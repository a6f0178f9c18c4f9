// Routes that are not declared, as chains of declared ones with the fewest links.
//
// Any shortest chain is as good as another, but which one is taken decides what shares a link with
// what; so ties go as in SimGrid, whose users compare. Floyd: the loops run over the middle, the
// source and the target, and only something shorter replaces. Dijkstra: the queue holds every
// member from the start, ordered by distance and then by first appearance in the declared routes;
// again only something shorter replaces. Fewest links is the whole cost; latencies do not count.

#include <algorithm>
#include <limits>
#include <queue>

#include "sim/platform/routed_zone.h"

namespace slackline {
namespace {

constexpr std::uint32_t kUnreachable = std::numeric_limits<std::uint32_t>::max();
// The most entries of search trees that are kept; beyond that the oldest are computed anew.
constexpr std::size_t kMostRemembered = std::size_t{1} << 24;

}  // namespace

void FloydZone::seal() {
  const std::size_t n = member_count();
  before_.assign(n * n, kNone);
  std::vector<std::uint32_t> cost(n * n, kUnreachable);
  for (std::uint32_t a = 0; a < n; ++a) {
    for (const std::uint32_t index : routes_from(a)) {
      const DeclaredRoute& step = route(index);
      before_[a * n + step.to] = a;
      cost[a * n + step.to] = static_cast<std::uint32_t>(step.links.size());
    }
    // The loopback that such a zone gives its hosts.
    if (member(a).kind != Member::Kind::zone && before_[a * n + a] == kNone) {
      before_[a * n + a] = a;
      cost[a * n + a] = 1;
    }
  }
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t a = 0; a < n; ++a) {
      const std::uint32_t first = cost[a * n + c];
      if (first == kUnreachable) continue;
      for (std::size_t b = 0; b < n; ++b) {
        const std::uint32_t second = cost[c * n + b];
        if (second == kUnreachable || first + second >= cost[a * n + b]) continue;
        cost[a * n + b] = first + second;
        before_[a * n + b] = before_[c * n + b];
      }
    }
  }
}

bool FloydZone::append_route(std::uint32_t src, std::uint32_t dst, Gateways& gateways,
                             std::vector<LinkId>& links) const {
  const std::size_t n = member_count();
  if (src == dst && declared(src, dst) == nullptr) return false;
  std::vector<std::uint32_t> path{dst};
  do {
    const std::uint32_t before = before_[src * n + path.back()];
    if (before == kNone) return false;
    path.push_back(before);
  } while (path.back() != src);
  std::reverse(path.begin(), path.end());
  append_path(path, gateways, links);
  return true;
}

void DijkstraZone::seal() {
  order_.assign(member_count(), kNone);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;  // index of route, source
  for (std::uint32_t member = 0; member < member_count(); ++member) {
    for (const std::uint32_t index : routes_from(member)) all.emplace_back(index, member);
  }
  std::sort(all.begin(), all.end());
  std::uint32_t next = 0;
  for (const auto& [index, src] : all) {
    if (order_[src] == kNone) order_[src] = next++;
    if (order_[route(index).to] == kNone) order_[route(index).to] = next++;
  }
}

DijkstraZone::Tree DijkstraZone::search(std::uint32_t src) const {
  Tree before(member_count(), kNone);
  std::vector<std::uint32_t> cost(member_count(), kUnreachable);
  struct Reached {
    std::uint32_t cost;
    std::uint32_t order;
    std::uint32_t member;
    bool operator>(const Reached& other) const {
      return cost != other.cost ? cost > other.cost : order > other.order;
    }
  };
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
  cost[src] = 0;
  queue.push({0, order_[src], src});
  while (!queue.empty()) {
    const Reached at = queue.top();
    queue.pop();
    if (at.cost != cost[at.member]) continue;
    for (const std::uint32_t index : routes_from(at.member)) {
      const DeclaredRoute& step = route(index);
      const auto total = at.cost + static_cast<std::uint32_t>(step.links.size());
      if (total >= cost[step.to]) continue;
      cost[step.to] = total;
      before[step.to] = at.member;
      queue.push({total, order_[step.to], step.to});
    }
  }
  return before;
}

std::shared_ptr<const DijkstraZone::Tree> DijkstraZone::tree_from(std::uint32_t src) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = trees_.find(src); found != trees_.end()) return found->second;
  }
  auto tree = std::make_shared<const Tree>(search(src));
  const std::lock_guard lock(mutex_);
  if (trees_.size() * member_count() > kMostRemembered) trees_.clear();
  trees_.emplace(src, tree);
  return tree;
}

bool DijkstraZone::append_route(std::uint32_t src, std::uint32_t dst, Gateways& gateways,
                                std::vector<LinkId>& links) const {
  if (declared(src, dst) != nullptr && src == dst) {
    append_path(std::array{src, dst}, gateways, links);
    return true;
  }
  if (src == dst) return false;
  const std::shared_ptr<const Tree> tree = tree_from(src);
  std::vector<std::uint32_t> path{dst};
  while (path.back() != src) {
    const std::uint32_t before = (*tree)[path.back()];
    if (before == kNone) return false;
    path.push_back(before);
  }
  std::reverse(path.begin(), path.end());
  append_path(path, gateways, links);
  return true;
}

}  // namespace slackline
