#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace slackline::testing {

/// A public trace beside the source tree, or in the folder that SLACKLINE_SHARED names. Tests that
/// want one are skipped where it is not.
inline std::filesystem::path shared_trace(const std::string& name) {
  const char* folder = std::getenv("SLACKLINE_SHARED");
  return std::filesystem::path(folder != nullptr ? folder : SLACKLINE_SHARED_DEFAULT) / "traces" /
         name;
}

}  // namespace slackline::testing
