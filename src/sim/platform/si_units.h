#pragma once

#include <string_view>

namespace slackline {

// Quantities of platform files, with SimGrid's units and the usual ones. All throw usage Error
// naming `what` when the text is malformed, negative, or has no unit (0 needs none).

/// Reads "125MBps", "10Gbps", "1GiBps", "12.5GB/s" or "100Gb/s" as bytes per second.
double parse_bandwidth(std::string_view text, std::string_view what);
/// Reads "50us", "1ms", "2m" (minutes) or "1w" as seconds.
double parse_latency(std::string_view text, std::string_view what);
/// Reads "1Gf", "100Mflops", "2.5gigaflops" or "1Tflop/s" as flop per second.
double parse_speed(std::string_view text, std::string_view what);

}  // namespace slackline
