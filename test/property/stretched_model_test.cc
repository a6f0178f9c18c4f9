// What the model says of a run is the same, to the last digit, whether its trace is read whole or
// in stretches that are cut wherever that is possible, by one process or several (which are threads
// here): for random programs, on networks of small and large parameters, with and without links
// that messages occupy, and for public traces, if there are any on this machine.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "analysis/model/prediction.h"
#include "analysis/model/sensitivity.h"
#include "analysis/runs/measured.h"
#include "app/options/model_options.h"
#include "app/requests/model_requests.h"
#include "base/error.h"
#include "base/file.h"
#include "base/packed.h"
#include "formats/native/pieces.h"
#include "formats/open/open.h"
#include "formats/testing/text_trace.h"
#include "parallel/process_group.h"
#include "parallel/testing/thread_processes.h"
#include "property/native_runs.h"
#include "report/report.h"
#include "report/writers.h"
#include "stretches/stretched_trace.h"
#include "timing/reduction/reduced_graph.h"
#include "trace/testing/shared_traces.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using testing::answer;
using testing::Kind;
using testing::NativeFile;
using testing::random_run;

/// Parameters from none to far more than any computation of random programs, as texts.
ModelOptions random_network(std::uint64_t seed) {
  oracle::Choices choices(seed, 20);
  const auto text = [&](const auto& texts) { return std::string(choices.element(texts)); };
  ModelOptions model;
  model.latency = text(std::array{"0ns", "1ns", "3us", "1.234567us", "10ms"});
  model.overhead = text(std::array{"0ns", "1ns", "500ns", "0.333ns", "1ms"});
  model.gap_per_byte = text(std::array{"0ns/B", "0.018ns/B", "1ns/B", "0.000333ns/B", "2us/B"});
  model.eager_threshold = text(std::array{"256KiB", "0", "100", "4KiB", "unlimited"});
  model.rendezvous = text(std::array{"handshake", "rdma-read", "sync", "loggopsim"});
  model.occupancy = text(std::array{"links", "none"});
  if (choices.one_in(3)) model.collectives = {"mpich"};
  return model;
}

/// All but the memory per call, which is the request's own.
template <class Request>
void set_input(Request& request, const ModelRequest& input) {
  const std::uint32_t bytes = request.input.reading.bytes_per_call;
  request.input = input;
  request.input.reading.bytes_per_call = bytes;
}

std::vector<PredictRequest> predictions(const ModelRequest& input) {
  std::vector<PredictRequest> all(2);
  for (PredictRequest& request : all) set_input(request, input);
  all[1].left = true;
  return all;
}

std::vector<ToleranceRequest> tolerances_of(const ModelRequest& input) {
  std::vector<ToleranceRequest> all(3);
  for (std::size_t i = 0; i < all.size(); ++i) {
    set_input(all[i], input);
    all[i].cache.none = true;
    all[i].parameter = std::array{"L", "o", "G"}[i];
  }
  all[2].degradations = {"0%", "3%", "70%", "1000%"};
  return all;
}

std::vector<SensitivityRequest> sensitivities(const ModelRequest& input) {
  std::vector<SensitivityRequest> all(1);
  set_input(all[0], input);
  all[0].cache.none = true;
  return all;
}

/// How often the graph was looked at depends on where it lies.
std::string without_passes(const std::string& json) {
  return std::regex_replace(json, std::regex("\"passes\": [0-9]+"), "\"passes\": 0");
}

constexpr std::array kProcesses{1, 2, 3, 4, 7};

/// The answer of several processes; sets `shared` to whether they shared the work.
template <class Request>
std::string answer_of_processes(int count, const Request& request, bool& shared) {
  return answer([&] {
    Report first;
    run_as_processes(count, [&](ProcessGroup& group) {
      Report report = execute(request, group);
      if (!group.is_first()) return;
      shared = count > 1 && group.unshared().empty();
      first = std::move(report);
    });
    return first;
  });
}

