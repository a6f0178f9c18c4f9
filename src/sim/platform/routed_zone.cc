#include "sim/platform/routed_zone.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace slackline {
namespace {

std::uint64_t ends(std::uint32_t src, std::uint32_t dst) {
  return (std::uint64_t{src} << 32) | dst;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace

std::uint32_t RoutedZone::add_member(Member member, std::string called) {
  const auto index = static_cast<std::uint32_t>(members_.size());
  members_.push_back(member);
  outgoing_.emplace_back();
  by_name_.emplace(called, index);
  names_.push_back(std::move(called));
  return index;
}

std::uint32_t RoutedZone::find_member(std::string_view called) const {
  const auto found = by_name_.find(std::string(called));
  return found == by_name_.end() ? kNone : found->second;
}

bool RoutedZone::add_route(std::uint32_t src, std::uint32_t dst, Gateways gateways,
                           std::vector<LinkId> links) {
  const auto index = static_cast<std::uint32_t>(routes_.size());
  if (!by_ends_.emplace(ends(src, dst), index).second) return false;
  routes_.push_back({gateways, std::move(links), dst});
  outgoing_[src].push_back(index);
  return true;
}

std::string RoutedZone::member_name(const Platform&, std::uint32_t index) const {
  return names_[index];
}

std::string RoutedZone::figures() const {
  return fmt::format("{} members, {} routes", members_.size(), routes_.size());
}

const RoutedZone::DeclaredRoute* RoutedZone::declared(std::uint32_t src, std::uint32_t dst) const {
  const auto found = by_ends_.find(ends(src, dst));
  return found == by_ends_.end() ? nullptr : &routes_[found->second];
}

void RoutedZone::append_path(std::span<const std::uint32_t> path, Gateways& gateways,
                             std::vector<LinkId>& links) const {
  Point entered;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const DeclaredRoute& step = *declared(path[i], path[i + 1]);
    if (i == 0) {
      if (members_[path[0]].kind == Member::Kind::zone) gateways.src = step.gateways.src;
    } else if (members_[path[i]].kind == Member::Kind::zone && !(entered == step.gateways.src)) {
      gateways.inside->append(entered, step.gateways.src, links);
    }
    links.insert(links.end(), step.links.begin(), step.links.end());
    entered = step.gateways.dst;
  }
  if (members_[path.back()].kind == Member::Kind::zone) gateways.dst = entered;
}

bool FullZone::append_route(std::uint32_t src, std::uint32_t dst, Gateways& gateways,
                            std::vector<LinkId>& links) const {
  if (declared(src, dst) == nullptr) return false;
  append_path(std::array{src, dst}, gateways, links);
  return true;
}

std::unique_ptr<RoutedZone> make_routed_zone(std::string_view routing) {
  const std::string name = lower(routing);
  if (name == "full" || name == "none") return std::make_unique<FullZone>();
  if (name == "floyd") return std::make_unique<FloydZone>();
  if (name == "dijkstra" || name == "dijkstracache") return std::make_unique<DijkstraZone>();
  return nullptr;
}

}  // namespace slackline
