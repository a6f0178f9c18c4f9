// Runs whose limit is put there by hand: the sentences must name it, with numbers that follow from
// the lines of the program, and every evidence must be in the report.

#include "analysis/summary/judgement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::timed_trace;

struct Said {
  std::vector<Judgement> sentences;
  std::set<std::string> ids;  ///< of everything the report shows
  std::vector<Fact> facts{};  ///< that it shows

  std::string all() const {
    std::string text;
    for (const Judgement& j : sentences) text += j.sentence + "\n";
    return text;
  }
  std::string of(JudgementAspect aspect) const {
    for (const Judgement& j : sentences) {
      if (j.aspect == aspect) return j.sentence;
    }
    return "";
  }
};

void collect_evidence(const std::vector<Section>& sections, Said& said) {
  for (const Section& s : sections) {
    said.ids.insert(s.id);
    for (const Item& item : s.items) {
      if (const auto* table = std::get_if<Table>(&item)) said.ids.insert(table->id);
      if (const auto* series = std::get_if<Series>(&item)) said.ids.insert(series->id);
      if (const auto* facts = std::get_if<Facts>(&item)) {
        said.facts.insert(said.facts.end(), facts->facts.begin(), facts->facts.end());
      }
    }
    collect_evidence(s.children, said);
  }
}

Said say(const Trace& trace) {
  const CallPaths paths(trace);
  const Diagnosis d = diagnose(trace, paths);
  Said said{judgement(d, trace, paths), {"findings"}};
  std::vector<Section> sections = describe(d, trace, paths).sections;
  const Json result = json_from(add_judgement(said.sentences, sections));
  collect_evidence(sections, said);
  for (const Judgement& j : said.sentences) {
    EXPECT_FALSE(j.evidence.empty()) << j.sentence;
    for (const std::string& id : j.evidence) EXPECT_TRUE(said.ids.contains(id)) << id;
  }
  EXPECT_EQ(result.size(), said.sentences.size());
  return said;
}

TEST(Judgement, NamesTheRankThatMakesTheOthersWait) {
  // Rank 1 computes 900 of 1000 ns, rank 0 300: 600 of 2 * 1000 are waiting, 300 on the average.
  const Said said = say(timed_trace(2,
                                    "rank 0\n @300 +700 barrier\n"
                                    "rank 1\n @900 +100 barrier\n"));
  EXPECT_THAT(said.of(JudgementAspect::limit),
              HasSubstr("Limited by load imbalance: 30.0 % of rank time is waiting for rank 1"));
  EXPECT_THAT(said.of(JudgementAspect::cause),
              HasSubstr("100 % of wait time is wait at barrier in MPI_Barrier"));
  EXPECT_THAT(said.of(JudgementAspect::cause),
              HasSubstr("root cause: computation on rank 1 (100 % of all wait time)"));
  EXPECT_THAT(said.of(JudgementAspect::cause), HasSubstr("1.50 x the mean"));
  EXPECT_THAT(said.of(JudgementAspect::gain), HasSubstr("save at most 300 ns (30.0 %)"));
  EXPECT_THAT(said.of(JudgementAspect::gain),
              HasSubstr("Start at t = 300 ns: rank 0 waits 600 ns in MPI_Barrier for rank 1"));
  EXPECT_THAT(said.of(JudgementAspect::caution), IsEmpty());
}

TEST(Judgement, NamesTheCallsThatTakeLongWithoutWaiting) {
  // Both are there at 100; the network takes 300 of the 400 ns, of the sender and of the receiver.
  const Said said = say(timed_trace(2,
                                    "rank 0\n @100 +300 send to=1 bytes=1024\n"
                                    "rank 1\n @100 +300 recv from=0 bytes=1024\n"));
  EXPECT_THAT(said.of(JudgementAspect::limit),
              HasSubstr("Limited by data transfer: 75.0 % of rank time "
                        "(largest part: 37.5 % in 1 call of MPI_Send"));
  EXPECT_THAT(said.of(JudgementAspect::limit), HasSubstr("75.0 % other MPI time"));
  EXPECT_THAT(said.of(JudgementAspect::cause), HasSubstr("1 call, mean size 1.0 KiB"));
  EXPECT_THAT(said.of(JudgementAspect::gain), HasSubstr("at most 300 ns (75.0 %) shorter"));
}

