#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/options/platform_options.h"
#include "report/report.h"

namespace slackline {

/// A program that runs while the machine under it is simulated.
struct SimulateOnlineRequest {
  std::vector<std::string> command{};  ///< the program itself, without a launcher
  std::string preload{};               ///< the library for the program's MPI
  std::int32_t ranks = 0;
  PlatformOptions machine{};
  std::string compute = "measured";  ///< measured: CPU time; none: computation takes no time
  std::string processors = "one";    ///< of this machine, that the processes use: one or all
  std::size_t links = 8;             ///< most contended links to show
  std::size_t slowed = 8;            ///< messages slowed most by others to show
  std::string memory{};              ///< that the processes may take; empty: what is free
  std::string fold_above{};          ///< size of allocations that share one copy; empty: none do
  std::string trace{};               ///< file for the simulated run as a timed trace; empty: none
};

struct SimulatedOnline {
  Report report{};
  int exit_status = 0;  ///< the largest of the processes'
};

/// Writes the file that is named. Throws Error.
SimulatedOnline execute(const SimulateOnlineRequest& request);

}  // namespace slackline
