#pragma once

#include <filesystem>
#include <string_view>

#include "base/findings.h"
#include "sim/platform/platform.h"

namespace slackline {

/// Reads a platform file, SimGrid's XML or TOML (doc/formats/platform.md), distinguished by the
/// first character. Throws Error with line and column for what cannot be used; what does not change
/// answers about communication, or cannot be followed (profiles over time), is a finding.
Platform read_platform(const std::filesystem::path& path, Findings& findings);

/// The same from text; `name` stands in messages.
Platform parse_platform_xml(std::string_view text, std::string_view name, Findings& findings);
Platform parse_platform_toml(std::string_view text, std::string_view name, Findings& findings);

}  // namespace slackline
