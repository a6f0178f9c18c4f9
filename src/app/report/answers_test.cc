#include "app/report/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;
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

TEST(Answers, SayThatNobodyIsLate) {
  const Trace trace = timed_trace(2,
                                  "rank 0\n @100000 +10 barrier\n"
                                  "rank 1\n @100000 +10 barrier\n");
  EXPECT_THAT(answer(answers_of(trace), "late"), HasSubstr("None:"));
}

TEST(Answers, TellTheLatencyThatMayBeAdded) {
  // T is 100,000 + L: with L = 1 us 101 us. 1 % of that is 1.01 us.
  EXPECT_EQ(answer(answers_of(timed_trace(2, kLateSender)), "latency"),
            "+1.010 us for 1 % longer predicted run time. Assumed latency: L = 1.000 us.");
}

TEST(Answers, TellWhatTheCriticalPathConsistsOf) {
  // 100 of 110 us are computation.
  EXPECT_THAT(answer(answers_of(timed_trace(2, kLateSender)), "path"),
              HasSubstr("90.9 % computation"));
}

// Between MPI_Init, which rank 1 leaves last, and MPI_Finalize only rank 0 computes, for 300 us;
// with both of them rank 1 has most of the path.
TEST(Answers, LeaveInitAndFinalizeOutOfTheRanksSharesOfTheCriticalPath) {
  const Trace trace = timed_trace(2,
                                  "rank 0\n @0 +400000 init\n @400000 +600020 recv from=1 bytes=1\n"
                                  " @1300020 +10 finalize\n"
                                  "rank 1\n @0 +1000000 init\n @1000000 +10 send to=0 bytes=1\n"
                                  " @1000010 +300020 finalize\n");
  EXPECT_THAT(answer(answers_of(trace), "path"), HasSubstr("is on rank 0"));
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
  Report report;
  add_answers({{"late", "Who?", "Rank 3.", {"wait_causes"}}}, report);
  EXPECT_EQ(report.result["answers"],
            parse_json(R"([{"id": "late", "question": "Who?", "answer": "Rank 3.",
                             "evidence": ["wait_causes"]}])"));
  EXPECT_EQ(std::get<Paragraph>(report.sections.front().items.front()).text, "Who? Rank 3.");
}

}  // namespace
}  // namespace slackline
