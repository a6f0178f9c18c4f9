#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "analysis/efficiency/ideal_replay.h"
#include "analysis/runs/scheduled_calls.h"
#include "base/error.h"
#include "formats/native/writer.h"
#include "formats/open/open.h"
#include "property/cases.h"
#include "report/writers.h"
#include "timing/model_schedule.h"
#include "trace/testing/shared_traces.h"

namespace slackline::testing {

/// What times a run has.
enum class Kind { causal, modelled, clocks_disagree, rank_missing };

inline constexpr std::array kKinds{Kind::causal, Kind::modelled, Kind::clocks_disagree,
                                   Kind::rank_missing};
inline std::string name_of_kind(const ::testing::TestParamInfo<Kind>& kind) {
  constexpr std::array kNames{"Causal", "Modelled", "ClocksDisagree", "RankMissing"};
  return kNames[static_cast<std::size_t>(kind.param)];
}

inline Trace random_run(std::uint64_t seed, Kind kind) {
  const oracle::ProgramShape shape{
      .max_ranks = 9, .max_events = 120, .timed = kind != Kind::modelled, .synchronised = true};
  if (kind == Kind::modelled) {
    const Case c = seeded_case(seed, shape);
    const ExecutionGraph graph = build_graph(c.trace, c.options);
    return modelled_trace(c.trace, graph, model_schedule(graph, c.model));
  }
  oracle::Program program = random_program(oracle::Choices(seed, 100 + seed % 700), shape);
  if (kind == Kind::rank_missing) program.ranks[seed % program.ranks.size()].clear();
  Trace trace = to_trace(program);
  if (kind != Kind::causal) return trace;
  const IdealRun ideal = ideal_run(trace, CallMatching(trace), {});
  return with_ideal_times(std::move(trace), ideal);
}

/// The trace as a native file, until the end of the object.
class NativeFile {
 public:
  explicit NativeFile(const Trace& trace, const Samples& samples = {}) {
    write_native(trace, path_, samples);
  }
  ~NativeFile() { std::filesystem::remove(path_); }
  NativeFile(const NativeFile&) = delete;
  NativeFile& operator=(const NativeFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("slackline-shared-" + std::to_string(getpid()) + ".slk");
};

/// Calls visit(trace) for each timed public trace; nothing where they are not at hand.
inline void for_each_public_run(const std::function<void(const Trace&)>& visit) {
  const std::filesystem::path folder = shared_trace("");
  if (!std::filesystem::exists(folder)) return;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::optional<OpenedTrace> opened;
    try {
      opened = open_trace(entry.path());
    } catch (const Error&) {
      continue;  // no trace
    }
    if (!opened->trace.timed() || opened->trace.call_count() == 0) continue;
    SCOPED_TRACE(entry.path().string());
    visit(opened->trace);
  }
}

/// The answer, or what is wrong.
inline std::string answer(const std::function<Report()>& execute_request) {
  try {
    return write_json(execute_request(), true);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace slackline::testing
