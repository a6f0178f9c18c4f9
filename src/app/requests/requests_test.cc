// Requests as a caller without a command line fills them in.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "app/requests/advise.h"
#include "app/requests/model_requests.h"
#include "app/requests/platform.h"
#include "app/requests/query.h"
#include "app/requests/report.h"
#include "app/requests/run_requests.h"
#include "app/requests/simulate.h"
#include "app/requests/trace_requests.h"
#include "base/error.h"
#include "base/file.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"
#include "calls/findings.h"
#include "report/report.h"
#include "timing/link_load.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Rank 0 computes 1 us and sends a message, which rank 1 waits for.
constexpr const char* kProgram =
    "num_ranks 2\nrank 0 {\nc: calc 1000\ns: send 8b to 1\ns requires c\n}\n"
    "rank 1 {\nr: recv 8b from 0\n}\n";

class Requests : public ::testing::Test {
 protected:
  Requests() {
    input_.trace = (folder_ / "pair.goal").string();
    input_.model.latency = "3us";
    input_.model.overhead = "1us";
    input_.model.gap_per_byte = "0ns/B";
    write_file(input_.trace, kProgram);
    ::testing::internal::CaptureStdout();
  }
  ~Requests() override {
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "") << "only the command line prints";
  }

  ScratchFolder folder_;
  ModelRequest input_;
};

template <class Request>
std::string refusal(const Request& request) {
  try {
    execute(request);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), 2);
    return error.what();
  }
  return "";
}

TEST_F(Requests, GiveAReportThatSaysWhatItIsAbout) {
  const Report report = execute(PredictRequest{.input = input_});
  EXPECT_EQ(report.command, "predict");
  EXPECT_EQ(report.title, "predict: pair.goal (2 ranks)");
  EXPECT_EQ(report.input["path"].as_string(), input_.trace);
  EXPECT_EQ(report.options["L_ns"].as_double(), 3000);
  // Computation, o, L, o.
  EXPECT_EQ(report.result["makespan_ns"].as_double(), 1000 + 1000 + 3000 + 1000);
}

// Rank 1 receives from 10 ns on what rank 0 sends at 1010 ns.
TEST_F(Requests, QueryWaitsAndTheCriticalPath) {
  QueryRequest request{.trace = (folder_ / "late.slt").string()};
  write_file(request.trace,
             "slackline-trace 1 timed ranks=2\n"
             "rank 0\n@0 +10 init\n@1010 +10 send to=1 tag=0 bytes=8\n@1100 +10 finalize\n"
             "rank 1\n@0 +10 init\n@10 +1020 recv from=0 tag=0 bytes=8\n@1100 +10 finalize\n");
  const auto row = [&](const char* sql) {
    request.sql = sql;
    return json_text(execute(request).result["rows"]);
  };
  EXPECT_EQ(row("SELECT rank, begin_ns, wait_ns, cause_rank FROM waits "
                "WHERE pattern = 'late_sender' AND effective"),
            "[[1,10,1000,0]]");
  EXPECT_EQ(row("SELECT sum(end_ns - begin_ns), min(begin_ns), max(end_ns) FROM Critical_Path"),
            "[[1110,0,1110]]");
  EXPECT_EQ(row("SELECT count(*) FROM samples"), "[[0]]");
}

// Rank 1 starts at 700 ns, and rank 0 waits for it: until then the path is no computation.
TEST_F(Requests, QueryALateStart) {
  QueryRequest request{.trace = (folder_ / "late.slt").string()};
  write_file(request.trace,
             "slackline-trace 1 timed ranks=2\n"
             "rank 0\n@0 +10 init\n@110 +690 barrier\n@1000 +10 finalize\n"
             "rank 1 start=700\n@700 +10 init\n@790 +10 barrier\n@1000 +10 finalize\n");
  request.sql = "SELECT rank, operation, end_ns - begin_ns FROM critical_path WHERE end_ns <= 790";
  EXPECT_EQ(json_text(execute(request).result["rows"]),
            R"([[1,"late start",700],[1,"MPI_Init",10],[1,"computation",80]])");
}

TEST_F(Requests, MeanTheDefaultsByEmptyMembers) {
  ToleranceRequest request{.input = input_};
  EXPECT_EQ(json_text(execute(request).options["degrade"]), "[0.01,0.02,0.05]");
  request.degradations = {"50%"};
  EXPECT_EQ(json_text(execute(request).options["degrade"]), "[0.5]");
}

