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
  const auto node = [](const NetworkDrawing::Node& n) {
    return Object{"name"_key = n.name, "x"_key = n.x, "y"_key = n.y, "host"_key = n.is_host};
  };
  const auto drawing = [&](const Drawing& d) {
    std::size_t next = 0;
    const auto line = [&](const NetworkDrawing::Line& l) {
      return Object{"from"_key = l.from, "to"_key = l.to, "round"_key = l.round,
                    "links"_key = d.links[next++]};
    };
    return Object{"name"_key = d.network.name,
                  "type"_key = d.network.kind,
                  "note"_key = d.network.note,
                  "width"_key = d.network.width,
                  "height"_key = d.network.height,
                  "nodes"_key = list_of(d.network.nodes, node),
                  "lines"_key = list_of(d.network.lines, line)};
  };
  return Object{"kind"_key = "links",
                "id"_key = id,
                "title"_key = title,
                "groups"_key = list_of(groups, group),
                "drawings"_key = list_of(drawings, drawing),
                "undrawn"_key = undrawn};
}

}  // namespace slackline
