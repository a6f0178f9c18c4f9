#include "sim/link_view.h"

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
  for (const LinkScale& change : scales) {
    bool found = false;
    for (const LinkGroup& group : platform.link_groups()) {
      const bool loopback = group.name.find("loopback") != std::string::npos;
      if (change.group.empty() ? loopback : !is_named(group, change.group)) continue;
      scale(group, change);
      found = true;
    }
    if (!found) {
      throw usage_error("there are no links '" + change.group + "'", "in this platform",
                        "Groups of links are: " + known_groups(platform) + ".");
    }
  }
}

void LinkView::scale(const LinkGroup& group, const LinkScale& scale) {
  for (LinkId id = group.first; id < group.first + group.count; ++id) {
    links_[id].bandwidth *= scale.bandwidth;
    links_[id].latency *= scale.latency;
  }
}

}  // namespace slackline