// Rank 0 computes 1 us while the reduction is under way, rank 1 starts it at 400 ns and computes
// 500 ns: on an ideal network that takes 1 us, and 1.4 us if ranks waited where it starts.
TEST_F(Requests, WriteNonblockingCollectivesSoThatComputationOverlaps) {
  const std::string program = (folder_ / "overlap.txt").string();
  write_file(program,
             "slackline-trace 1 untimed ranks=2\n"
             "rank 0\n iallreduce bytes=8 elem=8 req=1\n compute 1000\n wait req=1\n"
             "rank 1\n compute 400\n iallreduce bytes=8 elem=8 req=1\n compute 500\n wait req=1\n");
  ConvertRequest convert{.input = input_, .out = (folder_ / "overlap.ti").string()};
  convert.input.trace = program;
  execute(convert);
  PredictRequest predict{.input = input_};
  predict.input.model.latency = predict.input.model.overhead = "0ns";
  for (const std::string& path : {program, convert.out}) {
    predict.input.trace = path;
    EXPECT_EQ(execute(predict).result["makespan_ns"].as_double(), 1000) << path;
  }
}

// GOAL has no synchronous sends: the sender of the file does not wait until the receive comes.
TEST_F(Requests, ConvertTellsWhatTheWrittenFilePredictsOtherwise) {
  const std::string program = (folder_ / "modes.slt").string();
  write_file(program,
             "slackline-trace 1 untimed ranks=2\n"
             "rank 0\n ssend to=1 bytes=8\n compute 1000000\n send to=1 tag=1 bytes=8\n"
             "rank 1\n compute 3000000\n recv from=0 bytes=8\n recv from=0 tag=1 bytes=8\n");
  const auto differences = [&](const char* name) {
    ConvertRequest convert{.input = input_, .out = (folder_ / name).string()};
    convert.input.trace = program;
    convert.input.model.latency = convert.input.model.overhead = "0ns";
    const Report report = execute(convert);
    std::vector<std::string> found;
    for (const Findings::Entry& entry : report.findings.entries()) {
      if (entry.name == "prediction_differs") found = entry.examples;
    }
    return found;
  };
  EXPECT_THAT(differences("modes.goal"), ::testing::ElementsAre("-25 % of 4.000 ms"));
  EXPECT_TRUE(differences("modes.txt").empty());
}

TEST_F(Requests, AreRefusedByNameOfTheirOption) {
  PredictRequest wrong{.input = input_};
  wrong.input.model.latency = "3 parsecs";
  EXPECT_THAT(refusal(wrong), HasSubstr("latency L"));
  EfficiencyRequest unknown{.traces = {input_.trace}};
  unknown.run.on = "imagined";
  EXPECT_THAT(refusal(unknown), HasSubstr("unknown value 'imagined' for --on"));
  EXPECT_THAT(refusal(CriticalPathRequest{.input = input_, .on = "imagined"}),
              HasSubstr("unknown value 'imagined' for --on"));
  EXPECT_THAT(refusal(PlatformRequest{.file = "none.xml", .route = {"a"}}),
              HasSubstr("two hosts are needed"));
}

TEST_F(Requests, RefuseNoiseThatIsNoneAndSeedsWithoutNoise) {
  SimulateRequest request{.trace = (folder_ / "two.ti").string(),
                          .machine = {.platform = (folder_ / "two.toml").string()}};
  write_file(request.trace, "0 init\n0 compute 1e9\n1 init\n");
  write_file(request.machine.platform,
             "[[cluster]]\nname = \"c\"\nhosts = \"n[0-1]\"\nspeed = \"1Gf\"\n"
             "bandwidth = \"1GBps\"\nlatency = \"1us\"\n");
  EXPECT_EQ(refusal(request), "");
  const auto why = [&](std::optional<std::string> noise, std::uint64_t seed,
                       const std::string& sweep) {
    request.machine.noise = std::move(noise);
    request.machine.seed = seed;
    request.sweep = sweep;
    return refusal(request);
  };
  for (const char* noise : {"", "distribution=exponential"}) {
    EXPECT_THAT(why(noise, 1, ""), HasSubstr("it has neither amplitude nor messages"));
  }
  EXPECT_THAT(why("distribution=gauss amplitude=1us", 1, ""),
              HasSubstr("cannot use distribution=gauss in '--noise'"));
  EXPECT_THAT(why({}, 2, ""), HasSubstr("cannot use --seed: there is no noise"));
  EXPECT_THAT(why({}, 1, "seed=1,2"), HasSubstr("cannot sweep over 'seed': there is no noise"));
  EXPECT_EQ(why("amplitude=5%", 2, "seed=1,2"), "");
}