TEST(Judgement, GivesTheNetworksGainWhereItExceedsThatOfWaiting) {
  // Rank 0 sends for 800 of 1,000 ns, while rank 1 waits 700 and rank 2 800: 1,500 of 3,000 ns. An
  // ideal network leaves the 100 ns that all of them compute.
  const Said said = say(timed_trace(3,
                                    "rank 0\n @100 +800 send to=1 bytes=8\n @900 +100 barrier\n"
                                    "rank 1\n @100 +100 recv from=0 bytes=8\n @200 +800 barrier\n"
                                    "rank 2\n @100 +900 barrier\n"));
  EXPECT_THAT(said.of(JudgementAspect::limit),
              HasSubstr("10.0 % computation, 50.0 % waiting and 40.0 % other MPI time"));
  EXPECT_THAT(said.of(JudgementAspect::gain), HasSubstr("save at most 500 ns (50.0 %)."));
  EXPECT_THAT(said.of(JudgementAspect::gain),
              HasSubstr("at most 900 ns (90.0 %) shorter (transfer efficiency 10.0 %)."));
  EXPECT_THAT(said.of(JudgementAspect::gain), Not(HasSubstr("..")));
}

TEST(Judgement, PromisesNothingOfANetworkThatGainsNothing) {
  // Rank 1 has its message 80 ns before it is sent; in order, 100 ns and then 440 ns are computed.
  const Said said = say(timed_trace(2,
                                    "rank 0\n @100 +400 send to=1 bytes=8\n"
                                    " @500 +10 recv from=1 bytes=8\n"
                                    "rank 1\n @0 +20 recv from=0 bytes=8\n"
                                    " @460 +50 send to=0 bytes=8\n"));
  EXPECT_THAT(said.of(JudgementAspect::limit),
              HasSubstr("5.9 % waiting and 41.2 % other MPI time"));
  EXPECT_THAT(said.of(JudgementAspect::gain), HasSubstr("A faster network would not shorten"));
  EXPECT_THAT(said.of(JudgementAspect::gain), HasSubstr("takes 540 ns, longer than measured"));
}

TEST(Judgement, SaysSoWhenThereIsLittleToGain) {
  const Said said = say(timed_trace(2,
                                    "rank 0\n @990 +10 barrier\n"
                                    "rank 1\n @988 +12 barrier\n"));
  EXPECT_THAT(said.of(JudgementAspect::limit), HasSubstr("Limited by computation"));
  EXPECT_THAT(said.of(JudgementAspect::limit), HasSubstr("98.9 %"));
}

TEST(Judgement, IsOfTheRunBetweenInitAndFinalize) {
  const Said said =
      say(timed_trace(2,
                      "rank 0\n @0 +5000 init\n @5300 +700 barrier\n @6000 +10 finalize\n"
                      "rank 1\n @0 +5000 init\n @5900 +100 barrier\n @6000 +10 finalize\n"));
  EXPECT_THAT(said.of(JudgementAspect::limit),
              ::testing::AllOf(HasSubstr("30.0 % of rank time"), HasSubstr("1.000 us")));
  EXPECT_THAT(said.of(JudgementAspect::limit), HasSubstr("MPI_Init and MPI_Finalize add 5.010 us"));
}

// Rank 1 computes three times as long in "assemble", but rank 0 is always the last one to enter the
// barrier, as its send takes long: a processor that two ranks share.
TEST(Judgement, NamesUnequalComputationThatCausesNoWaiting) {
  const Said said = say(timed_trace(2,
                                    "rank 0\n @0 enter \"assemble\"\n @100 leave \"assemble\"\n"
                                    " @100 +900 send to=1 bytes=8\n @1000 +10 barrier\n"
                                    "rank 1\n @0 enter \"assemble\"\n @300 leave \"assemble\"\n"
                                    " @300 +100 recv from=0 bytes=8\n @400 +610 barrier\n"));
  EXPECT_THAT(said.all(), HasSubstr("Computation is unbalanced: rank 1 computes 1.50 x the mean, "
                                    "mainly in assemble."));
}

// Nobody looks for waiting in neighbourhood collectives: rank 0 comes 600 of 1000 ns late.
TEST(Judgement, ClaimsNoCommunicationWhereWaitingIsNotKnown) {
  const Said said = say(timed_trace(2,
                                    "rank 0\n @900 +100 neighbor_allgather bytes=8\n"
                                    "rank 1\n @300 +700 neighbor_allgather bytes=8\n"));
  EXPECT_THAT(said.of(JudgementAspect::limit),
              HasSubstr("40.0 % MPI calls for which waiting is not known"));
  EXPECT_THAT(said.all(), Not(HasSubstr("ommunication-bound")));
}

