#include "app/report/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/summary/judgement.h"
#include "base/units.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::timed_trace;

std::vector<Answer> answers_of(const Trace& trace) {
  const ExecutionGraph graph = build_graph(trace, {});
  const CallPaths paths(trace);
  ModelChoice choice;
  choice.model.latency_fs = 1000 * kFemtosPerNano;
  return answers(diagnose(trace, paths), paths, overview(trace, graph, choice, {10'000}));
}

std::string answer(const std::vector<Answer>& all, const std::string& id) {
  for (const Answer& a : all) {
    if (a.id == id) return a.text;
  }
  return "";
}

// Rank 0 computes until 100,000 and sends; rank 1 has waited for that since 30,000.
const char* const kLateSender =
    "rank 0\n @100000 +10000 send to=1 bytes=1\n"
    "rank 1\n @30000 +80000 recv from=0 bytes=1\n";

TEST(Answers, NameTheRankThatIsLate) {
  EXPECT_EQ(answer(answers_of(timed_trace(2, kLateSender)), "late"),
            "Rank 0: it causes 100 % of wait time, mainly through computation.");
}

/// Four ranks and 20 steps: rank 1 is late by 1,000 ns in the first ten, rank 3 in the others.
Trace late_in_turn() {
  std::string text[4];
  std::int64_t now = 0;
  for (int step = 0; step < 20; ++step) {
    for (int r = 0; r < 4; ++r) {
      const std::int64_t compute = r == (step < 10 ? 1 : 3) ? 2000 : 1000;
      text[r] += " @" + std::to_string(now + compute) + " +" + std::to_string(2010 - compute) +
                 " barrier\n";
    }
    now += 2010;
  }
  return timed_trace(
      4, "rank 0\n" + text[0] + "rank 1\n" + text[1] + "rank 2\n" + text[2] + "rank 3\n" + text[3]);
}

// From step 100 on all ranks compute 700 us instead of 420 us: the efficiency stays as it is.
TEST(Answers, TellChangesThatLeaveTheEfficiencyAsItIs) {
  std::string text;
  for (int rank = 0; rank < 2; ++rank) {
    text += "rank " + std::to_string(rank) + "\n";
    std::int64_t now = 0;
    for (int step = 0; step < 160; ++step) {
      now += (step < 100 ? 420'000 : 700'000) + (step * 37 + rank * 11) % 23 * 100;
      text += " @" + std::to_string(now) + " +" + std::to_string(9'000) + " allreduce bytes=8\n";
      now += 9'000;
    }
  }
  const Trace trace = timed_trace(2, text);
  for (const std::string& change :
       {answer(answers_of(trace), "change"), change_over_time(diagnose(trace, CallPaths(trace)))}) {
    EXPECT_THAT(change, HasSubstr("From iteration 100 on, computation"));
    EXPECT_THAT(change, Not(HasSubstr("No phase change")));
  }
}

TEST(Answers, NameRanksThatAreLateInTurnAndWhen) {
  const std::string late = answer(answers_of(late_in_turn()), "late");
  EXPECT_THAT(late, HasSubstr("Ranks 1 and 3"));
  EXPECT_THAT(late, HasSubstr("rank 1 causes 50 % of wait time, mainly through computation "
                              "(1.000 us to 20.09 us)"));
  EXPECT_THAT(late, HasSubstr("rank 3 causes 50 % of wait time, mainly through computation "
                              "(21.10 us to 40.19 us)"));
}

TEST(Answers, NameTheLateRankOfThePhaseInWhichMostIsLost) {
  const Trace trace = late_in_turn();
  const CallPaths paths(trace);
  const Diagnosis d = diagnose(trace, paths);
  std::vector<std::int32_t> late;
  for (const FocusInterval& r : d.monitor.intervals) late.push_back(r.late_rank);
  EXPECT_THAT(late, ::testing::ElementsAre(1, 3));
}

// Rank 1 is a little late in each step, rank 2 is last.
TEST(Answers, NameTheSameCauseAsTheJudgement) {
  std::string text[3];
  std::int64_t now = 0;
  for (int step = 0; step < 20; ++step) {
    for (int r = 0; r < 3; ++r) {
      const std::int64_t arrives = now + (r == 2 ? 3000 : r == 1 ? 1500 : 1000);
      text[r] += " @" + std::to_string(arrives) + " +" + std::to_string(now + 3010 - arrives) +
                 " allreduce bytes=8\n";
    }
    now += 3010;
  }
  const Trace trace =
      timed_trace(3, "rank 0\n" + text[0] + "rank 1\n" + text[1] + "rank 2\n" + text[2]);
  const CallPaths paths(trace);
  EXPECT_THAT(answer(answers_of(trace), "late"), HasSubstr("Rank 2: it causes 100 %"));
  std::string cause;
  for (const Judgement& j : judgement(diagnose(trace, paths), trace, paths)) {
    if (j.aspect == JudgementAspect::cause) cause = j.sentence;
  }
  EXPECT_THAT(cause, HasSubstr("computation on rank 2 (100 % of all wait time)"));
}

// 1,000 ns of computation and L, which is as long, are predicted of the 100,000 ns measured.
TEST(Answers, SetThePredictionBesideTheMeasurement) {
  const Trace slow = timed_trace(2,
                                 "rank 0\n @1000 +99000 send to=1 bytes=1\n"
                                 "rank 1\n @1000 +99000 recv from=0 bytes=1\n");
  const std::string text = answer(answers_of(slow), "latency");
  EXPECT_THAT(text, HasSubstr("Predicted / measured run time: 0.02 (2.000 us / 100.0 us)"));
  EXPECT_THAT(text, HasSubstr("the percentages refer to the predicted time"));
}

// Before MPI_Init rank 0 computes for 1 ms, which is not of the analysed interval.
TEST(Answers, LeaveOutOfTheCriticalPathWhatComesBeforeInit) {
  const Trace trace = timed_trace(1,
                                  "rank 0\n @1000000 +10 init\n @1000110 +100 barrier\n"
                                  " @1000210 +10 finalize\n");
  EXPECT_THAT(answer(answers_of(trace), "path"), HasSubstr("50.0 % computation"));
}

TEST(Answers, SayThatNobodyIsLate) {
  const Trace trace = timed_trace(2,
                                  "rank 0\n @100000 +10 barrier\n"
                                  "rank 1\n @100000 +10 barrier\n");
  EXPECT_THAT(answer(answers_of(trace), "late"), HasSubstr("None:"));
}

TEST(Answers, TellTheLatencyThatMayBeAdded) {
  // T is 100,000 + L: with L = 1 us 101 us. 1 % of that is 1.01 us.
  EXPECT_EQ(
      answer(answers_of(timed_trace(2, kLateSender)), "latency"),
      "+1.010 us for 1 % longer predicted run time. Assumed latency: L = 1.000 us. Predicted / "
      "measured run time: 0.92 (101.0 us / 110.0 us).");
}

TEST(Answers, TellWhatTheCriticalPathConsistsOf) {
  // 100 of 110 us are computation.
  EXPECT_THAT(answer(answers_of(timed_trace(2, kLateSender)), "path"),
              HasSubstr("90.9 % computation"));
}

/// Rank 1 leaves MPI_Init 600 us after rank 0 and sends, whereupon rank 0 computes for 300 us and
/// rank 1 for `second_us`; both stop together.
Trace late_in_init(std::int64_t compute_us, std::int64_t second_us) {
  const std::int64_t end = 1000020 + compute_us * 1000;
  return timed_trace(2, "rank 0\n @0 +400000 init\n @400000 +600020 recv from=1 bytes=1\n @" +
                            std::to_string(end) +
                            " +10 finalize\n"
                            "rank 1\n @0 +1000000 init\n @1000000 +10 send to=0 bytes=1\n @" +
                            std::to_string(1000010 + second_us * 1000) + " +" +
                            std::to_string(end - 1000000 - second_us * 1000) + " finalize\n");
}

// Between MPI_Init, which rank 1 leaves last, and MPI_Finalize rank 0 computes longer; with both of
// them rank 1 has most of the path.
TEST(Answers, LeaveInitAndFinalizeOutOfTheRanksSharesOfTheCriticalPath) {
  const std::string path = answer(answers_of(late_in_init(900, 800)), "path");
  EXPECT_THAT(path,
              HasSubstr("100.0 % computation; the largest share of it, 100.0 %, is on rank 0."));
  EXPECT_THAT(path, Not(HasSubstr("% MPI_Init")));
}

// The ranks have nothing in common, so that the interval begins when rank 0 leaves MPI_Init: of its
// 900.02 us rank 1 spends 600 in MPI_Init, which makes rank 0 wait; in the other 300
// it waits for rank 0 in MPI_Finalize, which is outside of the program.
TEST(Answers, CountInitOnTheCriticalPathWhereTheIntervalHoldsIt) {
  const std::vector<Answer> all = answers_of(late_in_init(300, 0));
  EXPECT_THAT(answer(all, "late"), HasSubstr("Rank 1: it causes 100 % of wait time, mainly through "
                                             "MPI_Init"));
  EXPECT_EQ(
      answer(all, "path"),
      "66.7 % MPI_Init and 33.3 % computation; the largest share of it, 66.7 %, is on rank 1. "
      "(Time outside the analysed interval, 30.8 % of the run, excluded.)");
}

// Rank 0 starts 400 us late, rank 1 waits for it; then computation of 100 us makes all of the path.
TEST(Answers, LeaveALateStartOutOfWhatTheCriticalPathConsistsOf) {
  const Trace trace = timed_trace(2,
                                  "rank 0 start=400000\n @500000 +0 send to=1 bytes=1\n"
                                  "rank 1 start=0\n @0 +500000 recv from=0 bytes=1\n");
  EXPECT_EQ(
      answer(answers_of(trace), "path"),
      "100.0 % computation; the largest share of it, 100.0 %, is on rank 0. (Late start, MPI_Init "
      "and MPI_Finalize, 80.0 % of the run, excluded.)");
}

TEST(Answers, OfAnUntimedRunAreTheModels) {
  const Trace trace = testing::untimed_trace(2,
                                             "rank 0\n compute 3000\n send to=1 bytes=1\n"
                                             "rank 1\n compute 1000\n recv from=0 bytes=1\n");
  const ExecutionGraph graph = build_graph(trace, {});
  const std::vector<Answer> all = answers(overview(trace, graph, {}, {10'000}));
  EXPECT_EQ(answer(all, "late"), "Rank 0 computes longest, 1.50 x the mean (predicted).");
  // T is 3,000 + L, and L nothing.
  EXPECT_THAT(answer(all, "latency"), HasSubstr("+30 ns for 1 % longer predicted run time"));
}

TEST(Answers, AreInTheReportForPeopleAndScripts) {
  std::vector<Section> sections;
  const auto json = add_answers({{"late", "Who?", "Rank 3.", {"wait_causes"}}}, sections);
  EXPECT_EQ(json_from(json), parse_json(R"([{"id": "late", "question": "Who?", "answer": "Rank 3.",
                             "evidence": ["wait_causes"]}])"));
  EXPECT_EQ(std::get<Paragraph>(sections.front().items.front()).text, "Who? Rank 3.");
}

}  // namespace
}  // namespace slackline
