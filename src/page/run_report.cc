#include "page/run_report.h"

#include <iterator>
#include <utility>

#include "analysis/overview.h"
#include "diagnosis/judgement.h"
#include "page/pictures.h"

namespace slackline {
namespace {

void put_first(std::vector<Section>& sections, std::vector<Section> first) {
  sections.insert(sections.begin(), std::make_move_iterator(first.begin()),
                  std::make_move_iterator(first.end()));
}

}  // namespace

Report run_report(const Trace& trace, const ExecutionGraph& graph, const ModelChoice& choice,
                  const RunReportOptions& options) {
  const Overview model = overview(trace, graph, choice, options.degradations_ppm);
  Report report = describe(model, trace);
  const CallMatching matching(trace);
  const CallPaths paths(trace);
  PictureInput picture{trace, graph, choice, model.prediction, matching, paths};
  if (!trace.timed()) {
    if (options.pictures) put_first(report.sections, pictures(picture));
    add_judgement(judgement(model), report);
    return report;
  }
  const WaitStates waits = wait_states(trace, matching);
  const Diagnosis measured = diagnose(trace, paths, matching, waits);
  Report diagnosis = describe(measured, trace, paths);
  report.result.update(diagnosis.result);
  report.findings.merge(new_findings(diagnosis.findings, graph.findings()));
  put_first(report.sections, std::move(diagnosis.sections));
  if (options.pictures) {
    picture.measured.emplace(MeasuredPictures{waits, measured.path, measured.monitor});
    put_first(report.sections, pictures(picture));
  }
  add_judgement(judgement(measured, trace, paths), report);
  return report;
}

}  // namespace slackline
