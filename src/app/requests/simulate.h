#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/options/platform_options.h"
#include "app/options/reading_options.h"

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

}  // namespace slackline
