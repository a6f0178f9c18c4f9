#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/options/loggops_options.h"
#include "app/options/model_request.h"

namespace slackline {

class OptionList;
struct LoadedGraph;
struct Report;
class ProcessGroup;

/// The run time under a network, and what it depends on.
struct PredictRequest {
  ModelRequest input{.reading = {bytes_per_call::kPredict}};
  LogGOPSOptions loggops{};
  bool left = false;                ///< left derivatives where several paths are equally long
  bool pairs = false;               ///< sensitivity by pairs of ranks, too
  std::vector<std::string> also{};  ///< other runs of the program, for intervals
  std::size_t bootstrap = 0;        ///< replicates with resampled computation
  std::uint64_t seed = 1;           ///< of the resampling
  std::string linear_program{};     ///< file to write it to; empty: none
};
void declare(OptionList& options, PredictRequest& request);

/// Throws Error.
Report execute(const PredictRequest& request);
/// The same in several processes, which share the work where the answer is the same to the bit.
/// Only the first one gets the report.
Report execute(const PredictRequest& request, ProcessGroup& group);
/// The same of a graph that is there; what the request says of trace and model is not used.
Report execute(const PredictRequest& request, const LoadedGraph& loaded);

}  // namespace slackline
