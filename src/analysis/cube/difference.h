#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cube/severity_cube.h"
#include "analysis/cube/significance.h"
#include "analysis/efficiency/efficiency.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"

namespace slackline {

/// What is compared before anything else, in this order.
inline constexpr std::array<std::string_view, 6> kRunMetrics{
    "run_time", "parallel_efficiency", "load_balance", "communication_efficiency", "serialisation",
    "transfer"};

/// Values of kRunMetrics: ns, then factors from 0 to 1 (POP).
using RunMetrics = std::array<double, kRunMetrics.size()>;
RunMetrics run_metrics(const EfficiencyInputs& inputs);

/// "load balance" for "load_balance".
std::string spaced(std::string_view name);

/// One run, in the analysed interval.
struct RunSeverities {
  SeverityCube cube;
  RunMetrics metrics{};
  bool by_rank = true;  ///< false: the cube has one rank with the sums over all
};

/// Runs of one program; at least one.
struct RunGroup {
  std::string name;
  std::vector<RunSeverities> runs;
};

/// A quantity in both groups, and in a third one that stands beside them.
struct ComparedValue {
  double a = 0;  ///< mean of the group
  double b = 0;
  std::optional<double> c{};  ///< empty without a third group
  /// Rate of false marks at which it would be marked (adjusted_probabilities() over all quantities
  /// that vary); empty unless both groups have several runs.
  std::optional<double> adjusted_p{};

  double difference() const { return b - a; }
  double difference_of_c() const { return c.value_or(a) - a; }
  /// Whether it is more than what varies from run to run.
  std::optional<bool> significant() const {
    if (!adjusted_p) return std::nullopt;
    return *adjusted_p <= kFalseDiscoveryRate;
  }
};

/// How one severity differs.
struct SeverityDifference {
  SeverityCube::Key key;
  std::int32_t rank = -1;  ///< -1: the sum over ranks, where the groups have not equally many
  ComparedValue value{};
};

/// What became of waiting of one pattern, in ns over all ranks.
struct WaitMigration {
  std::string pattern;
  std::string call_path;  ///< empty where all are summed up
  double a = 0;
  double b = 0;
  std::optional<double> c{};
  double vanished = 0;  ///< where (call path, rank) B waits less
  double appeared = 0;  ///< where it waits more
};

struct RunDifference {
  std::string a, b;  ///< names
  std::optional<std::string> c{};
  bool by_rank = true;
  std::size_t tested = 0;  ///< quantities
  std::array<ComparedValue, kRunMetrics.size()> metrics{};
  std::vector<SeverityDifference> differences;  ///< largest first within times, then the others
  std::vector<WaitMigration> waits;             ///< by pattern
  std::vector<WaitMigration> waits_by_path;     ///< by pattern and call path, most waiting first
};

/// Whether a run of one group is also in the other: then nothing can be tested.
enum class Groups : std::uint8_t { independent, overlapping };

/// Differences of everything that is not equal. Where both groups have several runs, all quantities
/// that are not equal in all runs are tested as one family: the run time and the efficiencies, with
/// half of the weight, and every severity. The runs of `c`, if any, stand beside them untested.
RunDifference difference(const RunGroup& a, const RunGroup& b, Groups groups = Groups::independent,
                         const RunGroup* c = nullptr);

using DifferenceJson = JsonOf<struct DifferenceJsonTag>;
const JsonType& declared_type(const DifferenceJsonTag*);
/// The `count` largest differences, and what became of waiting.
Described<DifferenceJson> describe(const RunDifference& difference, std::size_t count);

}  // namespace slackline
