#include "sim/sharing/link_view.h"

#include <algorithm>

#include "base/error.h"

namespace slackline {
namespace {

bool is_named(const LinkGroup& group, std::string_view name) {
  const std::string_view own = group.name;
  if (own == name) return true;
  return own.size() > name.size() && own.ends_with(name) &&
         own[own.size() - name.size() - 1] == '.';
}

std::string known_groups(const Platform& platform) {
  constexpr std::size_t kShown = 20;
  std::string names;
  for (std::size_t i = 0; i < platform.link_groups().size() && i < kShown; ++i) {
    names += (i == 0 ? "" : ", ") + platform.link_groups()[i].name;
  }
  return names;
}

}  // namespace

LinkView::LinkView(const Platform& platform, const std::vector<LinkScale>& scales) {
  links_.reserve(platform.link_count());
  for (LinkId id = 0; id < platform.link_count(); ++id) links_.push_back(platform.link(id));
  if (scales.empty()) return;
  std::vector<bool> found(scales.size());
  for (const LinkGroup& group : platform.link_groups()) {
    const bool loopback = group.name.find("loopback") != std::string::npos;
    double bandwidth = 1;
    double latency = 1;
    for (std::size_t i = 0; i < scales.size(); ++i) {
      const LinkScale& scale = scales[i];
      if (scale.group.empty() ? loopback : !is_named(group, scale.group)) continue;
      bandwidth *= scale.bandwidth;
      latency *= scale.latency;
      found[i] = true;
    }
    for (LinkId id = group.first; id < group.first + group.count; ++id) {
      links_[id].bandwidth *= bandwidth;
      links_[id].latency *= latency;
    }
  }
  const auto unknown = std::ranges::find(found, false);
  if (unknown == found.end()) return;
  const LinkScale& scale = scales[static_cast<std::size_t>(unknown - found.begin())];
  throw usage_error("unknown link group '" + scale.group + "'",
                    "the platform has no such link group",
                    "Link groups: " + known_groups(platform) + ".");
}

}  // namespace slackline
