#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
};

}  // namespace slackline