TEST_F(Requests, WriteTheFilesThatTheyName) {
  const fs::path out = folder_ / "pair.txt";
  const Report report = execute(ConvertRequest{.input = input_, .out = out.string()});
  EXPECT_EQ(report.result["format"].as_string(), "text");
  EXPECT_EQ(execute(InfoRequest{.trace = out.string()}).result["ranks"].as_int(), 2);
}

// Computation and 2 o + L, of which the machine's file has intervals; a parameter that is given has
// none.
TEST_F(Requests, CarryTheIntervalsOfACalibration) {
  const fs::path machine = folder_ / "machine.toml";
  write_file(
      machine,
      "[machine]\nversion = 1\n[loggps]\nL = \"3us\"\no = \"1us\"\nG = \"0ns/B\"\nS = \"1MiB\"\n"
      "[intervals]\nL_ns = { value = 3000.0, low = 2000.0, high = 5000.0 }\n"
      "o_ns = { value = 1000.0, low = 500.0, high = 2000.0 }\n"
      "G_ns_per_byte = { value = 0.0, low = 0.0, high = 0.0 }\n");
  input_.model = {.machine = machine.string()};
  const auto interval = [](const Report& report) {
    const Json& found = report.result["intervals"][0]["makespan_ns"];
    return std::pair(found["low"].as_double(), found["high"].as_double());
  };
  EXPECT_EQ(interval(execute(PredictRequest{.input = input_})),
            std::pair(1000. + 2 * 500 + 2000, 1000. + 2 * 2000 + 5000));
  const Report whatif = execute(WhatifRequest{.input = input_, .edits = {"remove-messages"}});
  EXPECT_EQ(whatif.result["saved"]["low_ns"].as_double(), 2 * 500 + 2000);
  EXPECT_EQ(whatif.result["saved"]["high_ns"].as_double(), 2 * 2000 + 5000);
  input_.model.latency = "3us";
  EXPECT_EQ(interval(execute(PredictRequest{.input = input_})),
            std::pair(1000. + 2 * 500 + 3000, 1000. + 2 * 2000 + 3000));
}

// 10 MB in 100 pieces: no faster than at once, and where links are not occupied, more than one
// carries.
TEST_F(Requests, EditsThatExceedALinkSaySo) {
  const std::string path = (folder_ / "large.slt").string();
  write_file(path,
             "slackline-trace 1 timed ranks=2\n"
             "rank 0\n init\n @100 +200000 send to=1 bytes=10000000\n @300000 finalize\n"
             "rank 1\n init\n @100 +200000 recv from=0 bytes=10000000\n @300000 finalize\n");
  WhatifRequest request{.input = input_, .edits = {"split-messages parts=100"}};
  request.input.trace = path;
  request.input.model.gap_per_byte = "0.018ns/B";
  request.input.model.eager_threshold = "unlimited";
  const Report linked = execute(request);
  EXPECT_EQ(linked.findings.count(kLinkExceeded), 0u);
  EXPECT_NEAR(linked.result["after"]["makespan_ns"].as_double(),
              linked.result["before"]["makespan_ns"].as_double(), 2);  // 99 first bytes
  request.input.model.occupancy = kNoOccupancy;
  const Report unlinked = execute(request);
  EXPECT_EQ(unlinked.findings.count(kLinkExceeded), 1u);
  EXPECT_LT(unlinked.result["after"]["makespan_ns"].as_double(),
            0.8 * unlinked.result["before"]["makespan_ns"].as_double());
  // LogGOPSim's network cards send the pieces one after the other: computation, L + (10^7 - 1) G,
  // and the receiver's computation; the pieces one byte less for each.
  request.input.model.latency = "1us";
  request.input.model.overhead = "0ns";
  request.loggops.model = "loggops";
  const Report simulated = execute(request);
  EXPECT_NEAR(simulated.result["loggops"]["before_ns"].as_double(),
              100 + 1000 + 179'999.98 + 99'900, 1);
  EXPECT_NEAR(simulated.result["loggops"]["after_ns"].as_double(),
              simulated.result["loggops"]["before_ns"].as_double(), 3);
  request.loggops.model = "loggps";
  request.edits = {"scale factor=0.5"};
  EXPECT_EQ(execute(request).findings.count(kLinkExceeded), 0u);
  PredictRequest before{.input = request.input};
  EXPECT_EQ(execute(before).result["link_delay_ns"].as_double(), 0);
}