/// With as little memory as there are places to cut for. How many answers in stretches there were;
/// those that only the whole trace gives are refused.
template <class Request>
std::size_t compare(const std::vector<Request>& requests) {
  std::size_t compared = 0;
  for (Request request : requests) {
    const std::string whole = answer([&] { return execute(request); });
    const std::uint32_t bytes_per_call = request.input.reading.bytes_per_call;
    const MappedFile file(request.input.trace);
    const NativePieces pieces(file.bytes(), request.input.trace);
    for (std::uint64_t calls = 1; 4 * calls < pieces.call_count(); calls += 1 + calls / 4) {
      request.input.reading.memory =
          fmt::format("{}B", 2 * (pieces.details_bytes() + calls * bytes_per_call));
      const std::string stretched = answer([&] { return execute(request); });
      if (stretched.find("cannot be read in stretches") != std::string::npos) continue;
      if (std::is_same_v<Request, SensitivityRequest>) {
        EXPECT_EQ(without_passes(stretched), without_passes(whole));
      } else {
        EXPECT_EQ(stretched, whole);
      }
      ++compared;
      break;
    }
  }
  return compared;
}

std::size_t compare_all(const ModelRequest& input) {
  return compare(predictions(input)) + compare(tolerances_of(input)) +
         compare(sensitivities(input));
}
constexpr std::size_t kRequests = 6;

/// The same for several processes that share the work, with plenty of memory, and with little,
/// which is refused if there are too few places to cut. Returns how many answers were shared.
template <class Request>
std::size_t compare_shared(const std::vector<Request>& requests) {
  std::size_t shared = 0;
  for (const Request& request : requests) {
    const std::string whole = answer([&] { return execute(request); });
    for (const int count : kProcesses) {
      for (const char* memory : {"", "24KiB"}) {
        if (*memory != '\0' && count > 3) continue;
        Request own = request;
        own.input.reading.memory = memory;
        bool is_shared = false;
        const std::string together = answer_of_processes(count, own, is_shared);
        if (together.find("cannot be read in stretches") != std::string::npos) continue;
        if (*memory == '\0') {
          EXPECT_EQ(together, whole) << count << " processes";
        } else {
          EXPECT_EQ(without_passes(together), without_passes(whole)) << count << " processes";
        }
        if (is_shared) ++shared;
      }
    }
  }
  return shared;
}

/// A trace that is cut wherever it can be.
struct CutEverywhere {
  StretchedTrace& trace;
  const GraphOptions& options;

  /// Calls use(number, stretch, its graph) for all stretches. False if a graph has findings: then
  /// it may not be the one of the whole run.
  template <class Use>
  bool for_each(Use use) {
    for (std::size_t s = 0; s < trace.size(); ++s) {
      const std::optional<Stretch> stretch = trace.load(s);
      if (!stretch) return false;
      const ExecutionGraph graph = build_graph(stretch->trace, options, stretch->part);
      if (!graph.findings().empty()) return false;
      use(s, *stretch, graph);
    }
    return true;
  }
};

/// Copies the state of `from` to `to`, as from process to process.
void carry(PredictionInParts& from, PredictionInParts& to) {
  if (&from == &to) return;
  Bytes bytes;
  pack(bytes, from);
  std::span<const std::byte> rest(bytes);
  unpack(rest, to);
  EXPECT_TRUE(rest.empty());
}

/// By `count` objects, which take the stretches in turn.
std::optional<Prediction> predict_cut_everywhere(CutEverywhere cut, const ModelChoice& choice,
                                                 Side side, std::size_t count) {
  std::vector<PredictionInParts> objects(count,
                                         PredictionInParts(choice, cut.trace.job().ranks(), side));
  std::size_t at = 0;
  const auto object_of = [&](std::size_t number) -> PredictionInParts& {
    const std::size_t object = number % count;
    carry(objects[std::exchange(at, object)], objects[object]);
    return objects[object];
  };
  if (!cut.for_each([&](std::size_t number, const Stretch& stretch, const ExecutionGraph& graph) {
        object_of(number).add(stretch.trace, graph, stretch.part, number);
      })) {
    return std::nullopt;
  }
  for (std::size_t s = cut.trace.size() - 1; s-- > 0;) {
    const std::optional<Stretch> stretch = cut.trace.load(s);
    object_of(s).add_again(stretch->trace, build_graph(stretch->trace, cut.options, stretch->part),
                           stretch->part, s);
  }
  return std::move(objects[at]).finish();
}

