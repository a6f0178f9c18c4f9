#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/options/run_request.h"
#include "base/findings.h"
#include "formats/open/open.h"
#include "report/report.h"

namespace slackline {

/// A run with its times: the trace has those of the run that was asked for.
struct LoadedRun {
  OpenedTrace opened;
  std::string on;          ///< measured, predicted or simulated
  bool requested = false;  ///< by RunRequest::on; else chosen by whether the trace has times
  /// Known of predicted runs: messages of at most so many bytes do not wait for their receiver.
  std::optional<std::uint64_t> eager_bytes{};
  Json options = Json::object();  ///< effective ones: "on" and those of the model or the platform
  Findings findings{};

  const Trace& trace() const { return opened.trace; }
  const CallMatching& matching() const { return *opened.matching; }
};

/// Reads the trace and gives it the times that were asked for. Throws usage Error for an unknown
/// RunRequest::on, for a simulation without a platform, and where measured times are asked of a
/// trace that has none.
LoadedRun load_run(const RunRequest& request);

/// `report` with the paragraph that says which run it describes, its command, title, options
/// (`own_options`, then the run's) and input, and all findings added.
Report with_context(Report report, std::string_view command, const LoadedRun& run,
                    Json own_options);

/// Adds the paragraph that says which run is described, unless it is the measured one.
void describe_run_choice(Report& report, const LoadedRun& run);

}  // namespace slackline
