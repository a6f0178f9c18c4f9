// Several processes say what one says, and stretch by stretch the same as of the whole run, to the
// last digit: random programs with times that are causal, modelled, or drawn at random (as if
// clocks disagreed), programs of which a rank is missing, and public traces where they are at hand.
// Processes are threads here; test/mpi has some of the same under both MPIs.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <string>

#include "analysis/efficiency/ideal_replay.h"
#include "analysis/efficiency/rank_efficiency.h"
#include "analysis/runs/modelled_trace.h"
#include "app/load/stretched_run.h"
#include "app/requests/efficiency.h"
#include "base/error.h"
#include "base/file.h"
#include "formats/native/pieces.h"
#include "formats/native/writer.h"
#include "formats/open/open.h"
#include "formats/testing/text_trace.h"
#include "parallel/testing/thread_processes.h"
#include "property/cases.h"
#include "report/writers.h"
#include "stretches/stretched_trace.h"
#include "timing/model_schedule.h"
#include "trace/testing/shared_traces.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr std::array kProcesses{1, 2, 3, 4, 7};

enum class Kind { causal, modelled, clocks_disagree, rank_missing };

Trace random_run(std::uint64_t seed, Kind kind) {
  const oracle::ProgramShape shape{
      .max_ranks = 9, .max_events = 120, .timed = kind != Kind::modelled, .synchronised = true};
  if (kind == Kind::modelled) {
    const testing::Case c = testing::seeded_case(seed, shape);
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
  explicit NativeFile(const Trace& trace) { write_native(trace, path_); }
  ~NativeFile() { fs::remove(path_); }
  NativeFile(const NativeFile&) = delete;
  NativeFile& operator=(const NativeFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  fs::path path_ =
      fs::temp_directory_path() / ("slackline-shared-" + std::to_string(getpid()) + ".slk");
};

/// The answer, or what is wrong.
std::string answer(const std::function<Report()>& execute_request) {
  try {
    return write_json(execute_request(), false);
  } catch (const Error& error) {
    return error.what();
  }
}

std::vector<EfficiencyRequest> requests(const std::string& path) {
  std::vector<EfficiencyRequest> all(3);
  for (EfficiencyRequest& request : all) request.traces = {path};
  all[1].interval = "program";
  all[1].causality = "data";
  all[2].rendezvous = "1KiB";
  return all;
}

void compare(const std::vector<EfficiencyRequest>& all) {
  for (const EfficiencyRequest& request : all) {
    const std::string alone = answer([&] { return execute(request); });
    for (const int count : kProcesses) {
      std::string together;
      try {
        run_as_processes(count, [&](ProcessGroup& group) {
          const Report report = execute(request, group);
          if (group.is_first()) together = write_json(report, false);
        });
      } catch (const Error& error) {
        together = error.what();
      }
      ASSERT_EQ(together, alone) << count << " processes";
    }
  }
}

std::vector<double> inputs_of(const Efficiency& e) {
  std::vector<double> all;
  for (const EfficiencyInputs& in : {e.inputs, e.analysed}) {
    all.insert(all.end(),
               {static_cast<double>(in.ranks), in.observed_ns, in.ideal_ns, in.useful_mean_ns,
                in.useful_max_ns, in.outside_max_ns, in.ideal_useful_max_ns,
                in.instructions.value_or(-1), in.cycles.value_or(-1)});
  }
  for (const std::int64_t useful : e.useful_ns) all.push_back(static_cast<double>(useful));
  return all;
}

/// Cut wherever it can be. Returns into how many stretches; 0 where only the whole trace tells.
std::size_t compare_stretches(const std::string& path) {
  SingleProcess alone;
  const MappedFile file(path);
  StretchedTrace trace(NativePieces(file.bytes(), path), alone);
  if (!trace.obstacle().empty()) return 0;
  trace.cut(1'000'000, alone);
  const OpenedTrace whole = open_trace(path);
  const CallMatching matching(whole.trace);
  const RunSpan span = run_span(whole.trace);
  EXPECT_EQ(run_span(trace.extents()).whole, span.whole);
  EXPECT_EQ(run_span(trace.extents()).common, span.common);
  const TimeInterval middle{span.whole.begin_ns + span.whole.length_ns() / 3,
                            span.whole.begin_ns + span.whole.length_ns() / 2};
  for (const TimeInterval& interval : {span.common, span.analysed, middle}) {
    for (const IdealOptions& options :
         {IdealOptions{}, IdealOptions{CollectiveCausality::data, 1024}}) {
      std::optional<EfficiencyPart> joined;
      for (std::size_t s = 0; s < trace.size(); ++s) {
        const std::optional<Stretch> stretch = trace.load(s);
        if (!stretch) return 0;
        const CallMatching own(stretch->trace);
        if (!own.findings().empty()) return 0;
        EfficiencyPart part = efficiency_part(
            stretch->trace, ideal_run(stretch->trace, own, options), span, interval, stretch->part);
        if (joined) {
          append_part(*joined, std::move(part));
        } else {
          joined = std::move(part);
        }
      }
      const Efficiency stretched = efficiency_of(*joined, trace.job(), span, interval);
      const Efficiency at_once = efficiency(whole.trace, matching, options, interval);
      EXPECT_EQ(inputs_of(stretched), inputs_of(at_once)) << trace.size() << " stretches";
    }
  }
  return trace.size();
}

/// Whether the processes do share the work on that trace.
bool is_shared(const std::string& path, int count) {
  bool shared = false;
  run_as_processes(count, [&](ProcessGroup& group) {
    const bool found = load_stretches({.trace = path}, group).has_value();
    if (group.is_first()) shared = found;
  });
  return shared;
}

class SharedWork : public ::testing::TestWithParam<Kind> {};

TEST_P(SharedWork, EqualsThatOfOneProcess) {
  constexpr std::uint64_t kPrograms = 40;
  std::uint64_t shared = 0;
  std::size_t stretches = 0;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    const NativeFile file(random_run(seed, GetParam()));
    compare(requests(file.path()));
    stretches += compare_stretches(file.path());
    if (HasFailure()) return;
    shared += is_shared(file.path(), 2) ? 1 : 0;
  }
  const bool sound = GetParam() == Kind::causal || GetParam() == Kind::modelled;
  if (sound) {
    EXPECT_GE(shared, kPrograms / 2);
    EXPECT_GE(stretches, 2 * kPrograms);
  }
}

std::string name_of(const ::testing::TestParamInfo<Kind>& kind) {
  constexpr std::array kNames{"Causal", "Modelled", "ClocksDisagree", "RankMissing"};
  return kNames[static_cast<std::size_t>(kind.param)];
}

INSTANTIATE_TEST_SUITE_P(Kinds, SharedWork,
                         ::testing::Values(Kind::causal, Kind::modelled, Kind::clocks_disagree,
                                           Kind::rank_missing),
                         name_of);

TEST(SharedWorkOn, PublicTraces) {
  const fs::path folder = testing::shared_trace("");
  if (!fs::exists(folder)) GTEST_SKIP() << "no public traces in " << folder;
  int tried = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    try {
      const OpenedTrace opened = open_trace(entry.path());
      if (!opened.trace.timed() || opened.trace.call_count() == 0) continue;
      SCOPED_TRACE(entry.path().string());
      ++tried;
      const NativeFile file(opened.trace);
      compare({requests(file.path()).front()});
    } catch (const Error&) {
      continue;  // no trace
    }
  }
  EXPECT_GT(tried, 0);
}

