#include "sim/platform/star_zone.h"

#include <fmt/format.h>

namespace slackline {

std::uint32_t StarZone::add_member(Member member, std::string called) {
  by_name_.emplace(called, member_count());
  members_.push_back({member, std::move(called), kNone, kNone});
  return member_count() - 1;
}

std::uint32_t StarZone::find_member(std::string_view called) const {
  const auto found = by_name_.find(std::string(called));
  return found == by_name_.end() ? kNone : found->second;
}

void StarZone::set_links(std::uint32_t member, LinkId up, LinkId down) {
  members_[member].up = up;
  members_[member].down = down;
}

bool StarZone::append_route(std::uint32_t src, std::uint32_t dst, Gateways&,
                            std::vector<LinkId>& links) const {
  const Arm& from = members_[src];
  const Arm& to = members_[dst];
  const bool crosses = from.up != kNone || to.down != kNone;
  if (src == dst && !crosses) return false;
  if (from.up != kNone) links.push_back(from.up);
  if (crosses && backbone_ != kNone) links.push_back(backbone_);
  if (to.down != kNone && to.down != from.up) links.push_back(to.down);
  return true;
}

std::string StarZone::member_name(const Platform&, std::uint32_t index) const {
  return members_[index].name;
}

std::string StarZone::figures() const {
  return fmt::format("{} members{}", members_.size(), backbone_ == kNone ? "" : " on a backbone");
}

}  // namespace slackline
