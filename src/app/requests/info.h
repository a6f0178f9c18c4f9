#pragma once

#include <string>

namespace slackline {

struct Report;

/// What a trace holds and whether it is complete.
struct InfoRequest {
  std::string trace{};  ///< empty: the newest recording in the current folder
  bool fix_clocks = false;
};

/// Throws Error.
Report execute(const InfoRequest& request);

}  // namespace slackline
