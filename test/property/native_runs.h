#pragma once

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "analysis/efficiency/ideal_replay.h"
#include "analysis/runs/modelled_trace.h"
#include "base/error.h"
#include "formats/native/writer.h"
#include "property/cases.h"
#include "report/writers.h"
#include "timing/model_schedule.h"

namespace slackline::testing {

/// What times a run has.
enum class Kind { causal, modelled, clocks_disagree, rank_missing };

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

/// The answer, or what is wrong.
inline std::string answer(const std::function<Report()>& execute_request) {
  try {
    return write_json(execute_request(), true);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace slackline::testing
