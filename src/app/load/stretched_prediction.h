#pragma once

#include <optional>

#include "analysis/model/prediction.h"
#include "app/load/stretched_model.h"

namespace slackline {

/// In the first process, the prediction, identical to that of the whole trace; in the others it is
/// incomplete. Processes read their stretches and build the graphs in parallel; dates then go from
/// stretch to stretch in order, and the critical path back. Nothing in all processes if the result
/// depends on the whole trace. Throws Error.
std::optional<Prediction> predict(StretchedModel& model, Side side);

}  // namespace slackline
