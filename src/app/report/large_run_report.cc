#include "app/report/large_run_report.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "analysis/paths/path_functions.h"
#include "analysis/paths/path_report.h"

namespace slackline {
namespace {

constexpr FindingKind kPartOfReport{
    "large_run", Severity::notice,
    "The trace is larger than the memory that the command may take: the report has the efficiency, "
    "the wait states, the critical path and the imbalance, which are those of the whole run; a "
    "headline, the time line, phases, matrices and the model are left out."};

auto large_run_object(const EfficiencyRunJson& efficiency, const WaitSummaryJson& waits,
                      const CriticalPathJson& path, const PathFunctionsJson& functions) {
  return Object{"measured"_key =
                    Object{"efficiency"_key = efficiency, "wait_states"_key = waits,
                           "critical_path"_key = Object{path, "by_function"_key = functions}}};
}

}  // namespace

const JsonType& declared_type(const LargeRunJsonTag*) {
  return json_type_by<large_run_object>();
}

Described<LargeRunJson> describe(const MeasuredInStretches& run, const Trace& job,
                                 const CallPaths& paths) {
  auto efficiency = describe_efficiency({run.efficiency}, Scaling::strong);
  auto waits = describe(run.waits, job, paths);
  auto path = describe(run.path.path, run.path.imbalance, paths, "measured", PathDetail::sums);
  const auto functions =
      describe_functions(run.path.functions, run.path.path, job, path.sections.front());
  Described<LargeRunJson> report{
      large_run_object(efficiency_to_json(run.efficiency), waits.result, path.result, functions)};
  report.findings.add(kPartOfReport);
  for (auto* sections : {&efficiency.sections, &waits.sections, &path.sections}) {
    std::ranges::move(*sections, std::back_inserter(report.sections));
  }
  for (const Findings* findings : {&efficiency.findings, &waits.findings, &path.findings}) {
    report.findings.merge(*findings);
  }
  return report;
}

}  // namespace slackline