TEST(Judgement, SaysHowMuchIsNotKnownBesideALargerLoss) {
  const Said said =
      say(timed_trace(2,
                      "rank 0\n @900 +50 barrier\n +50 neighbor_allgather bytes=8\n"
                      "rank 1\n @300 +650 barrier\n +50 neighbor_allgather bytes=8\n"));
  EXPECT_THAT(said.of(JudgementAspect::limit),
              HasSubstr("5.0 % MPI calls for which waiting is not known"));
}

/// 400 messages of 1 us each; two of them take as long as all others together, five times.
Trace stalled_sends() {
  std::string send = "rank 0\n";
  std::string receive = "rank 1\n";
  std::int64_t now = 0;
  for (int i = 0; i < 400; ++i) {
    const std::int64_t duration = i == 100 || i == 300 ? 1000000 : 1000;
    const std::string at = " @" + std::to_string(now) + " +" + std::to_string(duration);
    send += at + " send to=1 bytes=64\n";
    receive += at + " recv from=0 bytes=64\n";
    now += duration + 1000;
  }
  return timed_trace(2, send + receive);
}

TEST(Judgement, BlamesNoNetworkForFewCallsThatTakeFarLongerThanOthers) {
  const Said said = say(stalled_sends());
  // 2 of 2.797 ms, half in MPI_Send and half in MPI_Recv.
  EXPECT_THAT(said.of(JudgementAspect::limit),
              HasSubstr("Limited by time of unknown cause: 71.5 % of rank time "
                        "(largest part: 35.8 % in 2 of 400 calls of MPI_Send"));
  EXPECT_THAT(said.of(JudgementAspect::cause), HasSubstr("median 1.000 us"));
  EXPECT_THAT(said.of(JudgementAspect::cause),
              HasSubstr("2 of them take more than ten times as long as others of their size"));
  EXPECT_THAT(said.of(JudgementAspect::gain), HasSubstr("The network does not explain"));
  EXPECT_THAT(said.of(JudgementAspect::gain), HasSubstr("They take 4.000 ms in sum"));
  const auto shown = std::ranges::find(said.facts, "long calls", &Fact::label);
  ASSERT_NE(shown, said.facts.end());
  EXPECT_EQ(shown->value, Value(std::int64_t{4'000'000}));
  EXPECT_THAT(said.all(), Not(HasSubstr("ommunication-bound")));
  EXPECT_THAT(said.all(), Not(HasSubstr("ideal network")));
}

TEST(Judgement, LetsNothingLimitARunThatLosesATenth) {
  // 896 of 1000 ns are computation, and the rest barriers that carry nothing.
  const Said said = say(timed_trace(2, "rank 0\n @896 +104 barrier\nrank 1\n @896 +104 barrier\n"));
  EXPECT_THAT(said.of(JudgementAspect::limit), HasSubstr("89.6 % computation"));
  EXPECT_THAT(said.all(), Not(HasSubstr("ommunication-bound")));
}

// MPI_Init takes 9 ns; what comes before it is the program's own.
TEST(Judgement, LaysNoComputationToInitAndFinalize) {
  const Said said =
      say(timed_trace(2,
                      "rank 0\n @800 +9 init\n @1109 +700 barrier\n @1809 +10 finalize\n"
                      "rank 1\n @800 +9 init\n @1709 +100 barrier\n @1809 +10 finalize\n"));
  EXPECT_THAT(said.of(JudgementAspect::limit), Not(HasSubstr("MPI_Finalize add")));
  EXPECT_THAT(
      said.of(JudgementAspect::limit),
      HasSubstr(
          "819 ns more lie outside the analysed interval: 19 ns in MPI_Init and MPI_Finalize"));
}

TEST(Judgement, TellsSinceWhen) {
  // 100 balanced steps of 1000, then 100 in which rank 1 computes for 100 only.
  std::string text[2] = {"rank 0\n", "rank 1\n"};
  std::int64_t now = 0;
  for (int step = 0; step < 200; ++step) {
    for (int r = 0; r < 2; ++r) {
      const std::int64_t compute = r == 1 && step >= 100 ? 100 : 990;
      text[r] += " @" + std::to_string(now + compute) + " +" + std::to_string(1000 - compute) +
                 " barrier\n";
    }
    now += 1000;
  }
  const Said said = say(timed_trace(2, text[0] + text[1]));
  EXPECT_THAT(said.of(JudgementAspect::cause),
              HasSubstr("100 % of the wait time lies after 100.0 us"));
  EXPECT_THAT(said.of(JudgementAspect::cause), HasSubstr("root cause: computation on rank 0"));
}

