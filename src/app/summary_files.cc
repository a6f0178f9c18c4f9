#include "app/summary_files.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/regression/history.h"
#include "base/error.h"
#include "base/file.h"
#include "base/output_files.h"
#include "base/statistics.h"
#include "formats/sqlite/virtual_table.h"
#include "formats/sqlite/writer.h"

namespace slackline {
namespace {

/// The version of the columns and their meaning.
constexpr int kRunsVersion = 1;

/// One of the things of which a run has several.
template <class Element>
struct OfRun {
  std::int64_t run;
  Element element;
};
template <class Element>
std::vector<OfRun<Element>> of_runs(const std::vector<HistoryEntry>& entries,
                                    std::vector<Element> JobSummary::*list) {
  std::vector<OfRun<Element>> all;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (const Element& element : entries[i].summary.*list) {
      all.push_back({static_cast<std::int64_t>(i + 1), element});
    }
  }
  return all;
}

SqlValue integer(std::int64_t value) {
  return value;
}
SqlValue known(const std::string& text) {
  return text.empty() ? SqlValue() : SqlValue(std::string_view(text));
}

struct RunRow {
  std::int64_t run;
  HistoryEntry entry;
  std::string command;
};

SqlTable runs_table(const std::vector<HistoryEntry>& entries) {
  std::vector<RunRow> rows;
  for (const HistoryEntry& entry : entries) {
    rows.push_back(
        {static_cast<std::int64_t>(rows.size() + 1), entry, compared_command(entry.summary)});
  }
  ListTable table("runs", std::move(rows));
  table.integer("run", [](const RunRow& r) { return integer(r.run); });
  table.text("name", [](const RunRow& r) { return known(r.entry.name); });
  table.text("program", [](const RunRow& r) { return known(r.command); });
  table.text("started", [](const RunRow& r) { return known(r.entry.summary.started); });
  table.text("job", [](const RunRow& r) { return known(r.entry.summary.identity.job); });
  table.text("commit_id", [](const RunRow& r) { return known(r.entry.summary.identity.commit); });
  table.integer("hosts", [](const RunRow& r) {
    return integer(static_cast<std::int64_t>(r.entry.summary.host_count));
  });
  table.integer("ranks", [](const RunRow& r) { return integer(r.entry.summary.ranks); });
  table.integer("repeats", [](const RunRow& r) {
    return integer(static_cast<std::int64_t>(r.entry.summary.runs()));
  });
  for (std::size_t m = 0; m < kRunMetrics.size(); ++m) {
    table.real(std::string(kRunMetrics[m]) + (m == 0 ? "_ns" : ""),
               [m](const RunRow& r) { return median_of(r.entry.summary.metrics[m]); });
  }
  table.real("waiting_share", [](const RunRow& r) { return median_of(r.entry.summary.waiting); });
  table.real("rank_time_ns", [](const RunRow& r) { return rank_time(r.entry.summary).total_ns; });
  table.real("lost_rank_time_ns",
             [](const RunRow& r) { return rank_time(r.entry.summary).lost_ns; });
  SqlTable result = table.take();
  result.key = "run";
  result.indices = {"started"};
  return result;
}

/// A table of what runs have several of: its first column is the run.
template <class Element>
ListTable<OfRun<Element>> table_of(std::string name, const std::vector<HistoryEntry>& entries,
                                   std::vector<Element> JobSummary::*list) {
  ListTable table(std::move(name), of_runs(entries, list));
  table.integer("run", [](const OfRun<Element>& e) { return integer(e.run); });
  return table;
}

SqlTable indexed_by_run(SqlTable table) {
  table.indices = {"run"};
  return table;
}

SqlTable causes_table(const std::vector<HistoryEntry>& entries) {
  using Row = OfRun<JobSummary::Cause>;
  return table_of("causes", entries, &JobSummary::causes)
      .text("cause", [](const Row& r) { return known(r.element.limit); })
      .real("share", [](const Row& r) { return r.element.share; })
      .text("function", [](const Row& r) { return known(r.element.function); })
      .integer("rank",
               [](const Row& r) {
                 return r.element.ranks.empty() ? SqlValue() : integer(r.element.ranks.front());
               })
      .take();
}

SqlTable waits_table(const std::vector<HistoryEntry>& entries) {
  using Row = OfRun<JobSummary::Wait>;
  return table_of("waits", entries, &JobSummary::waits)
      .text("pattern", [](const Row& r) { return known(r.element.pattern); })
      .real("share", [](const Row& r) { return median_of(r.element.share); })
      .take();
}

SqlTable functions_table(const std::vector<HistoryEntry>& entries) {
  using Row = OfRun<JobSummary::Function>;
  return table_of("functions", entries, &JobSummary::functions)
      .text("function", [](const Row& r) { return known(r.element.name); })
      .real("mean_ns", [](const Row& r) { return median_of(r.element.mean_ns); })
      .real("slowest_ns", [](const Row& r) { return median_of(r.element.slowest_ns); })
      .integer("slowest_rank",
               [](const Row& r) { return integer(most_frequent_rank(r.element.slowest_rank)); })
      .take();
}

using Label = std::pair<std::string, std::string>;

SqlTable labels_table(const std::vector<HistoryEntry>& entries) {
  std::vector<OfRun<Label>> labels;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (const Label& label : entries[i].summary.identity.labels) {
      labels.push_back({static_cast<std::int64_t>(i + 1), label});
    }
  }
  return ListTable("labels", std::move(labels))
      .integer("run", [](const OfRun<Label>& l) { return integer(l.run); })
      .text("name", [](const OfRun<Label>& l) { return known(l.element.first); })
      .text("value", [](const OfRun<Label>& l) { return known(l.element.second); })
      .take();
}

bool is_sqlite(const std::filesystem::path& path) {
  return path.extension() == ".sqlite" || path.extension() == ".db";
}

}  // namespace

bool names_table_of_runs(const std::filesystem::path& path) {
  return path.extension() == ".prom" || is_sqlite(path);
}

void write_runs(const std::vector<HistoryEntry>& entries, const std::filesystem::path& path) {
  if (!names_table_of_runs(path)) {
    throw usage_error(fmt::format("cannot write runs to '{}'", path.string()),
                      "its extension names no format for them",
                      "Choose .prom (OpenMetrics), .sqlite or .db.");
  }
  if (!is_sqlite(path)) return write_output(path, openmetrics(entries));
  OutputFiles files(path);
  write_sqlite({runs_table(entries), indexed_by_run(causes_table(entries)),
                indexed_by_run(waits_table(entries)), indexed_by_run(functions_table(entries)),
                indexed_by_run(labels_table(entries))},
               kRunsVersion, files.path());
  files.commit_with_command();
}

}  // namespace slackline
