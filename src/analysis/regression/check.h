#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/regression/job_summary.h"
#include "base/findings.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/typed_report.h"

namespace slackline {

/// What a new version of a program must keep to.
struct CheckLimits {
  std::optional<double> max_slowdown = 0.02;        ///< of the run time, against the base
  std::optional<double> min_parallel_efficiency{};  ///< of the new runs
};

/// The probability of any false failure, over all limits together.
inline constexpr double kCheckErrorRate = 0.05;

enum class CheckOutcome : std::uint8_t {
  kept,       ///< the whole interval is within the limit
  exceeded,   ///< beyond the limit, by more than chance: adjusted_p is at most kCheckErrorRate
  undecided,  ///< neither
};
std::string_view to_string(CheckOutcome outcome);

/// A limit and what was measured.
struct CheckedLimit {
  std::int32_t ranks = 0;
  std::string_view metric;       ///< of kRunMetrics
  std::optional<double> base{};  ///< mean (of times the geometric one); if it is compared
  double fresh = 0;              ///< the same of the new runs
  std::size_t base_runs = 0;
  std::size_t fresh_runs = 0;
  double limit = 0;  ///< largest slowdown, or least value
  /// What the limit is for (slowdown or value), and its interval of 90 %: beyond either end is
  /// kCheckErrorRate, as in the one-sided test.
  double measured = 0;
  std::pair<double, double> interval{};
  /// The probability of such runs if the limit is kept, corrected (Holm 1979) for all limits.
  double adjusted_p = 1;
  CheckOutcome outcome = CheckOutcome::undecided;
};

/// Something that is not as in the base, by more than chance.
struct ChangedQuantity {
  std::int32_t ranks = 0;
  std::string metric;      ///< of kRunMetrics, "waiting", a wait pattern, "mean" or "slowest"
  std::string function{};  ///< of the latter two
  std::int32_t rank = -1;  ///< of "slowest": the slowest rank of most new runs
  double base = 0;
  double fresh = 0;
  double adjusted_p = 1;  ///< corrected (Holm) for all quantities of these ranks

  double difference() const { return fresh - base; }
  bool is_time() const { return metric == "run_time" || !function.empty(); }
};

struct RegressionCheck {
  std::vector<CheckedLimit> limits;      ///< by number of ranks
  std::vector<ChangedQuantity> changes;  ///< factors, then functions, then waiting; by ranks
  std::vector<std::int32_t> unpaired;    ///< numbers of ranks that only one side has
  Findings findings;

  bool exceeded() const;
};

/// Compares repeats of a base with repeats of a new version, those of equally many ranks with each
/// other. The run time is tested as a ratio, by Welch's test of its logarithm (one-sided, shifted
/// by the limit), and where one side has more runs also by permutations; the least efficiency by
/// Student's test of one sample. Throws Error for runs of different programs and where nothing can
/// be tested: no common number of ranks, one run of a side, or so few that no run times at all
/// would exceed a limit.
RegressionCheck check_regression(const std::vector<JobSummary>& base,
                                 const std::vector<JobSummary>& fresh, const CheckLimits& limits);

/// The probabilities of Holm's step-down procedure (1979) in the order given: the chance of any
/// false rejection among those at most alpha is at most alpha, whatever depends on what.
std::vector<double> holm_probabilities(const std::vector<double>& probabilities);

extern const Rows<RegressionCheck> kRegressionCheck;
using RegressionCheckJson = JsonBy<kRegressionCheck>;
Described<RegressionCheckJson> describe(const RegressionCheck& check);
/// One for each limit.
std::vector<CheckedCondition> conditions(const RegressionCheck& check);

}  // namespace slackline
