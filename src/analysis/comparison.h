#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/sensitivity.h"

namespace slackline {

/// The same run with different collective algorithms: T and its derivative over one parameter, and
/// what each of them tolerates. Source: LLAMP section IV-1, Figure 10.
struct CollectiveComparison {
  struct Alternative {
    std::string rules;  ///< as --collectives reads them
    std::uint64_t messages;
    std::vector<double> makespan_ns;   ///< by point
    std::vector<std::int64_t> lambda;  ///< by point, right derivatives
    std::vector<Tolerances::Row> tolerances;
  };

  VariedParameter parameter;
  std::vector<double> points_ns;
  std::vector<Alternative> alternatives;
};

/// `points` evenly spaced values in [from_fs, to_fs]. Each of `rules` is added to the choice's own
/// and gives a graph of its own. Throws usage Error for unknown rules.
CollectiveComparison compare_collectives(const Trace& trace, const ModelChoice& choice,
                                         const std::vector<std::string>& rules,
                                         const VariedParameter& parameter, std::int64_t from_fs,
                                         std::int64_t to_fs, int points,
                                         const std::vector<std::int64_t>& degradations_ppm);

Report describe(const CollectiveComparison& comparison);

}  // namespace slackline
