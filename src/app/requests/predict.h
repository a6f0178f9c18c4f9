#pragma once

#include "app/options/loggops_options.h"
#include "app/options/model_request.h"

namespace slackline {

struct Report;

/// The run time under a network, and what it depends on.
struct PredictRequest {
  ModelRequest input{};
  LogGOPSOptions loggops{};
  bool left = false;   ///< left derivatives where several paths are equally long
  bool pairs = false;  ///< sensitivity by pairs of ranks, too
};

/// Throws Error.
Report execute(const PredictRequest& request);

}  // namespace slackline
