#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "base/file.h"
#include "base/testing/scratch_folder.h"
#include "formats/paraver/findings.h"
#include "formats/paraver/paraver.h"
#include "formats/paraver/writer.h"
#include "formats/text/text.h"
#include "trace/testing/arbitrary_trace.h"
#include "trace/testing/plausible_trace.h"
#include "trace/testing/shared_traces.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

Trace read(const fs::path& path) {
  const MappedFile file(path);
  return read_paraver(file.bytes(), path);
}

Trace there_and_back(const Trace& trace) {
  const ScratchFolder folder;
  write_paraver(trace, CallMatching(trace), folder / "t.prv");
  return read(folder / "t.prv");
}

RC_GTEST_PROP(ParaverRoundTrip, PlausibleTracesComeBackEqual, ()) {
  const Trace trace = testing::PlausibleTrace::make();
  const Trace back = there_and_back(trace);
  if (!same_content(trace, back)) RC_FAIL(to_text(trace) + "\n-- became --\n" + to_text(back));
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& a = trace.calls(r);
    const RankCalls& b = back.calls(r);
    RC_ASSERT(a.stop_ns() == b.stop_ns());
    RC_ASSERT(a.pauses().size() == b.pauses().size());
    for (std::size_t p = 0; p < a.pauses().size(); ++p) {
      const PauseKind kind = a.pauses()[p].kind;  // of which the format lacks one
      RC_ASSERT(b.pauses()[p].kind == (kind == PauseKind::no_processor ? PauseKind::other : kind));
    }
    for (std::size_t i = 0; i <= a.size(); ++i) RC_ASSERT(a.useful_ns(i) == b.useful_ns(i));
    RC_ASSERT(trace.rank_info(r).host == back.rank_info(r).host);
  }
  for (const auto& entry : back.findings().entries()) {
    RC_ASSERT(entry.severity != Severity::data_loss);
  }
}

// Ranks of more calls than are written as one piece; `step_ns` lies between calls of one rank.
Trace long_trace(std::int64_t step_ns) {
  TraceBuilder trace(3, true);
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    RankCallsBuilder& calls = trace.calls(rank);
    for (std::int64_t i = 0; i < 5000; ++i) {
      const std::int64_t begin = i * step_ns;
      const std::int64_t end = begin + (i + rank) % 3 * step_ns / 4;
      calls.append(
          {.operation = Operation::allreduce, .begin_ns = begin, .end_ns = end, .bytes = 8});
    }
  }
  return std::move(trace).build();
}

// Also where all calls begin at one time, so that nothing but threads and steps tells pieces apart.
TEST(ParaverPieces, LieInOrderOfTimeAndLoseNothing) {
  for (const std::int64_t step_ns : {0, 1000}) {
    const ScratchFolder folder;
    const Trace trace = long_trace(step_ns);
    write_paraver(trace, CallMatching(trace), folder / "t.prv");
    EXPECT_TRUE(same_content(trace, read(folder / "t.prv"))) << step_ns;

    std::istringstream lines{std::string(MappedFile(folder / "t.prv").text())};
    std::string line;
    std::getline(lines, line);
    std::int64_t last = 0;
    while (std::getline(lines, line)) {
      if (line.starts_with("c:")) continue;
      std::istringstream fields(line);
      std::string field;
      for (int i = 0; i < 6; ++i) std::getline(fields, field, ':');
      EXPECT_GE(std::stoll(field), last);
      last = std::stoll(field);
    }
  }
}

RC_GTEST_PROP(ParaverRoundTrip, AnyTraceGivesAFileWithoutBadRecords, ()) {
  const Trace trace = testing::arbitrary_trace();
  const Trace back = there_and_back(trace);
  RC_ASSERT(back.ranks() == trace.ranks());
  RC_ASSERT(back.findings().count(kDamagedRecord) == 0u);
}

// What the algorithm of a collective depends on: element size, contributions, the MPI library.
TEST(ParaverWriter, CollectivesComeBackWhole) {
  TraceBuilder trace = read_text(
      "slackline-trace 1 timed ranks=2\n"
      "rank 0\n@10 +1 allreduce bytes=16 elem=8\n@20 +1 allgatherv bytes=8 elem=4 counts=8,12\n"
      "@30 +1 alltoallv bytes=24 elem=8 send=8,16 recv=0,24\n@40 +1 iallreduce bytes=4 elem=4 "
      "req=1\n"
      "@50 +1 wait req=1\n"
      "rank 1\n@10 +1 allreduce bytes=16 elem=8\n@20 +1 allgatherv bytes=12 elem=4 counts=8,12\n"
      "@30 +1 alltoallv bytes=24 elem=8 send=0,24 recv=16,8\n@40 +1 iallreduce bytes=4 elem=4 "
      "req=1\n"
      "@50 +1 wait req=1\n",
      "t");
  trace.info().mpi_library = "MPICH";
  const Trace back = there_and_back(trace);
  EXPECT_TRUE(same_content(trace, back)) << to_text(back);
  EXPECT_EQ(back.info().mpi_library, "MPICH");
}

TEST(ParaverWriter, CountersComeBack) {
  TraceBuilder trace(1, true);
  trace.calls(0).append({.operation = Operation::barrier, .begin_ns = 10, .end_ns = 20});
  trace.calls(0).set_stop_ns(30);
  trace.add_counter("PAPI_TOT_INS");
  trace.add_counter("PAPI_TOT_CYC");
  trace.calls(0).set_counter(0, {100, 7});
  trace.calls(0).set_counter(1, {200, 9});
  const Trace back = there_and_back(trace);
  EXPECT_EQ(back.counters(), trace.counters());
  EXPECT_EQ(back.calls(0).counter(0, 0), 100u);
  EXPECT_EQ(back.calls(0).counter(1, 0), 200u);
  EXPECT_EQ(back.calls(0).counter(0, 1), 7u);
  EXPECT_EQ(back.calls(0).counter(1, 1), 9u);
}

