#pragma once

#include <functional>
#include <string_view>

#include "app/options/model_options.h"
#include "app/options/run_request.h"
#include "base/findings.h"
#include "trace/trace.h"

namespace slackline {

struct LoadedGraph;

/// How long programs run by a simulation, beside what the model says.
struct SimulatedTime {
  std::string_view by{};  ///< "platform" or "loggops"; empty: nothing is simulated
  /// In ns, of an untimed program. Throws Error where it would not end.
  std::function<double(const Trace&)> run_ns{};

  bool given() const { return run_ns != nullptr; }
};

/// The simulation that the options ask for, of programs with the ranks of `loaded`, which is
/// referred to. Throws usage Error for both at once.
SimulatedTime simulated_time(const LoadedGraph& loaded, const PlatformOptions& platform,
                             const LogGOPSOptions& loggops, Findings& findings);

}  // namespace slackline
