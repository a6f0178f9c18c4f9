#include "app/report/training_run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/units.h"
#include "formats/open/open.h"
#include "graph/training/training_graph.h"
#include "page/timeline.h"
#include "page/training_timeline.h"
#include "report/object.h"
#include "report/report.h"
#include "timing/makespan.h"
#include "training/collectives.h"
#include "training/training_analysis.h"
#include "training/training_run.h"

namespace slackline {
namespace {

/// How long a training run would have taken with one thing different.
struct TrainingWhatIf {
  std::string change{};  ///< "no straggler"
  double run_time_ns = 0;
};

using WhatIfsJson = JsonOf<struct WhatIfsJsonTag>;

LogGPS recorded_model(const RecordedNetwork& network) {
  return {.latency_fs = network.latency_fs,
          .overhead_fs = 0,
          .gap_per_byte_fs = network.gap_per_byte_fs};
}

double run_time_ns(const TrainingGraph& graph, const LogGPS& model) {
  MakespanFunction makespan(graph.graph, model, Parameter::latency);
  const PathLine line = makespan.line_at(makespan.base());
  return makespan.value_ns(line, makespan.base());
}

struct Question {
  const char* change;
  TrainingEdit edit;
};

constexpr std::array<Question, 4> kQuestions{
    {{"as recorded", TrainingEdit::none},
     {"no straggler (work of the median rank)", TrainingEdit::no_straggler},
     {"computation never waits for communication", TrainingEdit::full_overlap},
     {"no time for launching (CUDA graphs)", TrainingEdit::no_launch_time}}};

struct Saving {
  double ns;
  double share;  ///< of the recorded run
};

Saving saving_of(const TrainingWhatIf& what_if, double recorded_ns) {
  const double saved = recorded_ns - what_if.run_time_ns;
  return {saved, recorded_ns > 0 ? saved / recorded_ns : 0.0};
}

auto what_if_objects(const std::vector<TrainingWhatIf>& all) {
  return list_of(all, [&](const TrainingWhatIf& what_if) {
    const Saving saving = saving_of(what_if, all.front().run_time_ns);
    return Object{"change"_key = what_if.change, "run_time_ns"_key = what_if.run_time_ns,
                  "saved_ns"_key = saving.ns, "saved_share"_key = saving.share};
  });
}

/// What can be asked of a run: nothing without a GPU, and of one rank nothing on others.
std::vector<Question> questions_on(const TrainingRun& run) {
  if (!has_gpu(run)) return {};
  std::vector<Question> questions(kQuestions.begin(), kQuestions.end());
  if (run.ranks.size() == 1) {
    std::erase_if(questions, [](const Question& question) {
      return question.edit == TrainingEdit::no_straggler;
    });
  }
  return questions;
}

/// The run as its graph predicts it, first, then what-if questions; nothing of a run without GPU
/// kernels. `run` has corrected clocks.
/// Four graphs (build_training_graph) and one pass each over them, two more over the first.
std::vector<TrainingWhatIf> training_what_ifs(const TrainingRun& run) {
  const std::vector<Question> questions = questions_on(run);
  std::vector<TrainingWhatIf> all(questions.size());
  std::vector<TrainingWhatIf> networks;
  parallel_for(questions.size(), [&](std::size_t i) {
    const TrainingGraph graph = build_training_graph(run, questions[i].edit);
    const LogGPS recorded = recorded_model(graph.network);
    all[i] = {questions[i].change, run_time_ns(graph, recorded)};
    if (questions[i].edit != TrainingEdit::none) return;
    LogGPS no_latency = recorded;
    no_latency.latency_fs = 0;
    LogGPS double_latency = recorded;
    double_latency.latency_fs *= 2;
    LogGPS double_bandwidth = recorded;
    double_bandwidth.gap_per_byte_fs /= 2;
    networks = {{"no network latency", run_time_ns(graph, no_latency)},
                {"network latency doubled", run_time_ns(graph, double_latency)},
                {"network bandwidth doubled", run_time_ns(graph, double_bandwidth)}};
  });
  all.insert(all.end(), networks.begin(), networks.end());
  return all;
}

const JsonType& declared_type(const WhatIfsJsonTag*) {
  return json_type_by<what_if_objects>();
}

/// Adds them as a table. Returns the same, for result.what_if.
WhatIfsJson add_what_ifs(const std::vector<TrainingWhatIf>& all, std::vector<Section>& sections) {
  if (all.empty()) return what_if_objects(all);
  const double recorded = all.front().run_time_ns;
  Table table{
      "training_what_if",
      "What if (the length of the profile as its graph predicts it)",
      {{"change"}, {"run time", Unit::ns}, {"saved", Unit::ns}, {"of the run", Unit::ratio}},
      {}};
  for (const TrainingWhatIf& what_if : all) {
    const Saving saving = saving_of(what_if, recorded);
    table.rows.push_back({what_if.change, what_if.run_time_ns, saving.ns, saving.share});
  }
  Paragraph basis{
      "Estimates: what a stream waited for is known only where it delayed the profiled run, so "
      "that "
      "other waiting may appear after a change, or less of it remain."};
  sections.push_back({"training_what_if_section", "What if", {std::move(basis), std::move(table)}});
  return what_if_objects(all);
}

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
