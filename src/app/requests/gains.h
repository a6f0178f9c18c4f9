#pragma once

#include "app/options/model_request.h"

namespace slackline {

class OptionList;
struct LoadedGraph;
struct Report;

/// What the run would gain if regions or ranks computed less.
struct GainsRequest {
  ModelRequest input{.reading = {bytes_per_call::kGains}};
  bool call_paths = false;  ///< of every call path, too
};
void declare(OptionList& options, GainsRequest& request);

/// Throws Error.
Report execute(const GainsRequest& request);
/// The same of a graph that is there; what the request says of trace and model is not used.
Report execute(const GainsRequest& request, const LoadedGraph& loaded);

}  // namespace slackline
