#include "page/drawn_links.h"

#include "report/object.h"

namespace slackline {

Json LinkMap::json(BlobList&) const {
  const auto link = [](const Link& l) {
    return Object{"name"_key = l.name, "mean"_key = l.mean, "peak"_key = l.peak,
                  "lost_ns"_key = l.lost_ns};
  };
  const auto group = [&](const Group& g) {
    return Object{"name"_key = g.name, "links"_key = list_of(g.links, link),
                  "left_out"_key = g.left_out, "unused"_key = g.unused};
  };
  return Object{"kind"_key = "links", "id"_key = id, "title"_key = title,
                "groups"_key = list_of(groups, group)};
}

}  // namespace slackline
