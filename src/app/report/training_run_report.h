#pragma once

#include <optional>
#include <string>

#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"

namespace slackline {

using TrainingRunJson = JsonOf<struct TrainingRunJsonTag>;
const JsonType& declared_type(const TrainingRunJsonTag*);
using TrainingInputJson = JsonOf<struct TrainingInputJsonTag>;
const JsonType& declared_type(const TrainingInputJsonTag*);
using TrainingRunReport = TypedReport<Object<>, TrainingInputJson, TrainingRunJson>;
/// The report of a training run, with `pictures` what only a page shows; nothing if `path` is none.
/// Throws Error when it cannot be read.
std::optional<TrainingRunReport> training_run_report(const std::string& path, bool pictures);

}  // namespace slackline
