#pragma once

#include <filesystem>
#include <string_view>

#include "analysis/model/model_choice.h"
#include "base/findings.h"
#include "trace/trace.h"

namespace slackline {

/// Reads back what was written of `program` and predicts both under `model`. Adds the Finding
/// `prediction_differs` when the file's makespan is another one by a millionth or more, or when it
/// cannot be read. `computation` is what --computation says of the file. Does nothing for programs
/// of more than some 4 million messages, whose graphs are large. O(vertices + edges) of both
/// graphs.
void note_prediction_loss(const Trace& program, const std::filesystem::path& written,
                          const ModelChoice& model, std::string_view computation,
                          Findings& findings);

}  // namespace slackline
