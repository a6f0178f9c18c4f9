#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/options/reading_options.h"
#include "app/options/run_request.h"
#include "report/report.h"

namespace slackline {

class OptionList;
struct Report;

/// A replay of a run on a platform with contention.
struct SimulateRequest {
  std::string trace{};  ///< empty: the newest recording in the current folder
  ReadingOptions reading{};
  PlatformOptions machine{};
  std::string computation = "auto";  ///< auto, wall or cpu (app/load/computation.h)
  std::size_t links = 8;             ///< most contended links to show
  std::size_t slowed = 8;            ///< messages slowed most by others to show
  std::string actions{};             ///< file for the end of each action; empty: none
  std::string timed{};               ///< file for the simulated run as a timed trace; empty: none
  std::string sweep{};      ///< axes to combine, as "bandwidth=0.5,1,2,latency=1,10"; empty: none
  std::string tolerance{};  ///< latency or bandwidth, of some links as bandwidth@backbone
  std::vector<std::string> degradations{};  ///< with `tolerance`, as "1%"; empty: 1 %, 2 %, 5 %
  bool pictures = false;                    ///< adds the time line, which only pages show
};
void declare(OptionList& options, SimulateRequest& request);

/// Writes the files that are named. Throws Error.
Report execute(const SimulateRequest& request);

/// Reads "16", or several numbers of ranks: "8,16,32". Throws usage Error.
std::vector<std::int32_t> parse_rank_counts(const std::string& text);

/// A program that runs while the machine under it is simulated, once for each number of ranks and
/// combination of the sweep's values.
struct SimulateOnlineRequest {
  std::vector<std::string> command{};  ///< the program itself, without a launcher
  std::string program{};               ///< its file
  std::string preload{};               ///< the library for the program's MPI
  std::vector<std::int32_t> ranks{};   ///< of each of which it is simulated
  PlatformOptions machine{};
  std::string sweep{};                 ///< axes to combine with them; empty: none
  std::string compute = "measured";    ///< measured: CPU time; none: computation takes no time
  std::string processors = "one";      ///< of this machine, that the processes use: one or all
  std::int32_t ranks_per_process = 1;  ///< which take turns in it
  std::size_t links = 8;               ///< most contended links to show
  std::size_t slowed = 8;              ///< messages slowed most by others to show
  std::string memory{};                ///< that the processes may take; empty: what is free
  std::vector<std::string> sample_functions{};  ///< names, or auto; empty: none
  std::string fold_above{};  ///< size of allocations that share one copy; empty: none do
  std::string trace{};       ///< file for the simulated run as a timed trace; empty: none
};

struct SimulatedOnline {
  Report report{};
  int exit_status = 0;  ///< the largest of the processes'
};

/// Writes the file that is named, of a single run. Throws Error.
SimulatedOnline execute(const SimulateOnlineRequest& request);

}  // namespace slackline
