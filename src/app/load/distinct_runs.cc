#include "app/load/distinct_runs.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"

namespace slackline {

std::size_t DistinctRuns::add(std::string content, std::string name, const std::string& path,
                              Findings& findings) {
  const auto [known, is_new] =
      runs_.try_emplace(std::move(content), Entry{runs_.size(), std::move(name)});
  if (!is_new) findings.add(kSameRun, fmt::format("{} is {}", path, known->second.name));
  return known->second.place;
}

bool DistinctRuns::add(const OpenedTrace& opened, Findings& findings, std::string_view on) {
  const std::size_t known = runs_.size();
  return add(fmt::format("{} {:020} {}", opened.checksum, opened.bytes, on), opened.path,
             opened.path, findings) == known;
}

void DistinctRuns::require_several() const {
  if (runs_.size() > 1) return;
  throw usage_error("cannot compute a confidence interval", "all traces are of the same run",
                    "Give traces of other runs of the program, or resample this one with "
                    "--bootstrap 1000.");
}

std::vector<std::string> DistinctRuns::common_with(const DistinctRuns& other) const {
  std::vector<std::string> common;
  for (const auto& [content, run] : runs_) {
    if (other.runs_.contains(content)) common.push_back(run.name);
  }
  return common;
}

std::vector<std::string> with_more(const std::string& first, const std::vector<std::string>& more) {
  std::vector<std::string> all{first};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace slackline
