#include "app/requests/history.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <sstream>
#include <utility>
#include <vector>

#include "analysis/regression/history.h"
#include "app/load/summaries.h"
#include "app/options/shared_options.h"
#include "app/options/summary_options.h"
#include "app/requests/schemas.h"
#include "app/summary_files.h"
#include "base/error.h"
#include "base/file.h"
#include "base/findings.h"
#include "report/report.h"

namespace slackline {
namespace {

/// The first word of each line. Throws Error where there is none.
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
  if (commits.empty()) {
    throw Error(fmt::format("cannot read the commits in '{}'", path), "it has none",
                "Print them with git rev-list --reverse HEAD.");
  }
  return commits;
}

auto history_report(const HistoryRequest& request, std::size_t runs,
                    Described<HistoryJson> described) {
  return typed_report(
      "history", fmt::format("history: {}", request.folder),
      Object{"commits"_key = known_text(request.commits), "since"_key = known_text(request.since),
             "error_rate"_key = kHistoryErrorRate},
      Object{"path"_key = request.folder, "summaries"_key = runs}, std::move(described));
}
auto worst_report(const HistoryRequest& request, std::size_t runs,
                  Described<WorstRunsJson> described) {
  return typed_report("history", fmt::format("history: {}", request.folder),
                      Object{"since"_key = known_text(request.since), "worst"_key = request.worst},
                      Object{"path"_key = request.folder, "summaries"_key = runs},
                      std::move(described));
}
using HistoryReports = CommandReports<ReturnedBy<history_report>, ReturnedBy<worst_report>>;

constexpr FindingKind kUndatedRun{"undated_run", Severity::notice,
                                  "Runs of which no date is known; --since leaves them out."};

/// "2026-11-20", "2026-11-20T08:00" or "2026-11-20T08:00:00": what is written alike again.
bool is_date(const std::string& text) {
  constexpr std::array kForms{"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"};
  return std::ranges::any_of(kForms, [&](const char* form) {
    std::tm date{};
    if (strptime(text.c_str(), form, &date) == nullptr) return false;
    timegm(&date);  // makes 30 February a day of March
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}", date).starts_with(text);
  });
}

/// A date as text that can be compared with those of runs; empty: none.
std::string parse_since(const std::string& text) {
  if (text.empty()) return text;
  std::string date = text.ends_with('Z') ? text.substr(0, text.size() - 1) : text;
  if (is_date(date)) return date;
  throw usage_error(fmt::format("cannot read the date '{}'", text),
                    "a date is YYYY-MM-DD, or YYYY-MM-DDThh:mm:ss in UTC",
                    "Example: --since \"$(date -u -d '7 days ago' +%F)\".");
}

std::vector<HistoryEntry> runs_since(const std::vector<HistoryEntry>& entries,
                                     const std::string& first, Findings& findings) {
  if (first.empty()) return entries;
  std::vector<HistoryEntry> later;
  for (const HistoryEntry& entry : entries) {
    if (entry.summary.started.empty()) {
      findings.add(kUndatedRun, entry.name);
    } else if (entry.summary.started >= first) {
      later.push_back(entry);
    }
  }
  return later;
}

/// Why no run is of a listed commit.
Error no_listed_commit(const HistoryRequest& request, const std::vector<HistoryEntry>& runs) {
  const bool known = std::ranges::any_of(
      runs, [](const HistoryEntry& run) { return !run.summary.identity.commit.empty(); });
  return Error(
      fmt::format("no history in '{}'", request.folder),
      fmt::format("none of its runs is of a commit in '{}'", request.commits),
      known ? "Print the commits with git rev-list --reverse HEAD."
            : "The runs name no commit: record them with --commit ID, or where CI_COMMIT_SHA "
              "or GITHUB_SHA is set.");
}

Report report_on_history(const HistoryRequest& request, const std::vector<HistoryEntry>& runs) {
  const History all = history(runs, read_commits(request.commits));
  if (all.by_ranks.empty()) throw no_listed_commit(request, runs);
  if (!request.badge.empty()) write_output(request.badge, efficiency_badge(all));
  return HistoryReports::untyped(history_report(request, runs.size(), describe(all)));
}

Report report_on_worst(const HistoryRequest& request, const std::vector<HistoryEntry>& runs) {
  const WorstRuns worst = worst_runs(runs, static_cast<std::size_t>(request.worst));
  return HistoryReports::untyped(worst_report(request, runs.size(), describe(worst)));
}

}  // namespace

void declare(OptionList& options, HistoryRequest& request) {
  options.add("folder DIR", request.folder,
              "Folder of summaries, reports in JSON or recordings, and of folders of these");
  options.add("--since DATE", request.since, "Only runs that started on this day or later (UTC)");
  options.add("--worst N", request.worst,
              "Instead, report the N runs that lose most rank time, and why", {.positive = true});
  options.add("--runs FILE", request.runs,
              "Also write the runs as OpenMetrics (.prom) or SQLite (.sqlite, .db)");
  options.add("--commits FILE", request.commits,
              "Order of the commits, one a line, oldest first, as git rev-list --reverse HEAD "
              "prints it; others are left out (default: by the dates of the runs)",
              {.excludes = "--worst"});
  options.add("--badge FILE", request.badge,
              "Also write a badge (SVG) with the last parallel efficiency on the most ranks",
              {.excludes = "--worst"});
  declare(options, request.run);
  declare_memory(options, request.run.reading);
}

Report execute(const HistoryRequest& request) {
  if (request.folder.empty()) {
    throw usage_error("no history", "a folder of summaries is required",
                      "Example: slackline history summaries/ -o history.html.");
  }
  const std::string first = parse_since(request.since);
  const SummaryList runs(request.run, {request.folder});
  Findings findings = runs.findings();
  const std::vector<HistoryEntry> entries = runs_since(runs.entries(), first, findings);
  if (entries.empty()) {
    throw Error(fmt::format("no history in '{}'", request.folder),
                fmt::format("none of its runs started on {} or later", request.since),
                "Choose an earlier date.");
  }
  if (!request.runs.empty()) write_runs(entries, request.runs);
  Report report =
      request.worst > 0 ? report_on_worst(request, entries) : report_on_history(request, entries);
  report.findings.merge(findings);
  return report;
}

CommandSchema history_schema() {
  return HistoryReports::schema();
}

}  // namespace slackline
