#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "advice/advice.h"
#include "app/load/run_with_times.h"
#include "app/load/simulated_time.h"
#include "app/options/model_options.h"
#include "app/options/run_request.h"

namespace slackline {

class OptionList;
struct LoadedGraph;
struct Report;

/// Which changes of a program or of its network would shorten the run most.
struct AdviseRequest {
  ModelRequest input{.reading = {bytes_per_call::kAdvise}};
  std::size_t count = 10;      ///< proposals at most
  PlatformOptions platform{};  ///< to simulate the proposals on as well
  LogGOPSOptions loggops{};    ///< to simulate the proposals under as well
  std::size_t verified = 3;    ///< proposals at most that are replayed
  /// Given the path of the trace; none: no proposal is replayed.
  std::function<ReplayTimes(const std::string& path)> replays{};
};
void declare(OptionList& options, AdviseRequest& request);

/// The best changes of a run of `loaded`, which is what `request` asks for, with the commands that
/// verify them.
Advice advice_on(ScenarioRuns& run, std::span<const LimitingCause> limits,
                 const LoadedGraph& loaded, const ModelRequest& request,
                 const AdviceOptions& options);
Advice advice_on(const RunWithTimes& run, const LoadedGraph& loaded, const ModelRequest& request,
                 const AdviceOptions& options);

/// Throws Error.
Report execute(const AdviseRequest& request);

}  // namespace slackline
