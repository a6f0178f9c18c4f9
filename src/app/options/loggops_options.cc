#include "app/options/loggops_options.h"

#include "base/error.h"

namespace slackline {

void refuse_loggops(const LogGOPSOptions& options) {
  if (!options.wanted()) return;
  throw usage_error("there is no such answer under LogGOPS",
                    "the makespan is not convex there, so no search for a value can be sure",
                    "Ask predict or sensitivity, or leave --model loggops out.");
}

}  // namespace slackline