/// Two ranks send to each other first, which was eager in the run and is a deadlock above the
/// threshold. The third one has come to the barrier before: it is let go on, past the end of a
/// stretch.
TEST(SharedWorkOn, DeadlocksOfTheIdealNetwork) {
  const auto rank = [](int me, int other) {
    return fmt::format(
        "rank {}\n @0 +1 init\n @{} +5 barrier\n @100 +9 send to={} bytes=65536\n"
        " @300 +9 recv from={} bytes=65536\n @{} +50 barrier\n @{} +9 send to={} bytes=8\n"
        " @700 +9 recv from={} bytes=8\n @{} +50 barrier\n @{} +1 finalize\n",
        me, 10 + me, other, other, 500 + me, 600 + 30 * me, other, other, 800 + me, 900 + me);
  };
  const std::string third =
      "rank 2\n @0 +1 init\n @11 +5 barrier\n @50 +500 barrier\n @800 +50 barrier\n"
      " @900 +1 finalize\n";
  const NativeFile file(testing::timed_trace(3, rank(0, 1) + rank(1, 0) + third));
  compare(requests(file.path()));
  EXPECT_TRUE(is_shared(file.path(), 2)) << "it can be cut";
}

/// What belongs to the time between calls: counters and pauses, also around the collectives at
/// which the run is cut, and at the ends of the analysed interval.
TEST(SharedWorkOn, CountersAndPauses) {
  const auto rank = [](int me) {
    return fmt::format(
        "rank {} stop={}\n counted 5 1\n @10 +10 init\n counted 100 {}\n @100 +20 barrier\n"
        " @130 +7 pause no_processor\n counted {} 3\n @200 +20 barrier\n counted 77 0\n"
        " @{} +50 allreduce bytes=8\n @400 +3 pause blocked\n counted 13 1\n @500 +9 finalize\n"
        " counted 2 2\n",
        me, 520 + me, 40 + me, 200 + 100 * me, 300 + 10 * me);
  };
  const NativeFile file(
      testing::timed_trace(2, "counter 0 PAPI_TOT_INS\ncounter 1 ru_nivcsw\n" + rank(0) + rank(1)));
  compare(requests(file.path()));
  EXPECT_EQ(compare_stretches(file.path()), 4u);
  EXPECT_TRUE(is_shared(file.path(), 2));
}

TEST(SharedWorkOn, ProcessesWithUnequalMemory) {
  std::string barriers;
  for (int i = 0; i < 200; ++i) barriers += fmt::format(" @{} +50 barrier\n", 100 * i);
  const NativeFile file(testing::timed_trace(2, "rank 0\n" + barriers + "rank 1\n" + barriers));
  EfficiencyRequest request = requests(file.path()).front();
  const std::string alone = answer([&] { return execute(request); });
  std::string together;
  run_as_processes(3, [&](ProcessGroup& group) {
    EfficiencyRequest own = request;
    own.run.reading.memory = group.rank() == 1 ? "16KiB" : "1GiB";
    const Report report = execute(own, group);
    if (group.is_first()) together = write_json(report, false);
  });
  EXPECT_EQ(together, alone);
}

TEST(SharedWorkOn, DifferentFilesIsAnError) {
  const NativeFile one(random_run(1, Kind::causal));
  const std::string copy = one.path() + ".other";
  write_native(random_run(2, Kind::causal), copy);
  EXPECT_THROW(run_as_processes(3,
                                [&](ProcessGroup& group) {
                                  const bool other = group.rank() == 2;
                                  EfficiencyRequest request;
                                  request.traces = {other ? copy : one.path()};
                                  execute(request, group);
                                }),
               Error);
  fs::remove(copy);
}

}  // namespace
}  // namespace slackline
