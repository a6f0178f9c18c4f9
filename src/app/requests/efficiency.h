#pragma once

#include <string>
#include <vector>

#include "app/options/ideal_network.h"
#include "app/options/run_request.h"
#include "app/options/summary_options.h"

namespace slackline {

class OptionList;
struct Report;
class ProcessGroup;

/// POP's efficiency factors, of several runs with their scalability.
struct EfficiencyRequest {
  /// The first is the reference of the scalability. Empty: the newest recording in the current
  /// folder.
  std::vector<std::string> traces{};
  RunRequest run{
      .reading = {bytes_per_call::kEfficiency}};  ///< which run of each; its `trace` is not used
  std::string causality = "dimemas";  ///< of collectives on the ideal network: dimemas or data
  std::string rendezvous = kRendezvousFrom;  ///< blocking sends of at least that size wait there
  std::string scaling{};                     ///< strong, weak; empty: by the runs
  std::string interval = "common";           ///< as resolve_interval() reads
  std::string extra_p{};                     ///< file to write, or empty
  SummaryOptions summary{};                  ///< of all traces as repeats
};
void declare(OptionList& options, EfficiencyRequest& request);

/// Throws Error.
Report execute(const EfficiencyRequest& request);
/// The same in several processes, which share the work where the answer is the same to the bit.
/// Only the first one gets the report.
Report execute(const EfficiencyRequest& request, ProcessGroup& group);

}  // namespace slackline