// Both send 1 MB before they receive: a deadlock above the eager threshold.
TEST_F(Requests, EditsAfterWhichTheProgramHangsAreRefused) {
  const std::string path = (folder_ / "exchange.slt").string();
  std::string text = "slackline-trace 1 timed ranks=2\n";
  for (int rank = 0; rank < 2; ++rank) {
    text += fmt::format(
        "rank {0}\n init\n @100 +100 sendrecv to={1} bytes=1000000 from={1} rbytes=1000000\n"
        " @400 finalize\n",
        rank, 1 - rank);
  }
  write_file(path, text);
  WhatifRequest request{.input = input_, .edits = {"substitute operation=sendrecv with=send-recv"}};
  request.input.trace = path;
  request.input.model.eager_threshold = "64KiB";
  try {
    execute(request);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), 1);
    EXPECT_THAT(error.what(), HasSubstr("would not run: sends wait for each other"));
  }
  request.input.model.eager_threshold = "unlimited";
  EXPECT_NO_THROW(execute(request));
}

// Sends that the run buffered, as it seems, would not be if they were synchronous.
TEST_F(Requests, EditsThatMakeSendsSynchronousHaveADeadlockOfTheirOwn) {
  const std::string path = (folder_ / "head_to_head.slt").string();
  write_file(path,
             "slackline-trace 1 untimed ranks=2\n"
             "rank 0\n init\n send to=1 bytes=1000000\n recv from=1 bytes=1000000\n finalize\n"
             "rank 1\n init\n send to=0 bytes=1000000\n recv from=0 bytes=1000000\n finalize\n");
  WhatifRequest request{.input = input_, .edits = {"substitute operation=send with=ssend"}};
  request.input.trace = path;
  EXPECT_THAT(error_text([&] { execute(request); }),
              HasSubstr("would not run: synchronous sends wait for each other"));
  request.edits = {"resize-messages factor=1"};
  EXPECT_EQ(execute(request).findings.count(kRendezvousDeadlock), 4u);  // before and after
}

TEST_F(Requests, AReportOnATraceWithoutCallsIsOneSentence) {
  const auto path = folder_ / "none.slt";
  write_file(path, "slackline-trace 1 timed ranks=2\nrank 0\nrank 1\n");
  ReportRequest request;
  request.input.trace = path.string();
  try {
    execute(request);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the trace has no calls of MPI. Record"));
  }
}

// Programs of other kinds are traced, too: a bad line among their records is not why there are no
// calls. That a whole rank is missing may be.
TEST_F(Requests, AReportOnATraceWithoutCallsSaysWhetherTheyMayBeLost) {
  ReportRequest request;
  const auto error_of = [&](std::string_view name, std::string_view text) {
    write_file(folder_ / name, text);
    request.input.trace = (folder_ / name).string();
    return error_text([&] { execute(request); });
  };
  const std::string tasks = "#Paraver (1/2/21 at 1:02):100_ns:1(1):1:1(1:1)\n1:1:1:1:1:0:100:1\n";
  EXPECT_THAT(error_of("a.prv", tasks), HasSubstr("the trace has no calls of MPI. Record"));
  EXPECT_THAT(error_of("b.prv", tasks + "1:1:1:1:1:90:20:1\n"),
              HasSubstr("no calls of MPI, and 1 malformed record. Record"));
  EXPECT_THAT(error_of("c.slt",
                       "slackline-trace 1 timed ranks=2\n"
                       "finding missing_ranks data_loss 1 \"Lost.\" \"rank 0\"\n"
                       "rank 0 absent\nrank 1\n"),
              HasSubstr("no calls of MPI that could be read (missing_ranks"));
}

