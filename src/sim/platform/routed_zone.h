#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/platform/zone.h"

namespace slackline {

/// A zone with declared routes, and the search for those that are not declared.
class RoutedZone : public NetZone {
 public:
  struct DeclaredRoute {
    Gateways gateways;
    std::vector<LinkId> links;
    std::uint32_t to = 0;
  };

  std::uint32_t add_member(Member member, std::string called);
  /// The number of the member of that name, kNone when there is none.
  std::uint32_t find_member(std::string_view called) const;
  /// False when the zone has a route between the two.
  bool add_route(std::uint32_t src, std::uint32_t dst, Gateways gateways,
                 std::vector<LinkId> links);
  /// To be called after the last route is declared and before the first is asked for.
  virtual void seal() {}

  std::uint32_t member_count() const override {
    return static_cast<std::uint32_t>(members_.size());
  }
  Member member(std::uint32_t index) const override { return members_[index]; }
  std::string member_name(const Platform& platform, std::uint32_t index) const override;
  std::string figures() const override;

 protected:
  const DeclaredRoute* declared(std::uint32_t src, std::uint32_t dst) const;
  const DeclaredRoute& route(std::uint32_t index) const { return routes_[index]; }
  /// Routes that start there, in the order of their declaration.
  std::span<const std::uint32_t> routes_from(std::uint32_t src) const { return outgoing_[src]; }
  /// The declared routes along a path of members, and what lies inside the members between.
  void append_path(std::span<const std::uint32_t> path, Gateways& gateways,
                   std::vector<LinkId>& links) const;

 private:
  std::vector<Member> members_;
  std::vector<std::string> names_;  // of routers and zones; hosts' are in the platform
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::vector<DeclaredRoute> routes_;
  std::vector<std::vector<std::uint32_t>> outgoing_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_ends_;
};

/// Every route is declared, or there is none.
class FullZone : public RoutedZone {
 public:
  std::string kind() const override { return "full"; }
  bool append_route(std::uint32_t src, std::uint32_t dst, Gateways& gateways,
                    std::vector<LinkId>& links) const override;
};

/// Routes with the fewest links, over declared ones; among equals the one that Floyd's algorithm
/// finds in SimGrid's order. All at once: n^3 steps and 4 n^2 bytes for n members.
class FloydZone : public RoutedZone {
 public:
  static constexpr std::uint32_t kMostMembers = 4096;

  std::string kind() const override { return "Floyd"; }
  void seal() override;
  bool append_route(std::uint32_t src, std::uint32_t dst, Gateways& gateways,
                    std::vector<LinkId>& links) const override;

 private:
  std::vector<std::uint32_t> before_;  // [src * n + dst]: the last member before dst
};

/// The same by Dijkstra's algorithm, for one source when it is first asked for.
class DijkstraZone : public RoutedZone {
 public:
  std::string kind() const override { return "Dijkstra"; }
  void seal() override;
  bool append_route(std::uint32_t src, std::uint32_t dst, Gateways& gateways,
                    std::vector<LinkId>& links) const override;

 private:
  using Tree = std::vector<std::uint32_t>;  // the member before each
  std::shared_ptr<const Tree> tree_from(std::uint32_t src) const;
  Tree search(std::uint32_t src) const;

  std::vector<std::uint32_t> order_;  // of first appearance in a route: SimGrid's for ties
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::uint32_t, std::shared_ptr<const Tree>> trees_;
};

/// nullptr for a routing of another name.
std::unique_ptr<RoutedZone> make_routed_zone(std::string_view routing);

}  // namespace slackline
