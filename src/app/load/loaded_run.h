#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/model/model_choice.h"
#include "app/load/input.h"
#include "app/load/machine.h"
#include "app/options/run_request.h"
#include "base/findings.h"
#include "formats/open/open.h"
#include "report/report.h"
#include "report/typed_report.h"

namespace slackline {

class SeverityCube;
struct WaitOptions;

/// A run with its times: the trace has those of the run that was asked for.
struct LoadedRun {
  OpenedTrace opened;
  std::string on;          ///< measured, predicted or simulated
  bool requested = false;  ///< by RunRequest::on; else chosen by whether the trace has times
  /// Known of predicted runs: messages of at most this many bytes do not wait for their receiver.
  std::optional<std::uint64_t> eager_bytes{};
  std::optional<ModelJson> model{};  ///< of a predicted run
  bool trace_timed = true;
  std::optional<PlatformJson> platform{};  ///< of a simulated run
  Findings findings{};

  const Trace& trace() const { return opened.trace; }
  const CallMatching& matching() const { return *opened.matching; }
};

/// Reads the trace and gives it the times that were asked for. Throws usage Error for an unknown
/// RunRequest::on, for a simulation without a platform, and where measured times are asked of a
/// trace that has none.
LoadedRun load_run(const RunRequest& request);

/// What the run tells of its wait states: by which threshold it was predicted, in which order
/// measured sends began.
WaitOptions wait_options(const LoadedRun& run);
/// By call path, operation and rank, for analyses that compare runs by them.
SeverityCube severities_of(const LoadedRun& run);

using RunOptionsJson = JsonOf<struct RunOptionsJsonTag>;
const JsonType& declared_type(const RunOptionsJsonTag*);
/// The effective options: "on" and those of the model or the platform.
RunOptionsJson options_of(const LoadedRun& run);

/// Adds the paragraph that says which run is described, unless it is the measured one.
void describe_run_choice(std::vector<Section>& sections, const LoadedRun& run);

/// What was described with that paragraph, its title, options (`own`, then the run's) and input,
/// and all findings added.
template <class Own, class Result>
auto with_context(Described<Result> described, std::string_view command, const LoadedRun& run,
                  Own own) {
  describe_run_choice(described.sections, run);
  described.findings.merge(run.findings);
  return with_context(std::move(described), command, run.opened,
                      Object<Own, RunOptionsJson>(std::move(own), options_of(run)));
}

}  // namespace slackline
