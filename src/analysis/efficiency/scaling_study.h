#pragma once

#include <optional>
#include <vector>

#include "analysis/efficiency/efficiency.h"
#include "report/object.h"
#include "report/report.h"

namespace slackline {

using ScalingJson = JsonOf<struct ScalingJsonTag>;
const JsonType& declared_type(const ScalingJsonTag*);

/// How the factors of the analysed interval change with the ranks: the sentences that name the one
/// that degrades most and why, all factors over ranks, and the speed-up beside the ideal one. Two
/// runs at least, of which the first is the reference.
struct ScalingStudy {
  Section section;
  std::optional<ScalingJson> result{};  ///< nothing of fewer than two runs with time
};
ScalingStudy scaling_study(const std::vector<Efficiency>& runs, Scaling scaling);

}  // namespace slackline
