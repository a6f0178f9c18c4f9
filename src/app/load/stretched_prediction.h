#pragma once

#include <optional>

#include "analysis/model/prediction.h"
#include "app/load/stretched_model.h"

namespace slackline {

/// What the model says of the run, in the first process, the same as of the whole run to the bit.
/// The processes read their stretches and build the graphs at the same time; then dates go from
/// stretch to stretch, and the critical path back. Nothing in all processes where only the whole
/// trace tells. Throws Error.
std::optional<Prediction> predict(StretchedModel& model, Side side);

}  // namespace slackline