// Rank 0's send of 64 KiB takes from 100 to 400 ns, and its receive is posted at 300: on an ideal
// network an eager send takes no time, and one with a handshake lasts until 300.
TEST_F(Requests, TheEagerThresholdSaysWhichSendsWaitOnTheIdealNetwork) {
  const std::string path = (folder_ / "late.slt").string();
  write_file(path,
             "slackline-trace 1 timed ranks=2\n"
             "rank 0\n init\n @100 +300 send to=1 bytes=65536\n @400 finalize\n"
             "rank 1\n init\n @300 +100 recv from=0 bytes=65536\n @400 finalize\n");
  const auto transfer_efficiency = [&](const char* threshold) {
    MonitorRequest monitor{.rank = 0};
    monitor.run.trace = path;
    monitor.run.model.eager_threshold = threshold;
    return execute(monitor).result["monitor"]["local"][0].as_double();
  };
  EXPECT_EQ(transfer_efficiency("65535"), 0.75);
  EXPECT_EQ(transfer_efficiency("65536"), 0.25);
  EfficiencyRequest both{.traces = {path}};
  both.run.model.eager_threshold = "64KiB";
  both.rendezvous = "1KiB";
  EXPECT_THAT(refusal(both), HasSubstr("cannot use -S with --rendezvous-from"));
}

std::vector<std::string> examples_of(const Report& report, std::string_view finding) {
  for (const Findings::Entry& entry : report.findings.entries()) {
    if (entry.name == finding) return entry.examples;
  }
  return {};
}

TEST_F(Requests, SayWhichAlgorithmStandsInForTheOneThatWasAskedFor) {
  const auto replaced = [&](int bytes) {
    PredictRequest request{.input = input_};
    request.input.trace = (folder_ / "sum.slt").string();
    request.input.model.collectives = {"allreduce=ring"};
    std::string text = "slackline-trace 1 untimed ranks=3\n";
    for (int rank = 0; rank < 3; ++rank) {
      text += fmt::format("rank {}\n allreduce elem=8 bytes={}\n", rank, bytes);
    }
    write_file(request.input.trace, text);
    return examples_of(execute(request), "collective_algorithm_replaced");
  };
  EXPECT_THAT(replaced(16), ::testing::ElementsAre("MPI_Allreduce of 16 bytes among 3 ranks: "
                                                   "recursive_doubling instead of ring"));
  EXPECT_TRUE(replaced(24).empty());
}

TEST_F(Requests, TheIdealRunIsATraceOfItsOwn) {
  // Rank 1 comes 300 ns late to a message that takes 500; what is left on the ideal network is the
  // lateness: 100 + 300 for rank 0's receive, and its 50 of computation.
  const std::string measured = (folder_ / "measured.slt").string();
  write_file(measured,
             "slackline-trace 1 timed ranks=2\n"
             "rank 0\n @0 +0 init\n @100 +800 recv from=1 bytes=8\n @950 +0 finalize\n"
             "rank 1\n @0 +0 init\n @400 +20 send to=0 bytes=8\n @420 +530 finalize\n");
  const auto run_of = [&](const std::string& trace) {
    return execute(EfficiencyRequest{.traces = {trace}, .interval = "run"}).result["runs"][0];
  };
  EXPECT_EQ(run_of(measured)["observed_ns"].as_double(), 950);
  EXPECT_EQ(run_of(measured)["ideal_ns"].as_double(), 450);
  for (const std::string name : {"ideal.slk", "ideal.prv", "ideal.txt"}) {
    const std::string out = (folder_ / name).string();
    execute(ConvertRequest{.input = {.trace = measured}, .out = out, .ideal = true});
    EXPECT_EQ(run_of(out)["observed_ns"].as_double(), 450) << name;
    EXPECT_EQ(run_of(out)["ideal_ns"].as_double(), 450) << name;
  }
}

TEST_F(Requests, SayWhichComparedAlgorithmIsReplaced) {
  SensitivityRequest request{.input = input_};
  request.input.trace = (folder_ / "sum.slt").string();
  request.compare = {"allreduce=recursive_doubling", "allreduce=ring",
                     "allreduce=ring_empty_blocks"};
  std::string text = "slackline-trace 1 untimed ranks=4\n";
  for (int rank = 0; rank < 4; ++rank) {
    text += fmt::format("rank {}\n allreduce elem=8 bytes=8\n", rank);
  }
  write_file(request.input.trace, text);
  const Report report = execute(request);
  EXPECT_THAT(examples_of(report, "collective_algorithm_replaced"),
              ::testing::ElementsAre("MPI_Allreduce of 8 bytes among 4 ranks: recursive_doubling "
                                     "instead of ring"));
  // log2 P rounds of P messages, twice, and 2 (P-1) rounds.
  const Json& alternatives = report.result["alternatives"];
  EXPECT_EQ(alternatives[0]["messages"].as_int(), 8);
  EXPECT_EQ(alternatives[1]["messages"].as_int(), 8);
  EXPECT_EQ(alternatives[2]["messages"].as_int(), 24);
}