ReducedLogGPS reduce_cut_everywhere(CutEverywhere cut, std::uint64_t bytes_in_memory) {
  ReducedLogGPSWriter all;
  PartReduction reduction;
  ReducedLogGPSWriter& lists = reduction.lists();
  EXPECT_TRUE(
      cut.for_each([&](std::size_t number, const Stretch& stretch, const ExecutionGraph& graph) {
        EXPECT_TRUE(reduction.add(graph, stretch.part, number));
        lists.renumber_wide(all.wide().size());
        all.append(lists.nodes());
        all.append(lists.edges());
        all.append(lists.wide());
        all.spill_beyond(bytes_in_memory);
        lists.clear();
      }));
  return std::move(all).finish(reduction.slots());
}

std::string answer_of(const Tolerances& found) {
  return write_json(describe(found), false);
}

Tolerances tolerances_by(const ReducedProgram& program, const LogGPS& model, Parameter parameter) {
  MakespanFunction makespan(program, model, parameter);
  return tolerances(makespan, parameter, {0, 10'000, 50'000, 2'000'000});
}

/// Returns into how many stretches it was cut; 0 where only the whole trace tells.
std::size_t compare_cut_everywhere(const std::string& path, const ModelChoice& choice) {
  SingleProcess alone;
  const MappedFile file(path);
  StretchedTrace trace(NativePieces(file.bytes(), path), alone);
  if (!trace.obstacle().empty()) return 0;
  trace.cut(1'000'000, alone);
  const OpenedTrace whole = open_trace(path);
  const ExecutionGraph graph = build_graph(whole.trace, choice.graph);
  for (const Side side : {Side::right, Side::left}) {
    const Prediction at_once = predict(whole.trace, graph, choice, side);
    for (const std::size_t objects : {std::size_t{1}, std::size_t{3}}) {
      std::optional<Prediction> stretched =
          predict_cut_everywhere({trace, choice.graph}, choice, side, objects);
      if (!stretched) return 0;
      stretched->measured = measured_run(whole.trace);
      EXPECT_EQ(write_json(describe(*stretched, trace.job()), false),
                write_json(describe(at_once, whole.trace), false))
          << trace.size() << " stretches, " << objects << " objects";
    }
  }
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1} << 30}) {
    const ReducedProgram reduced(reduce_cut_everywhere({trace, choice.graph}, bytes));
    for (const Parameter parameter :
         {Parameter::latency, Parameter::overhead, Parameter::gap_per_byte}) {
      EXPECT_EQ(answer_of(tolerances_by(reduced, choice.model, parameter)),
                answer_of(tolerances_by(ReducedProgram(graph), choice.model, parameter)))
          << trace.size() << " stretches";
    }
  }
  return trace.size();
}

std::size_t compare_all_shared(const ModelRequest& input) {
  return compare_shared(predictions(input)) + compare_shared(tolerances_of(input)) +
         compare_shared(sensitivities(input));
}
/// With plenty of memory, all of several processes.
constexpr std::size_t kLeastShared = kRequests * (kProcesses.size() - 1);

class StretchedModel : public ::testing::TestWithParam<Kind> {};

