#include "app/requests/history.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "analysis/regression/check.h"
#include "app/load/summaries.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "base/units.h"
#include "report/report.h"

namespace slackline {
namespace {

constexpr double kMillion = 1e6;

std::optional<double> parse_slowdown(const std::string& text) {
  if (text == "none") return std::nullopt;
  if (text == "0" || text == "0%") return 0;
  return static_cast<double>(parse_degradation_ppm(text, "--max-slowdown")) / kMillion;
}

/// "80%", ".8" and "0.8".
std::optional<double> parse_efficiency(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::string with_zero = text.starts_with('.') ? "0" + text : text;
  return static_cast<double>(parse_degradation_ppm(with_zero, "--min-parallel-efficiency")) /
         kMillion;
}

void refuse_common_runs(const SummaryList& base, const SummaryList& fresh) {
  const std::vector<std::string> common = fresh.distinct().common_with(base.distinct());
  if (common.empty()) return;
  throw usage_error(fmt::format("cannot compare '{}' with itself", common.front()),
                    "the run is on both sides", "Give different runs for the two sides.");
}

auto check_report(const CheckRequest& request, const CheckLimits& limits,
                  const std::vector<std::string>& base, Described<RegressionCheckJson> described) {
  return typed_report("check", fmt::format("check: {}", request.base),
                      Object{"max_slowdown"_key = limits.max_slowdown,
                             "min_parallel_efficiency"_key = limits.min_parallel_efficiency,
                             "error_rate"_key = kCheckErrorRate},
                      Object{"base"_key = base, "new"_key = request.fresh}, std::move(described));
}
using CheckReports = CommandReports<ReturnedBy<check_report>>;

}  // namespace

void declare(OptionList& options, CheckRequest& request) {
  options.add("base BASE", request.base,
              "Runs of the base: a summary, a report in JSON, a trace, or a folder of these");
  options.add("new NEW", request.fresh, "Runs of the new version: the same; all are repeats");
  options.add("--more-base BASE", request.more_base, "Further runs of the base; may be repeated");
  options.add("--max-slowdown SHARE", request.max_slowdown,
              "Largest slowdown that is allowed, or none: not compared", {.example = "2%"});
  options.add("--min-parallel-efficiency SHARE", request.min_parallel_efficiency,
              "Least parallel efficiency of the new version");
  declare(options, request.run);
  declare_memory(options, request.run.reading);
}

Report execute(const CheckRequest& request) {
  if (request.base.empty() || request.fresh.empty()) {
    throw usage_error("nothing to check", "runs of a base and of a new version are required",
                      "Example: slackline check base/ new/ --max-slowdown 2%.");
  }
  const CheckLimits limits{
      .max_slowdown = parse_slowdown(request.max_slowdown),
      .min_parallel_efficiency = parse_efficiency(request.min_parallel_efficiency)};
  if (!limits.max_slowdown && !limits.min_parallel_efficiency) {
    throw usage_error("nothing to check", "there is no limit",
                      "Give --max-slowdown or --min-parallel-efficiency.");
  }
  const std::vector<std::string> base_paths = with_more(request.base, request.more_base);
  const SummaryList base(request.run, base_paths);
  const SummaryList fresh(request.run, request.fresh);
  refuse_common_runs(base, fresh);
  const RegressionCheck check = check_regression(base.summaries(), fresh.summaries(), limits);
  Report report = CheckReports::untyped(check_report(request, limits, base_paths, describe(check)));
  report.checks = conditions(check);
  report.findings.merge(base.findings());
  report.findings.merge(fresh.findings());
  return report;
}

CommandSchema check_schema() {
  return CheckReports::schema();
}

}  // namespace slackline