TEST(ParaverWriter, WritesNamesBesideAndSaysWhatIsLost) {
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=2\ncomm 2 members=1,0\nrank 0 host=n0\n"
      "+1 send to=1 comm=2\n+1 send to=1 tag=5\n@10 enter \"solve it\"\n@20 leave \"solve it\"\n"
      "rank 1 host=n1\n@1 +1 recv from=0 comm=2 any_source\n",
      "t");
  const ScratchFolder folder;
  const Findings lost = write_paraver(trace, CallMatching(trace), folder / "t.prv");
  EXPECT_EQ(lost.count(paraver::kCommunicatorsOfMessages), 2u);
  EXPECT_EQ(lost.count(paraver::kWildcardsLost), 1u);
  EXPECT_EQ(lost.count(paraver::kUnmatched), 1u);
  const Trace back = read(folder / "t.prv");
  EXPECT_EQ(back.regions(), (std::vector<std::string>{"solve it"}));
  EXPECT_EQ(back.rank_info(1).host, "n1");
  for (const char* name :
       {"t.pcf", "t.row", "t.mpi_calls.cfg", "t.useful_duration.cfg", "t.user_functions.cfg"}) {
    EXPECT_TRUE(fs::exists(folder / name)) << name;
  }
}

TEST(ParaverWriter, HostsMayHaveAnyName) {
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=3\nrank 0 host=\"LEVEL NODE SIZE 7\"\n@1 +1 barrier\n"
      "rank 1 host=\"LEVEL THREAD SIZE 1\"\n@1 +1 barrier\nrank 2 host=n2\n@1 +1 barrier\n",
      "t");
  const ScratchFolder folder;
  write_paraver(trace, CallMatching(trace), folder / "t.prv");
  const Trace back = read(folder / "t.prv");
  EXPECT_EQ(back.rank_info(0).host, "LEVEL NODE SIZE 7");
  EXPECT_EQ(back.rank_info(1).host, "LEVEL THREAD SIZE 1");
  EXPECT_EQ(back.rank_info(2).host, "n2");
}

// The tags that Paraver's kernel knows (api/paraverlabels.h), as far as they are written.
TEST(ParaverWriter, ConfigurationsHaveTagsThatParaverKnows) {
  const std::set<std::string> known{"#ParaverCFG",
                                    "ConfigFile.Version:",
                                    "ConfigFile.NumWindows:",
                                    "window_name",
                                    "window_type",
                                    "window_id",
                                    "window_position_x",
                                    "window_position_y",
                                    "window_width",
                                    "window_height",
                                    "window_comm_lines_enabled",
                                    "window_flags_enabled",
                                    "window_noncolor_mode",
                                    "window_logical_filtered",
                                    "window_physical_filtered",
                                    "window_comm_fromto",
                                    "window_comm_tagsize",
                                    "window_comm_typeval",
                                    "window_units",
                                    "window_maximum_y",
                                    "window_minimum_y",
                                    "window_compute_y_max",
                                    "window_level",
                                    "window_scale_relative",
                                    "window_end_time_relative",
                                    "window_object",
                                    "window_begin_time_relative",
                                    "window_open",
                                    "window_drawmode",
                                    "window_drawmode_rows",
                                    "window_pixel_size",
                                    "window_labels_to_draw",
                                    "window_selected_functions",
                                    "window_compose_functions",
                                    "window_filter_module",
                                    "window_semantic_module"};
  for (const std::string& cfg :
       {paraver::mpi_calls_cfg(), paraver::user_functions_cfg(), paraver::useful_duration_cfg()}) {
    std::istringstream lines(cfg);
    for (std::string line; std::getline(lines, line);) {
      const std::string tag = line.substr(0, line.find(' '));
      if (tag.empty() || tag.starts_with("##") || tag == "<") continue;
      EXPECT_TRUE(known.contains(tag)) << line;
    }
  }
}

// The trace without its call paths, which are not written.
Trace without_call_paths(const Trace& trace) {
  std::istringstream lines(to_text(trace));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("frame ")) text += line.substr(0, line.find(" frame=")) + "\n";
  }
  return read_text(text, "without call paths");
}

// What others recorded, written by us and read again, has the same calls at the same times.
TEST(ParaverWriter, EpochComesBackEqual) {
  const fs::path traces = testing::shared_trace("");
  if (!fs::exists(traces)) GTEST_SKIP() << traces << " is not there; set SLACKLINE_SHARED";
  for (const char* name :
       {"epoch/epoch_1proc.prv.gz", "epoch/epoch_2proc.prv.gz", "epoch/epoch_4proc.prv.gz",
        "epoch/epoch_8proc.prv.gz", "ring4/ring.prv"}) {
    const Trace trace = read(traces / name);
    const Trace back = there_and_back(trace);
    EXPECT_TRUE(same_content(without_call_paths(trace), back)) << name;
    for (std::int32_t r = 0; r < trace.ranks(); ++r) {
      const RankCalls& a = trace.calls(r);
      const RankCalls& b = back.calls(r);
      ASSERT_EQ(a.stop_ns(), b.stop_ns());
      for (std::size_t i = 0; i <= a.size(); ++i) {
        ASSERT_EQ(a.useful_ns(i), b.useful_ns(i)) << name << " rank " << r << " call " << i;
        for (std::size_t c = 0; c < trace.counters().size(); ++c) {
          ASSERT_EQ(a.counter(c, i), b.counter(c, i));
        }
      }
    }
  }
}

}  // namespace
}  // namespace slackline
