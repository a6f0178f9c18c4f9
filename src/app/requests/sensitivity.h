#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/options/loggops_options.h"
#include "app/options/model_request.h"

namespace slackline {

class OptionList;
struct LoadedGraph;
struct Report;
class ProcessGroup;

/// The run time as a function of one parameter of the model.
struct SensitivityRequest {
  ModelRequest input{.reading = {bytes_per_call::kSensitivity}};
  LogGOPSOptions loggops{};
  CacheOptions cache{};
  std::size_t points = 11;      ///< latencies to simulate under LogGOPS
  std::string parameter = "L";  ///< L, o, G, of some messages as L:inter-group or L[3][7]; or S
  std::string from = "0";       ///< begin of the interval, in the parameter's unit
  std::string to{};             ///< its end; empty: ten times the model's own value
  bool pairs = false;           ///< sensitivity by pairs of ranks, too
  std::vector<std::string> compare{};  ///< rules of collective algorithms, a curve each
  std::vector<std::string> scales{};   ///< with `compare`: traces on other numbers of ranks
  std::vector<std::string> at{};       ///< with parameter S: the thresholds
  /// The first SIGINT during the search for critical values ends that, and what it has found is
  /// reported. For callers that own the process.
  bool keep_on_interrupt = false;
};
void declare(OptionList& options, SensitivityRequest& request);

/// Throws Error.
Report execute(const SensitivityRequest& request);
/// The same in several processes, which share the work where the answer is the same to the bit.
/// Only the first one gets the report.
Report execute(const SensitivityRequest& request, ProcessGroup& group);
/// The same of a graph that is there; what the request says of trace and model is not used.
Report execute(const SensitivityRequest& request, const LoadedGraph& loaded);

}  // namespace slackline
