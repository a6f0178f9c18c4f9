#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "sim/platform/zone.h"

namespace slackline {

/// A star whose members each have their own links up and down (SimGrid's routing="Cluster"): hosts,
/// cabinets of hosts, and a router without links. A link in both halves of a route is crossed once.
class StarZone : public NetZone {
 public:
  std::uint32_t add_member(Member member, std::string called);
  std::uint32_t find_member(std::string_view called) const;
  void set_links(std::uint32_t member, LinkId up, LinkId down);
  void set_backbone(LinkId backbone) { backbone_ = backbone; }

  bool append_route(std::uint32_t src, std::uint32_t dst, Gateways& gateways,
                    std::vector<LinkId>& links) const override;
  std::uint32_t member_count() const override {
    return static_cast<std::uint32_t>(members_.size());
  }
  Member member(std::uint32_t index) const override { return members_[index].member; }
  std::string member_name(const Platform& platform, std::uint32_t index) const override;
  std::string kind() const override { return "star"; }
  std::string figures() const override;

 private:
  struct Arm {
    Member member;
    std::string name;
    LinkId up = kNone;
    LinkId down = kNone;
  };

  std::vector<Arm> members_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  LinkId backbone_ = kNone;
};

}  // namespace slackline
