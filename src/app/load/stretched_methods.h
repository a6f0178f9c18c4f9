#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/paths/algorithm_comparison.h"
#include "app/load/stretched_run.h"
#include "parallel/process_group.h"

namespace slackline {

/// Compares the algorithms for the critical path stretch by stretch, in one pass.
class StretchedMethods : public StretchAnalysis {
 public:
  /// As for compare_methods(). Keeps a reference to `run`.
  StretchedMethods(const StretchedRun& run, std::int64_t delta_ns, std::int64_t threshold_ns)
      : run_(run), delta_ns_(delta_ns), threshold_ns_(threshold_ns) {}

  bool add(const LoadedStretch& stretch) override;
  bool join(ProcessGroup& /*group*/) override { return false; }
  void finish(ProcessGroup& group) override;
  /// To be called once, at the end.
  MethodComparison take() { return std::move(comparison_); }

 private:
  const StretchedRun& run_;
  std::int64_t delta_ns_;
  std::int64_t threshold_ns_;
  std::vector<MethodCost> own_;
  MethodComparison comparison_;
};

}  // namespace slackline
