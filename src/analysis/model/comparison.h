#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model/sensitivity.h"
#include "base/findings.h"
#include "report/object.h"
#include "report/typed_report.h"

namespace slackline {

/// The same run with different collective algorithms: T and its derivative over one parameter, and
/// what each of them tolerates. Source: LLAMP section IV-1, Figure 10.
struct CollectiveComparison {
  struct Alternative {
    std::string rules;  ///< as --collectives reads them
    std::uint64_t messages = 0;
    double base_ns = 0;                  ///< the model's own value of the parameter
    std::vector<double> makespan_ns{};   ///< by point
    std::vector<std::int64_t> lambda{};  ///< by point, right derivatives
    std::vector<Tolerances::Row> tolerances{};
  };

  VariedParameter parameter;
  std::vector<double> points_ns;
  std::vector<Alternative> alternatives;
  Findings findings;  ///< which alternatives do not apply to some calls
};

/// `points` evenly spaced values in [from_fs, to_fs]. Each of `rules` is added to the choice's own
/// and gives a graph of its own. Throws usage Error for unknown rules.
CollectiveComparison compare_collectives(const Trace& trace, const ModelChoice& choice,
                                         const std::vector<std::string>& rules,
                                         const VariedParameter& parameter, std::int64_t from_fs,
                                         std::int64_t to_fs, int points,
                                         const std::vector<std::int64_t>& degradations_ppm);

/// The same at the given values of the parameter.
CollectiveComparison compare_collectives(const Trace& trace, const ModelChoice& choice,
                                         const std::vector<std::string>& rules,
                                         const VariedParameter& parameter,
                                         const std::vector<std::int64_t>& points_fs,
                                         const std::vector<std::int64_t>& degradations_ppm);

using ComparisonJson = JsonOf<struct ComparisonJsonTag>;
const JsonType& declared_type(const ComparisonJsonTag*);
/// Result and plots of T and its derivative, a line for each alternative.
Described<ComparisonJson> describe(const CollectiveComparison& comparison);

/// The same program on another number of ranks, at one value of the parameter.
struct ScaledComparison {
  std::int32_t ranks;
  CollectiveComparison comparison;
};

using ScaledComparisonsJson = JsonOf<struct ScaledComparisonsJsonTag>;
const JsonType& declared_type(const ScaledComparisonsJsonTag*);
/// Adds how makespan, sensitivity and tolerance grow with the number of ranks. All have the same
/// alternatives and degradations, one at least; the table shows the first of these. Returns all for
/// scripts.
ScaledComparisonsJson add_scales(std::vector<Section>& sections,
                                 std::vector<ScaledComparison> scales);

}  // namespace slackline
