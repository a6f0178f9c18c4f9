#include "app/report/large_run_report.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/paths/path_functions.h"
#include "analysis/paths/path_report.h"
#include "app/report/answers.h"
#include "base/arithmetic.h"

namespace slackline {
namespace {

constexpr FindingKind kPartOfReport{
    "large_run", Severity::notice,
    "The trace is larger than the memory that the command may use, or only the measured run was "
    "asked for (--measured): the report has efficiency, wait states, critical path and imbalance, "
    "with the values that they have in any report, and where in the code they are; the headline, "
    "other key questions, the time line, phases, matrices and the model are left out."};

auto large_run_object(const EfficiencyRunJson& efficiency, const WaitSummaryJson& waits,
                      const CriticalPathJson& path, const PathFunctionsJson& functions,
                      const std::optional<AnswersJson>& answers) {
  return Object{
      "answers"_key.when(answers),
      "measured"_key = Object{"efficiency"_key = efficiency, "wait_states"_key = waits,
                              "critical_path"_key = Object{path, "by_function"_key = functions}}};
}

/// What a reader of other reports has to know first.
Section scope() {
  return {
      "scope",
      "Scope",
      {Paragraph{"Efficiency, wait states, critical path and imbalance, which are analysed in "
                 "stretches of the run. There is no headline, time line, phases, matrices or "
                 "model: the whole trace does not fit in the memory that the command may use, or "
                 "only the measured run was asked for (--measured)."}}};
}

/// As in the report of any run.
std::vector<Answer> answers_in(const MeasuredInStretches& run, const CallTree& tree) {
  const auto present = static_cast<double>(std::ranges::count(run.waits.has_calls, true));
  const double rank_time = static_cast<double>(run.waits.interval.length_ns()) * present;
  const RunInCode in_code{run.waits.in_code,
                          ratio_of(static_cast<double>(run.waits.total_ns), rank_time),
                          run.path.functions};
  std::vector<Answer> all;
  if (auto code = code_answer(in_code, tree)) all.push_back(std::move(*code));
  return all;
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
  std::vector<Section> sections;
  for (auto* own : {&efficiency.sections, &waits.sections, &path.sections}) {
    std::ranges::move(*own, std::back_inserter(sections));
  }
  const auto answers = add_answers(answers_in(run, job.call_tree()), sections);
  sections.insert(sections.begin(), scope());
  Described<LargeRunJson> report{large_run_object(efficiency_to_json(run.efficiency), waits.result,
                                                  path.result, functions, answers),
                                 std::move(sections)};
  report.findings.add(kPartOfReport);
  for (const Findings* findings : {&efficiency.findings, &waits.findings, &path.findings}) {
    report.findings.merge(*findings);
  }
  return report;
}

}  // namespace slackline
