#pragma once

#include <cstdint>
#include <string>

namespace slackline {

/// The choice between LogGPS and LogGOPS, and LogGOPS's own parameters, as a caller writes them.
struct LogGOPSOptions {
  std::string model = "loggps";             ///< --model: loggps or loggops
  std::string gap = "0ns";                  ///< g
  std::string overhead_per_byte = "0ns/B";  ///< O
  std::string noise_file{};                 ///< empty: no noise
  std::uint64_t noise_seed = 1;
  bool noise_coscheduled = false;
  bool simulator_flaws = false;  ///< reproduces LogGOPSim's deviations from the model

  bool wanted() const { return model == "loggops"; }
};

/// For requests that cannot be answered under LogGOPS: throws usage Error when it is asked for.
void refuse_loggops(const LogGOPSOptions& options);

}  // namespace slackline
