#include "app/load/distinct_runs.h"

#include <fmt/format.h>

#include "base/error.h"

namespace slackline {
bool DistinctRuns::add(const OpenedTrace& opened, std::string_view on) {
  const auto [known, is_new] =
      paths_.try_emplace({opened.checksum, opened.bytes, std::string(on)}, opened.path);
  if (!is_new) findings_.add(kSameRun, fmt::format("{} is {}", opened.path, known->second));
  return is_new;
}

void DistinctRuns::require_several() const {
  if (paths_.size() > 1) return;
  throw usage_error("cannot compute a confidence interval", "all traces are of the same run",
                    "Give traces of other runs of the program, or resample this one with "
                    "--bootstrap 1000.");
}

void DistinctRuns::find_common(const DistinctRuns& other, Findings& findings) const {
  for (const auto& [content, path] : paths_) {
    if (other.paths_.contains(content)) findings.add(kRunOnBothSides, path);
  }
}

}  // namespace slackline
