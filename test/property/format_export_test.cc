// What is written in another trace format and read back predicts the T of the trace that it was
// written from: exactly, where the format holds the calls.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "analysis/runs/scheduled_calls.h"
#include "base/file.h"
#include "calls/call_matching.h"
#include "formats/otf2/otf2.h"
#include "formats/paraver/paraver.h"
#include "formats/ti/ti.h"
#include "oracle/regular_programs.h"
#include "property/cases.h"
#include "timing/makespan.h"
#include "timing/model_schedule.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr LogGPS kModel{3'000'000'000, 500'000'000, 18'000};
/// Random programs for a format that writes files.
constexpr std::uint64_t kFilePrograms = 60;

class FormatExport : public ::testing::Test {
 protected:
  FormatExport()
      : folder_(fs::path(::testing::TempDir()) /
                ("slackline_export_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~FormatExport() override { fs::remove_all(folder_); }

  Trace by_ti(const Trace& trace) {
    write_ti(trace, folder_ / "x.ti");
    const MappedFile file(folder_ / "x.ti");
    return read_ti(folder_ / "x.ti", file.bytes());
  }
  Trace by_paraver(const Trace& trace) {
    write_paraver(trace, CallMatching(trace), folder_ / "x.prv");
    const MappedFile file(folder_ / "x.prv");
    return read_paraver(file.bytes(), folder_ / "x.prv");
  }
  Trace by_otf2(const Trace& trace) {
    fs::remove_all(folder_ / "otf2");
    fs::create_directories(folder_ / "otf2");
    write_otf2(trace, folder_ / "otf2" / "x.otf2");
    return read_otf2(folder_ / "otf2" / "x.otf2");
  }

  fs::path folder_;
};

Int128 makespan_fs(const Trace& trace, const GraphOptions& options) {
  const ExecutionGraph graph = build_graph(trace, options);
  MakespanFunction t(graph, kModel, Parameter::latency);
  return t.line_at(t.base()).scaled_at(t.base()) * t.tick_fs() / t.base().denominator;
}

/// A run of `program` that could have been measured: with the times of a model.
Trace timed_run(const Trace& program) {
  const ExecutionGraph graph = build_graph(program, {});
  return modelled_trace(program, graph, model_schedule(graph, kModel));
}

/// Ranks leave MPI_Init at different times, and elements have sizes that algorithms depend on.
Trace with_late_starts(oracle::Program program) {
  program.timed = true;
  for (std::int32_t r = 0; r < program.size(); ++r) {
    program.init_ns.push_back(1'000'000 + 70'000 * (r % 3));
  }
  return timed_run(to_trace(program));
}

TEST_F(FormatExport, RegularProgramsTakeAsLong) {
  for (const oracle::Program& program :
       {oracle::stencil_program(4, 3, 10, 2), oracle::lulesh_like_program(2, 5)}) {
    const Trace trace = with_late_starts(program);
    for (const char* selector : {"openmpi", "mpich"}) {
      GraphOptions options;
      options.eager_threshold_bytes = 2000;
      options.collectives.add(selector);
      const Int128 expected = makespan_fs(trace, options);
      EXPECT_TRUE(makespan_fs(by_ti(trace), options) == expected) << selector;
      EXPECT_TRUE(makespan_fs(by_paraver(trace), options) == expected) << selector;
      EXPECT_TRUE(makespan_fs(by_otf2(trace), options) == expected) << selector;
    }
  }
}

TEST_F(FormatExport, Otf2HoldsEveryRandomProgram) {
  for (std::uint64_t seed = 0; seed < kFilePrograms; ++seed) {
    const testing::Case c = testing::seeded_case(seed, {.timed = true});
    const Trace trace = timed_run(c.trace);
    ASSERT_TRUE(makespan_fs(by_otf2(trace), c.options) == makespan_fs(trace, c.options))
        << seed << "\n"
        << testing::describe(trace, c.options);
  }
}

}  // namespace
}  // namespace slackline
