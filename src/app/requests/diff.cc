#include "app/requests/diff.h"

#include <fmt/format.h>

#include <utility>

#include "analysis/cube/difference.h"
#include "analysis/waits/wait_states.h"
#include "app/load/input.h"
#include "app/load/loaded_run.h"
#include "base/error.h"
#include "report/report.h"

namespace slackline {
namespace {

/// One side of the comparison.
class ComparedSide {
 public:
  ComparedSide(std::string trace, const std::vector<std::string>& more, RunRequest request)
      : request_(std::move(request)) {
    group_.name = add(std::move(trace));
    for (const std::string& other : more) add(other);
    if (!more.empty()) group_.name += fmt::format(" and {} more", more.size());
  }
  const RunGroup& group() const { return group_; }
  const Findings& findings() const { return findings_; }
  /// The run that stands for the group in the report.
  const LoadedRun& first() const { return runs_.front(); }

 private:
  std::string add(std::string trace) {
    request_.trace = std::move(trace);
    LoadedRun run = load_run(request_);
    WaitOptions options{.eager_bytes = run.eager_bytes};
    if (run.on == "measured") options.sends = &run.opened.sends;
    const CallPaths paths = CallPaths::of_regions_or_functions(run.trace());
    const WaitStates waits = wait_states(run.trace(), run.matching(), options);
    group_.runs.push_back(severity_cube(run.trace(), paths, waits));
    findings_.merge(run.findings);
    findings_.merge(run.trace().findings());
    std::string name = fmt::format("{} ({})", run.opened.path, run.on);
    if (runs_.empty()) runs_.push_back(std::move(run));
    return name;
  }

  RunRequest request_;
  RunGroup group_{};
  Findings findings_{};
  std::vector<LoadedRun> runs_{};
};

}  // namespace

Report execute(const DiffRequest& request) {
  if (request.a.empty() || request.b.empty()) {
    throw usage_error("nothing to compare", "two traces are required",
                      "Example: slackline diff before.slk after.slk.");
  }
  const ComparedSide a(request.a, request.more_a, request.run);
  RunRequest of_b = request.run;
  if (!request.on_b.empty()) of_b.on = request.on_b;
  const ComparedSide b(request.b, request.more_b, std::move(of_b));
  Report report = describe(difference(a.group(), b.group()), request.count);
  report = with_context(std::move(report), "diff", a.first(), {{"count", request.count}});
  report.title = fmt::format("diff: {}, {}", subject(a.first().opened), subject(b.first().opened));
  report.findings.merge(b.findings());
  return report;
}

}  // namespace slackline
