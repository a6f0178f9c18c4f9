#include "app/report/training_run_report.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/report/training_what_if.h"
#include "base/error.h"
#include "base/stage.h"
#include "base/units.h"
#include "formats/open/open.h"
#include "training/clocks.h"
#include "training/training_report.h"

namespace slackline {
namespace {

// A path may end in a slash.
std::string last_part(const std::string& path) {
  const std::filesystem::path whole = std::filesystem::path(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

}  // namespace

std::optional<Report> training_run_report(const std::string& path) {
  std::optional<OpenedTraining> opened = open_training(path);
  if (!opened) return std::nullopt;
  begin_stage("analysing the training run");
  correct_clocks(opened->run);
  const TrainingAnalysis analysis = analyse_training(opened->run);
  if (analysis.steps.empty()) {
    throw Error("nothing to report on " + path, "the profile has no events with times",
                "Profile some iterations with the activities CPU and CUDA.");
  }
  Report report = describe(opened->run, analysis);
  begin_stage("asking what if");
  add_what_ifs(training_what_ifs(opened->run), report);
  const std::size_t ranks = opened->run.ranks.size();
  report.command = "report";
  report.title = fmt::format("report: {} ({})", last_part(path), count_of(ranks, "rank"));
  report.options = Json::object();
  report.input = {{"path", opened->path},         {"format", "kineto"}, {"bytes", opened->bytes},
                  {"checksum", opened->checksum}, {"ranks", ranks},     {"timed", true}};
  return report;
}

}  // namespace slackline