TEST(Judgement, NamesAllLateRanks) {
  // 100 steps in which rank 0 is late, then 100 in which rank 3 is.
  constexpr int kMembers = 4;
  std::string text[kMembers];
  for (int r = 0; r < kMembers; ++r) text[r] = "rank " + std::to_string(r) + "\n";
  std::int64_t now = 0;
  for (int step = 0; step < 200; ++step) {
    for (int r = 0; r < kMembers; ++r) {
      const std::int64_t compute = r == (step < 100 ? 0 : 3) ? 990 : 100;
      text[r] += " @" + std::to_string(now + compute) + " +" + std::to_string(1000 - compute) +
                 " barrier\n";
    }
    now += 1000;
  }
  const Said said = say(timed_trace(kMembers, text[0] + text[1] + text[2] + text[3]));
  EXPECT_THAT(said.of(JudgementAspect::cause),
              HasSubstr("computation on rank 0 (50 %) and computation on rank 3 (50 %); "
                        "distributed over the whole run"));
}

TEST(Judgement, SaysThatWaitingIsOverAfterALateStart) {
  // Rank 1 comes 4000 ns late to the first barrier; 40 balanced steps of 100 ns follow.
  std::string text[2] = {"rank 0\n @0 +4100 barrier\n", "rank 1\n @4000 +100 barrier\n"};
  for (int step = 0; step < 40; ++step) {
    const std::string call = " @" + std::to_string(4190 + 100 * step) + " +10 allreduce bytes=8\n";
    for (std::string& t : text) t += call;
  }
  const Said said = say(timed_trace(2, text[0] + text[1]));
  EXPECT_THAT(said.of(JudgementAspect::cause), HasSubstr("% of the wait time lies before "));
}

TEST(Judgement, DoesNotTakeTimeBetweenFailedPollsForWork) {
  // Rank 1 tests at 100, 400, 700 and 900 ns for what rank 0 sends at 900; 770 of 2 * 1000 ns lie
  // between its polls.
  const Said said = say(timed_trace(2,
                                    "rank 0\n @900 +100 send to=1 bytes=8\n"
                                    "rank 1\n @100 +0 irecv from=0 bytes=8 req=1\n"
                                    " @100 +10 test req=1 failed\n"
                                    " @400 +10 test req=1 failed\n"
                                    " @700 +10 test req=1 failed\n"
                                    " @900 +100 test req=1\n"));
  EXPECT_THAT(said.of(JudgementAspect::limit), HasSubstr("88.5 % computation"));
  EXPECT_THAT(said.of(JudgementAspect::caution),
              HasSubstr("most on rank 1 between calls of MPI_Test (770 ns)"));
}

TEST(Judgement, SaysWhenTheNamedCallsTakePlace) {
  // Both ranks leave MPI_Allreduce after 400 of 1000 ns, 25.6 of 64 equal parts; MPI_Barrier takes
  // the last 10 ns.
  const Said said = say(timed_trace(2,
                                    "rank 0\n @0 +400 allreduce bytes=8\n @990 +10 barrier\n"
                                    "rank 1\n @0 +400 allreduce bytes=8\n @990 +10 barrier\n"));
  EXPECT_THAT(said.of(JudgementAspect::cause), HasSubstr("98 % of this MPI time is in MPI_Allred"));
  EXPECT_THAT(said.of(JudgementAspect::cause), HasSubstr("100 % of their time lies before 406 ns"));
}

TEST(Judgement, SaysWhereARunStoodThatWasEnded) {
  const Said said = say(timed_trace(2,
                                    "rank 0 unfinalized\n @100 +900 recv from=1 unfinished\n"
                                    "rank 1 unfinalized stop=1000\n @0 +10 pcontrol\n"));
  EXPECT_THAT(said.of(JudgementAspect::caution),
              HasSubstr("while a rank was in a call that had not returned "
                        "(rank 0 in MPI_Recv for 900 ns: rank 1 had not sent)"));
}

TEST(Judgement, OfOddRuns) {
  EXPECT_THAT(say(timed_trace(3, "rank 0\nrank 1\nrank 2\n")).sentences, IsEmpty());
  EXPECT_THAT(say(timed_trace(2, "rank 0\n @0 +0 barrier\nrank 1\n @0 +0 barrier\n")).sentences,
              IsEmpty());
  EXPECT_THAT(
      say(timed_trace(1, "rank 0\n @100 +1 barrier\n")).of(JudgementAspect::limit),
      HasSubstr("99.0 % of rank time, most of it in code that is not known. Rank time (1 rank, "));
  const Said lost = say(timed_trace(2,
                                    "rank 0\n @100 +300 recv from=1 bytes=8\n"
                                    "rank 1\n @400 +1 barrier\n"));
  EXPECT_THAT(lost.of(JudgementAspect::caution), HasSubstr("could not be used"));
}

}  // namespace
}  // namespace slackline