TEST_P(StretchedModel, EqualsThatOfTheWholeRun) {
  constexpr std::uint64_t kPrograms = 150;
  std::size_t compared = 0;
  std::size_t shared = 0;
  std::size_t stretches = 0;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    const NativeFile file(random_run(seed, GetParam()));
    const ModelOptions network = random_network(seed);
    stretches += compare_cut_everywhere(file.path(), resolve_model(network));
    const ModelRequest input{.trace = file.path(), .model = network};
    if (seed % 10 == 0) compared += compare_all(input);
    if (seed % 10 == 1) shared += compare_all_shared(input);
    if (HasFailure()) return;
  }
  const bool sound = GetParam() == Kind::causal || GetParam() == Kind::modelled;
  if (sound) {
    EXPECT_GT(compared, 0u);
    EXPECT_GE(shared, kPrograms / 10 * kRequests);
    EXPECT_GE(stretches, 2 * kPrograms);
  }
  RecordProperty("shared", static_cast<int>(shared));
  RecordProperty("stretches", static_cast<int>(stretches));
}

INSTANTIATE_TEST_SUITE_P(Kinds, StretchedModel, ::testing::ValuesIn(testing::kKinds),
                         testing::name_of_kind);

/// Messages that take a link one after the other queue up over a barrier: what is sent first after
/// it waits for what was sent last before.
TEST(StretchedModelOn, LinksThatAreBusyOverACut) {
  std::string text;
  constexpr int kRanks = 3;
  for (int me = 0; me < kRanks; ++me) {
    text += fmt::format("rank {}\n @0 +1 init\n", me);
    int request = 1;
    for (int step = 0; step < 6; ++step) {
      const int at = 1000 * step;
      for (int other = 0; other < kRanks; ++other) {
        if (other == me) continue;
        const int bytes = 2000 * (1 + (me + step) % 3);
        const int from = 2000 * (1 + (other + step) % 3);
        text += fmt::format(" @{} +1 irecv from={} bytes={} req={}\n", at + 10 + 30 * other, other,
                            from, request++);
        text += fmt::format(" @{} +1 isend to={} bytes={} req={}\n", at + 20 + 30 * other, other,
                            bytes, request++);
      }
      text += fmt::format(" @{} +100 waitall reqs={},{},{},{}\n", at + 130 + me, request - 4,
                          request - 3, request - 2, request - 1);
      if (step == 3) continue;
      text += fmt::format(" @{} +300 {}\n", at + 400,
                          step % 2 == 0 ? "barrier" : "alltoall bytes=5000");
    }
    text += " @7000 +1 finalize\n";
  }
  const NativeFile file(testing::timed_trace(kRanks, text));
  for (const char* gap : {"0.01ns/B", "1ns/B", "50ns/B"}) {
    for (const char* threshold : {"0", "3000", "unlimited"}) {
      for (const char* rendezvous : {"handshake", "rdma-read", "sync"}) {
        ModelRequest input{.trace = file.path()};
        input.model.gap_per_byte = gap;
        input.model.eager_threshold = threshold;
        input.model.rendezvous = rendezvous;
        EXPECT_EQ(compare_cut_everywhere(file.path(), resolve_model(input.model)), 6u)
            << gap << " " << threshold << " " << rendezvous;
      }
    }
  }
}

