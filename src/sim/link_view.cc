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

LinkView::LinkView(const Platform& platform, const std::vector<LinkScale>& scales)
    : platform_(platform) {
  if (scales.empty()) return;
  const auto& groups = platform.link_groups();
  by_group_.resize(groups.size());
  for (const LinkScale& scale : scales) {
    bool found = false;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const bool loopback = groups[i].name.find("loopback") != std::string::npos;
      if (scale.group.empty() ? loopback : !is_named(groups[i], scale.group)) continue;
      by_group_[i].bandwidth *= scale.bandwidth;
      by_group_[i].latency *= scale.latency;
      found = true;
    }
    if (!found) {
      throw usage_error("there are no links '" + scale.group + "'", "in this platform",
                        "Groups of links are: " + known_groups(platform) + ".");
    }
  }
}

const LinkView::Factors& LinkView::scale(LinkId link) const {
  static const Factors kNone;
  if (by_group_.empty()) return kNone;
  const LinkGroup* group = &platform_.group_of(link);
  return by_group_[static_cast<std::size_t>(group - platform_.link_groups().data())];
}

}  // namespace slackline
