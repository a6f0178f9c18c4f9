#pragma once

#include <filesystem>
#include <string_view>

#include "base/findings.h"
#include "sim/platform/platform.h"

namespace slackline {

/// Reads a platform file, SimGrid's XML or TOML (doc/formats/platform.md), distinguished by the
/// first character. Throws Error with line and column for what cannot be used; what does not change
/// answers about communication is a finding.
Platform read_platform(const std::filesystem::path& path, Findings& findings);

/// The same from text; `name` stands in messages.
Platform parse_platform_xml(std::string_view text, std::string_view name, Findings& findings);
Platform parse_platform_toml(std::string_view text, std::string_view name, Findings& findings);

// Quantities of platform files, with SimGrid's units and the usual ones. All throw usage Error
// naming `what` when the text is malformed, negative, or has no unit (0 needs none).

/// Reads "125MBps", "10Gbps", "1GiBps", "12.5GB/s" or "100Gb/s" as bytes per second.
double parse_bandwidth(std::string_view text, std::string_view what);
/// Reads "50us", "1ms", "2m" (minutes) or "1w" as seconds.
double parse_latency(std::string_view text, std::string_view what);
/// Reads "1Gf", "100Mflops", "2.5gigaflops" or "1Tflop/s" as flop per second.
double parse_speed(std::string_view text, std::string_view what);

}  // namespace slackline
