#pragma once

#include <cstddef>

#include "app/options/model_request.h"

namespace slackline {

struct Report;

/// Which changes of a program or of its network would shorten the run most.
struct AdviseRequest {
  ModelRequest input{};
  std::size_t count = 10;  ///< proposals at most
};

/// Throws Error.
Report execute(const AdviseRequest& request);

}  // namespace slackline