class RequestsOfAProfile : public Requests {
 protected:
  RequestsOfAProfile() {
    input_ = {};
    input_.trace = (folder_ / "rank0.json").string();
    write_file(input_.trace,
               R"({"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1},
                   "traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7,
                                    "ts": 1, "dur": 5, "args": {"stream": 7, "correlation": 1}}]})");
  }
  template <class Request>
  std::string sentence(const Request& request) {
    try {
      execute(request);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(RequestsOfAProfile, ThatNeedCallsAreRefused) {
  const auto refused = HasSubstr("it is a profile of a training run");
  EXPECT_EQ(sentence(PredictRequest{.input = input_}), "");
  EXPECT_EQ(sentence(CriticalPathRequest{.input = input_}), "");
  EXPECT_THAT(sentence(GainsRequest{.input = input_}), refused);
  EXPECT_THAT(sentence(AdviseRequest{.input = input_}), refused);
  EXPECT_THAT(sentence(WhatifRequest{.input = input_, .edits = {"balance"}}), refused);
  EXPECT_THAT(sentence(PredictRequest{.input = input_, .bootstrap = 9}), refused);
}

TEST_F(RequestsOfAProfile, DoNotTakeOptionsOfCalls) {
  PredictRequest request{.input = input_};
  request.input.model.collectives = {"allreduce=ring"};
  EXPECT_THAT(refusal(request), HasSubstr("cannot use --collectives here"));
  request.input.model.collectives = {};
  request.input.model.eager_threshold = "1KiB";
  EXPECT_THAT(refusal(request), HasSubstr("cannot use -S or --rendezvous here"));
}

// Whatever the report would ignore.
TEST_F(RequestsOfAProfile, DoNotTakeOptionsWithoutEffect) {
  const auto refused = [&](auto change) {
    ReportRequest request{.input = input_};
    change(request);
    return refusal(request);
  };
  EXPECT_EQ(sentence(ReportRequest{.input = input_}), "");
  EXPECT_EQ(sentence(ReportRequest{.input = input_, .sections = {"diagnosis", "time"}}), "");
  EXPECT_THAT(refused([](auto& r) { r.input.model.collectives = {"allreduce=ring"}; }),
              HasSubstr("cannot use --collectives here"));
  EXPECT_THAT(refused([](auto& r) { r.input.model.network = "cray-aries"; }),
              HasSubstr("cannot use --network here"));
  EXPECT_THAT(refused([](auto& r) { r.interval = "run"; }),
              HasSubstr("cannot use --interval here"));
  EXPECT_THAT(refused([](auto& r) { r.machine.platform = "p.toml"; }),
              HasSubstr("cannot use --platform here"));
  EXPECT_THAT(refused([](auto& r) { r.summary.file = "s.json"; }),
              HasSubstr("cannot use --summary here"));
  EXPECT_THAT(refused([](auto& r) { r.sections = {"waits"}; }),
              AllOf(HasSubstr("no section 'waits'"), HasSubstr("Choose from diagnosis, time")));
  EXPECT_THAT(sentence(ReportRequest{.input = input_, .other = input_.trace}),
              HasSubstr("is a training run"));
}

TEST_F(Requests, AnEditThatSelectsNothingIsRefused) {
  try {
    execute(WhatifRequest{.input = input_, .edits = {"remove operation=barrier"}});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), 1);
    EXPECT_THAT(error.what(), HasSubstr("it selects no collectives"));
  }
  const Report same = execute(WhatifRequest{.input = input_, .edits = {"scale factor=1"}});
  EXPECT_EQ(same.result["edits"][0]["selected"].as_int(), 1);
  EXPECT_EQ(same.result["edits"][0]["changed"].as_int(), 0);
}

}  // namespace
}  // namespace slackline
