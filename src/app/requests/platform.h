#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace slackline {

class OptionList;
struct Report;

/// The description of a platform.
struct PlatformRequest {
  std::string action = "show";
  std::string file{};
  std::vector<std::string> route{};  ///< two hosts, whose route is shown; empty: none
  std::size_t rows = 20;             ///< most rows of each list
};
void declare(OptionList& options, PlatformRequest& request);

/// Throws Error.
Report execute(const PlatformRequest& request);

}  // namespace slackline
