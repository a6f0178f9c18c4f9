#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace slackline {

/// What a profile sets: a host's speed (as a factor), the bandwidth (bytes per second) or latency
/// (seconds) of a link, or whether a host or link works (0: it does not).
enum class Profiled : std::uint8_t { speed, bandwidth, latency, host_state, link_state };

/// A value over time.
struct Profile {
  struct Step {
    double delay;  ///< seconds after the step before; of the first one, after the start
    double value;
  };
  std::vector<Step> steps{};
  /// Whether the first step follows the last one again, that much later than its delay says.
  bool repeats = false;
  double repeat_delay = 0;
};

/// The profile of one host or link.
struct ResourceProfile {
  Profiled what;
  std::uint32_t id;  ///< a HostId or LinkId
  Profile profile;
};

/// Reads SimGrid's form of a profile: lines "DATE VALUE", with "PERIODICITY SECONDS" or "LOOPAFTER
/// SECONDS" if it repeats. `periodicity` holds unless the text says it; 0: it does not repeat.
/// Throws usage Error naming `what` for text that is no such profile, and for stochastic ones.
Profile parse_profile(std::string_view text, std::string_view what, double periodicity = 0);

}  // namespace slackline
