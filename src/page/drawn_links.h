#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "page/network_drawing.h"
#include "report/picture.h"

namespace slackline {

/// The links of a platform by group (a level of a tree, the cables of a torus), each with its use
/// in a simulated run.
struct LinkMap final : Picture {
  struct Link {
    std::string name;
    double mean = 0;  ///< part of its bandwidth that is used, over the run
    double peak = 0;  ///< in the busiest stretch of time
    double lost_ns = 0;
  };
  /// A cluster's own shape; lines have the numbers of links among those of all groups, in order.
  struct Drawing {
    NetworkDrawing network{};
    std::vector<std::vector<std::size_t>> links{};  ///< by line: those that are in a group
  };
  struct Group {
    std::string name;
    std::vector<Link> links{};   ///< that carried anything, as in the platform
    std::uint64_t left_out = 0;  ///< further ones, with less delay and use
    std::uint64_t unused = 0;
  };

  Json json(BlobList& blobs) const override;

  std::string id = "link-map";
  std::string title = "Links by use";
  std::vector<Group> groups;
  std::vector<Drawing> drawings;  ///< of clusters with links in a group
  std::uint64_t undrawn = 0;      ///< further ones of these
};

}  // namespace slackline
