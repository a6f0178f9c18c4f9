#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/cube/severity_cube.h"
#include "report/report.h"

namespace slackline {

/// Runs of one program; at least one.
struct RunGroup {
  std::string name;
  std::vector<SeverityCube> runs;
};

/// How one severity differs.
struct SeverityDifference {
  SeverityCube::Key key;
  std::int32_t rank = -1;  ///< -1: the sum over ranks, where the groups have not equally many
  double a = 0;            ///< mean of the group
  double b = 0;
  /// Whether it is more than what varies from run to run (Welch's t test, 95 %); nothing unless
  /// both groups have several runs.
  std::optional<bool> significant{};

  double difference() const { return b - a; }
};

/// What became of waiting of one pattern, in ns over all ranks.
struct WaitMigration {
  std::string pattern;
  double a = 0;
  double b = 0;
  double vanished = 0;  ///< where (call path, rank) B waits less
  double appeared = 0;  ///< where it waits more
};

struct RunDifference {
  std::string a, b;  ///< names
  bool by_rank = true;
  std::vector<SeverityDifference> differences;  ///< largest first within times, then the others
  std::vector<WaitMigration> waits;
};

/// Differences of everything that is not equal.
RunDifference difference(const RunGroup& a, const RunGroup& b);

/// The `count` largest differences, and what became of waiting.
Report describe(const RunDifference& difference, std::size_t count);

}  // namespace slackline
