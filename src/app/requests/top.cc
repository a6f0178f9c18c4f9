#include "app/requests/top.h"

#include <fmt/format.h>

#include <utility>

#include "app/load/input.h"
#include "app/options/option_list.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "base/units.h"
#include "report/report.h"

namespace slackline {
namespace {

auto top_report(const TopRequest& request, std::int64_t window_ns, const WatchedJob& job,
                Described<JobStatusJson> described) {
  return typed_report(
      "top", fmt::format("top: {}", request.folder),
      Object{"window_ns"_key = known_if(window_ns > 0, window_ns), "count"_key = request.count},
      Object{"path"_key = request.folder, "folder"_key = known_text(job.folder().string())},
      std::move(described));
}
using TopReports = CommandReports<ReturnedBy<top_report>>;

TopRequest with_folder(TopRequest request) {
  request.folder = input_path(request.folder);
  return request;
}

std::int64_t parse_window(const std::string& text) {
  if (text == "all") return 0;
  const std::int64_t ns = parse_time_ns(text, "--window");
  if (ns > 0) return ns;
  throw usage_error("cannot use an empty window", "it has no time", "Example: --window 60s.");
}

}  // namespace

void declare(OptionList& options, TopRequest& request) {
  options.add("folder JOBDIR", request.folder,
              "Folder into which 'slackline record' writes (default: the newest recording in the "
              "current folder)");
  options.add("--window TIME", request.window, "Length of the recent interval; all: since MPI_Init",
              {.example = "60s"});
  options.add("--count N", request.count, "Number of ranks to list", {.positive = true});
}

JobWatch::JobWatch(const TopRequest& request)
    : request_(with_folder(request)),
      window_ns_(parse_window(request.window)),
      job_(request_.folder, window_ns_) {}

Report JobWatch::look() {
  const auto count = static_cast<std::size_t>(request_.count);
  JobStatus status = job_.look(count);
  ended_ = status.state == JobStatus::State::ended;
  if (status.state == JobStatus::State::running) phases_.look(job_.folder(), status);
  status.ended_phases = phases_.known();
  Described<JobStatusJson> described = describe(status, count);
  described.findings.merge(job_.findings());
  Report report = TopReports::untyped(top_report(request_, window_ns_, job_, std::move(described)));
  report.sections_only = report.findings.empty();
  return report;
}

CommandSchema top_schema() {
  return TopReports::schema();
}

}  // namespace slackline
