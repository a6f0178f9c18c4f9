#include "app/options/loggops_options.h"

#include "base/error.h"

namespace slackline {

void refuse_loggops(const LogGOPSOptions& options) {
  if (!options.wanted()) return;
  throw usage_error("cannot compute this with --model loggops",
                    "its run time is not convex, so a search for a value is not exact",
                    "Use 'slackline predict' or 'slackline sensitivity', or omit --model loggops.");
}

}  // namespace slackline
