#include "app/report/training_run_report.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/report/training_what_if.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/units.h"
#include "formats/open/open.h"
#include "page/timeline.h"
#include "page/training_timeline.h"
#include "training/collectives.h"
#include "training/training_analysis.h"

namespace slackline {
namespace {

// A path may end in a slash.
std::string last_part(const std::string& path) {
  const std::filesystem::path whole = std::filesystem::path(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

auto training_input_object(const OpenedTraining& opened) {
  return Object{"path"_key = opened.path,
                "format"_key = "kineto",
                "bytes"_key = opened.bytes,
                "checksum"_key = opened.checksum,
                "ranks"_key = opened.run.ranks.size(),
                "timed"_key = true};
}

auto result_object(const TrainingJson& training, const WhatIfsJson& what_ifs) {
  return Object{training, "what_if"_key = what_ifs};
}

}  // namespace

const JsonType& declared_type(const TrainingRunJsonTag*) {
  return json_type_by<result_object>();
}

const JsonType& declared_type(const TrainingInputJsonTag*) {
  return json_type_by<training_input_object>();
}

std::optional<TrainingRunReport> training_run_report(const std::string& path, bool pictures) {
  std::optional<OpenedTraining> opened = open_training(path);
  if (!opened) return std::nullopt;
  begin_stage("analysing the training run");
  correct_clocks(opened->run);
  const TrainingAnalysis analysis = analyse_training(opened->run);
  if (analysis.steps.empty()) {
    throw Error("nothing to report on " + path, "the profile has no events with times",
                "Profile some iterations with the activities CPU and CUDA.");
  }
  auto described = describe(opened->run, analysis);
  if (pictures) {
    begin_stage("drawing the time line");
    described.sections.insert(described.sections.begin() + 1,
                              training_timeline(opened->run, analysis));
  }
  begin_stage("asking what if");
  const auto what_ifs = add_what_ifs(training_what_ifs(opened->run), described.sections);
  return TrainingRunReport{
      "report",
      fmt::format("report: {} ({})", last_part(path), count_of(opened->run.ranks.size(), "rank")),
      {},
      training_input_object(*opened),
      {result_object(described.result, what_ifs), std::move(described.sections),
       std::move(described.findings)}};
}

}  // namespace slackline
