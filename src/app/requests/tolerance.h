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

/// How far a parameter of the model may grow before the run is that much slower.
struct ToleranceRequest {
  ModelRequest input{.reading = {bytes_per_call::kTolerance}};
  LogGOPSOptions loggops{};  ///< refused when it asks for LogGOPS
  CacheOptions cache{};
  std::string parameter = "L";  ///< L, o or G, of some messages as L:inter-group or L[3][7]
  std::vector<std::string> degradations{};  ///< as "1%"; empty: 1 %, 2 %, 5 %
  std::vector<std::string> region{};        ///< two parameters that vary together
  std::vector<std::string> also{};          ///< other runs of the program, for an interval
  std::size_t bootstrap = 0;                ///< replicates with resampled computation
  std::uint64_t seed = 1;                   ///< of the resampling
};
void declare(OptionList& options, ToleranceRequest& request);

/// Throws Error.
Report execute(const ToleranceRequest& request);
/// The same in several processes, which share the work where the answer is the same to the bit.
/// Only the first one gets the report.
Report execute(const ToleranceRequest& request, ProcessGroup& group);
/// The same of a graph that is there; what the request says of trace and model is not used.
Report execute(const ToleranceRequest& request, const LoadedGraph& loaded);

}  // namespace slackline
