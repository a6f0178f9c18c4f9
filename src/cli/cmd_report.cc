#include <memory>

#include "analysis/overview.h"
#include "cli/commands.h"
#include "cli/degradations.h"
#include "cli/model_question.h"
#include "diagnosis/judgement.h"

namespace slackline {
namespace {

struct ReportOptions {
  ModelQuestion question;
  std::vector<std::string> degradations;
};

/// What was measured first, then what the model says of it.
Report report_of(const OpenedQuestion& q, const std::vector<std::int64_t>& ppm) {
  const Overview model = overview(q.trace(), q.graph, q.model, ppm);
  Report report = describe(model, q.trace());
  if (!q.trace().timed()) {
    add_judgement(judgement(model), report);
    return report;
  }
  const CallPaths paths(q.trace());
  const Diagnosis measured = diagnose(q.trace(), paths);
  Report diagnosis = describe(measured, q.trace(), paths);
  report.result.update(diagnosis.result);
  report.findings.merge(new_findings(diagnosis.findings, q.graph.findings()));
  report.sections.insert(report.sections.begin(), diagnosis.sections.begin(),
                         diagnosis.sections.end());
  add_judgement(judgement(measured, q.trace(), paths), report);
  return report;
}

int run_report(const ReportOptions& options) {
  const std::vector<std::int64_t> ppm = parse_degradations(options.degradations);
  const OpenedQuestion q = open_question(options.question);
  answer(report_of(q, ppm), "report", q, options.question,
         {{"degrade", degradations_to_json(ppm)}});
  return 0;
}

}  // namespace

Run setup_report(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  add_model_question(app, options->question, OverheadShortName::none);
  add_degradations(app, options->degradations);
  add_fix_clocks(app, options->question.open);
  examples(app,
           {"slackline report slackline-trace", "slackline report slackline-trace -o report.html",
            "slackline report app.slk --network shared-memory --format json"});
  return [options] { return run_report(*options); };
}

}  // namespace slackline