/// A rank comes last to an alltoall, finds all messages there, and goes on while its own are still
/// leaving: the path leads from the message that it sends next back behind them.
TEST(StretchedModelOn, PathsOverBusyLinks) {
  std::string text;
  constexpr int kRanks = 5;
  for (int me = 0; me < kRanks; ++me) {
    text += fmt::format("rank {}\n @0 +1 init\n", me);
    for (int step = 1; step < 9; ++step) {
      const int at = 1'000'000 * step;
      const int late = step % kRanks;
      const int begin = at + (me == late ? 500'000 : 100);
      text += fmt::format(" @{} +{} alltoall bytes=5000\n", begin, at + 600'000 - begin);
      for (int k = 1; k < kRanks && me == late; ++k) {
        text += fmt::format(" @{} +1 send to={} bytes=3000\n", at + 600'010 + k, (me + k) % kRanks);
      }
      if (me != late)
        text += fmt::format(" @{} +90000 recv from={} bytes=3000\n", at + 600'005, late);
    }
    text += " @9500000 +1 finalize\n";
  }
  const NativeFile file(testing::timed_trace(kRanks, text));
  for (const char* gap : {"0.01ns/B", "1ns/B", "20ns/B", "200ns/B"}) {
    ModelRequest input{.trace = file.path()};
    input.model.gap_per_byte = gap;
    input.model.eager_threshold = "unlimited";
    input.model.collectives = {"alltoall=linear"};
    EXPECT_EQ(compare_cut_everywhere(file.path(), resolve_model(input.model)), 9u);
    EXPECT_EQ(compare_all(input), kRequests) << gap;
    EXPECT_GE(compare_all_shared(input), kLeastShared) << gap;
  }
}

/// Computation of more than 4.3 s and messages of more than 4.3 GB: their counts do not fit in the
/// 16 bytes of an edge.
TEST(StretchedModelOn, CountsBeyond32Bits) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::string text;
  for (int me = 0; me < 3; ++me) {
    text += fmt::format("rank {}\n @0 +1 init\n", me);
    for (int step = 1; step < 9; ++step) {
      const std::int64_t at = 30 * step * kSecond;
      const std::int64_t bytes = (5 + step % 3) * kSecond + step;
      if (me == step % 3)
        text += fmt::format(" @{} +9 send to={} bytes={}\n", at, (me + 1) % 3, bytes);
      if (me == (step + 1) % 3)
        text += fmt::format(" @{} +9 recv from={} bytes={}\n", at + 5, step % 3, bytes);
      const std::int64_t enter = at + (5 + (me + step) % 4) * kSecond + 7 * me;
      text += fmt::format(" @{} +{} barrier\n", enter, at + 10 * kSecond - enter);
    }
    text += fmt::format(" @{} +1 finalize\n", 300 * kSecond);
  }
  const NativeFile file(testing::timed_trace(3, text));
  for (const char* gap : {"0.01ns/B", "1ns/B"}) {
    ModelRequest input{.trace = file.path()};
    input.model.gap_per_byte = gap;
    EXPECT_EQ(compare_cut_everywhere(file.path(), resolve_model(input.model)), 9u);
    EXPECT_EQ(compare_all(input), kRequests) << gap;
    EXPECT_GE(compare_all_shared(input), kLeastShared) << gap;
  }
}

/// Time off the processor and what recording took count, or not, by what the whole run has of them.
TEST(StretchedModelOn, PausesAndRecording) {
  std::string text;
  for (int me = 0; me < 2; ++me) {
    text += fmt::format(
        "rank {}\n recording barrier 3 4\n recording init 5 6\n"
        " @0 +10 init\n @100 +20 barrier\n",
        me);
    if (me == 1) text += " @130 +60 pause no_processor\n";
    text += fmt::format(
        " @200 +20 barrier\n @230 +3 pause recording\n @300 +50 allreduce bytes=8\n"
        " @400 +{} pause blocked\n @500 +9 finalize\n",
        3 + me);
  }
  const NativeFile file(testing::timed_trace(2, text));
  for (const char* computation : {"auto", "wall", "cpu"}) {
    ModelRequest input{.trace = file.path()};
    input.model.computation = computation;
    EXPECT_EQ(compare_all(input), kRequests) << computation;
    EXPECT_GE(compare_all_shared(input), kLeastShared) << computation;
  }
}

/// Which send is modelled as eager to break the deadlock depends on all ranks: only the whole trace
/// tells.
TEST(StretchedModelOn, DeadlocksUnderTheModelAreRefused) {
  const auto rank = [](int me) {
    return fmt::format(
        "rank {}\n @0 +1 init\n @10 +5 barrier\n @20 +5 barrier\n @30 +5 barrier\n"
        " @40 +5 barrier\n @50 +5 barrier\n @100 +9 send to={} bytes=65536\n"
        " @300 +9 recv from={} bytes=65536\n @500 +50 barrier\n @900 +1 finalize\n",
        me, 1 - me, 1 - me);
  };
  const NativeFile file(testing::timed_trace(2, rank(0) + rank(1)));
  ModelRequest input{.trace = file.path()};
  EXPECT_EQ(compare_all(input), kRequests);
  EXPECT_GE(compare_all_shared(input), kLeastShared);
  input.model.eager_threshold = "1KiB";
  EXPECT_EQ(compare_all(input), 0u);
  EXPECT_EQ(compare_all_shared(input), 0u);
}

/// They are found stretch by stretch, and the worst of all is named. If several are equally bad,
/// only the whole trace tells which one is named, so the run is not read in stretches.
TEST(StretchedModelOn, MessagesThatRunBackInTime) {
  for (const int step_ns : {7, 0}) {
    std::string text;
    for (int me = 0; me < 2; ++me) {
      text += fmt::format("rank {}\n @0 +1 init\n", me);
      for (int step = 1; step < 9; ++step) {
        const int at = 1000 * step;
        const int late = 100 + step_ns * (step * 5 % 9);
        const int tag = step;
        if (me == 0) text += fmt::format(" @{} +9 send to=1 tag={} bytes=8\n", at + late, tag);
        if (me == 1) text += fmt::format(" @{} +9 recv from=0 tag={} bytes=8\n", at, tag);
        text += fmt::format(" @{} +50 barrier\n", at + 500);
      }
      text += " @9900 +1 finalize\n";
    }
    const NativeFile file(testing::timed_trace(2, text));
    const ModelRequest input{.trace = file.path()};
    EXPECT_EQ(compare_all(input), step_ns > 0 ? kRequests : 0);
    const std::size_t shared = compare_all_shared(input);
    if (step_ns > 0) {
      EXPECT_GE(shared, kLeastShared);
    } else {
      EXPECT_EQ(shared, 0u);
    }
    EXPECT_NE(
        answer([&] { return execute(predictions(input).front()); }).find("causality_violated"),
        std::string::npos);
  }
}

/// Which call of the target is on the path depends on the order in which the model walks the ranks,
/// which is not the same in stretches. T does not depend on it.
TEST(StretchedModelOn, OneSidedRequests) {
  std::string text;
  for (int me = 0; me < 2; ++me) {
    text += fmt::format("rank {}\n @0 +1 init\n", me);
    for (int step = 1; step < 6; ++step) {
      const int at = 1000 * step;
      text += fmt::format(" @{} +5 barrier\n @{} +5 win_create\n @{} +5 win_fence\n", at, at + 10,
                          at + 20);
      text += fmt::format(" @{} +5 get target={} bytes=5001\n @{} +5 win_fence\n @{} +5 win_free\n",
                          at + 30, 1 - me, at + 40, at + 50);
    }
    text += " @7000 +1 finalize\n";
  }
  const NativeFile file(testing::timed_trace(2, text));
  const ModelRequest input{.trace = file.path()};
  EXPECT_EQ(compare(predictions(input)), 0u);
  EXPECT_EQ(compare(tolerances_of(input)), 3u);
  EXPECT_EQ(compare_shared(predictions(input)), 0u);
  EXPECT_GE(compare_shared(tolerances_of(input)), 3 * (kProcesses.size() - 1));
}

TEST(StretchedModelOn, PublicTraces) {
  constexpr std::uint64_t kMostCalls = 200'000;
  std::size_t tried = 0;
  std::size_t compared = 0;
  std::size_t shared = 0;
  testing::for_each_public_run([&](const Trace& trace) {
    if (trace.call_count() > kMostCalls) return;
    ++tried;
    const NativeFile file(trace);
    compared += compare_all({.trace = file.path()});
    shared += compare_all_shared({.trace = file.path()});
  });
  if (tried == 0) GTEST_SKIP() << "no public traces in " << testing::shared_trace("");
  EXPECT_GT(compared, 0u);
  EXPECT_GT(shared, 0u);
}

}  // namespace
}  // namespace slackline
