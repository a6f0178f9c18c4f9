#include "app/requests/history.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>
#include <vector>

#include "analysis/regression/history.h"
#include "app/load/summaries.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "base/file.h"
#include "report/report.h"

namespace slackline {
namespace {

/// The first word of each line.
std::vector<std::string> read_commits(const std::string& path) {
  if (path.empty()) return {};
  const MappedFile file(path);
  std::istringstream lines{std::string(file.text())};
  std::vector<std::string> commits;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string commit;
    if (words >> commit) commits.push_back(std::move(commit));
  }
  return commits;
}

auto history_report(const HistoryRequest& request, std::size_t runs,
                    Described<HistoryJson> described) {
  return typed_report(
      "history", fmt::format("history: {}", request.folder),
      Object{"commits"_key = known_text(request.commits), "error_rate"_key = kHistoryErrorRate},
      Object{"path"_key = request.folder, "summaries"_key = runs}, std::move(described));
}
using HistoryReports = CommandReports<ReturnedBy<history_report>>;

}  // namespace

void declare(OptionList& options, HistoryRequest& request) {
  options.add("folder DIR", request.folder,
              "Folder of summaries, reports in JSON or recordings, and of folders of these");
  options.add("--commits FILE", request.commits,
              "Order of the commits, one a line, oldest first, as git rev-list --reverse HEAD "
              "prints it; others are left out (default: by the dates of the runs)");
  options.add("--badge FILE", request.badge,
              "Also write a badge (SVG) with the last parallel efficiency on the most ranks");
  declare(options, request.run);
  declare_memory(options, request.run.reading);
}

Report execute(const HistoryRequest& request) {
  if (request.folder.empty()) {
    throw usage_error("no history", "a folder of summaries is required",
                      "Example: slackline history summaries/ -o history.html.");
  }
  SummaryList runs(request.run);
  runs.add(request.folder);
  const History all = history(runs.entries(), read_commits(request.commits));
  if (all.by_ranks.empty()) {
    throw Error(fmt::format("no history in '{}'", request.folder),
                fmt::format("none of its runs is of a commit in '{}'", request.commits),
                "Print the commits with git rev-list --reverse HEAD.");
  }
  if (!request.badge.empty()) write_file(request.badge, efficiency_badge(all));
  Report report =
      HistoryReports::untyped(history_report(request, runs.entries().size(), describe(all)));
  report.findings.merge(runs.findings());
  return report;
}

CommandSchema history_schema() {
  return HistoryReports::schema();
}

}  // namespace slackline
