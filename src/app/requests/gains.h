#pragma once

#include "app/options/model_request.h"

namespace slackline {

struct Report;

/// What the run would gain if regions or ranks computed less.
struct GainsRequest {
  ModelRequest input{};
  bool call_paths = false;  ///< of every call path, too
};

/// Throws Error.
Report execute(const GainsRequest& request);

}  // namespace slackline
