#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/model/model_choice.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/typed_report.h"
#include "timing/longest_path.h"

namespace slackline {

/// How much of the critical path lies between which ranks, and on which parts of the network.
struct PairwiseSensitivity {
  struct Class {
    VariedParameter parameter;
    double base_ns;       ///< of G: ns per byte
    std::int64_t lambda;  ///< how often the path pays it; of G bytes
  };

  double makespan_ns = 0;
  std::vector<PairSensitivity> pairs;  ///< largest first; only those on the path
  std::vector<Class> classes;          ///< empty where all pairs are alike
};

/// All from one path: one pass, and one walk back.
PairwiseSensitivity pairwise_sensitivity(const ExecutionGraph& graph, const ModelChoice& choice);

extern const Rows<PairSensitivity> kPairRows;
using PairJson = JsonBy<kPairRows>;
/// Adds a table of the largest. Returns all, for `result.pairs`.
std::vector<PairJson> add_pairs(std::vector<Section>& sections,
                                const PairwiseSensitivity& pairwise);
extern const Rows<PairwiseSensitivity::Class, PairwiseSensitivity> kClassRows;
using ClassJson = JsonBy<kClassRows>;
/// Adds a table, if there are any. Returns the same, for `result.classes`.
std::optional<std::vector<ClassJson>> add_classes(std::vector<Section>& sections,
                                                  const PairwiseSensitivity& pairwise);

}  // namespace slackline
