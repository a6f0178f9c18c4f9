#pragma once

#include <string_view>

namespace slackline {

// Quantities of platform files, with SimGrid's units and the usual ones. All throw usage Error
// naming `what` when the text is malformed, negative, or has no unit (0 needs none).

/// "125MBps", "10Gbps", "1GiBps", "12.5GB/s", "100Gb/s": bytes a second.
double parse_bandwidth(std::string_view text, std::string_view what);
/// "50us", "1ms", "2m" (minutes), "1w": seconds.
double parse_latency(std::string_view text, std::string_view what);
/// "1Gf", "100Mflops", "2.5gigaflops", "1Tflop/s": flop a second.
double parse_speed(std::string_view text, std::string_view what);

}  // namespace slackline
