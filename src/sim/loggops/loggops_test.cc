#include "sim/loggops/loggops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "base/testing/error_text.h"
#include "formats/goal/goal.h"
#include "sim/loggops/tick_model.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kNs = 1'000'000;  // femtoseconds

LogGOPS model(std::int64_t latency, std::int64_t overhead, std::int64_t gap, std::int64_t per_byte,
              std::uint64_t threshold) {
  return {.latency_fs = latency * kNs,
          .overhead_fs = overhead * kNs,
          .gap_fs = gap * kNs,
          .gap_per_byte_fs = per_byte * kNs,
          .overhead_per_byte_fs = 0,
          .eager_threshold_bytes = threshold};
}

std::vector<double> finish(std::string_view text, const LogGOPS& m) {
  return simulate_loggops(read_goal_text(text, "x.goal"), m, "x.goal").finish_ns;
}

std::string error_of(std::string_view text) {
  return error_text([&] { finish(text, model(1, 1, 1, 1, 1)); });
}

TEST(LogGopsSimulation, OneMessage) {
  // The send ends at o; the message arrives at o + L and costs the receiver o + (s-1)G.
  EXPECT_THAT(finish("num_ranks 2\nrank 0 {\nsend 11b to 1\n}\nrank 1 {\nrecv 11b from 0\n}\n",
                     model(1000, 10, 5, 3, 100)),
              ElementsAre(10, 10 + 1000 + 10 + 30));
}

TEST(LogGopsSimulation, MessagesOfNoBytes) {
  const std::string_view text =
      "num_ranks 2\nrank 0 {\nsend 0b to 1\n}\nrank 1 {\nrecv 0b from 0\n}\n";
  LogGOPS m = model(1000, 10, 5, 3, 100);
  EXPECT_THAT(finish(text, m), ElementsAre(10, 1020));
  m.loggopsim_deviations = true;
  EXPECT_THAT(finish(text, m), ElementsAre(10, 1017));
}

TEST(LogGopsSimulation, RendezvousFreesTheSenderAtTheMatch) {
  // The receive is posted at 5000; the message has waited since 1010. The sender's cpu is free
  // then.
  EXPECT_THAT(
      finish("num_ranks 2\nrank 0 {\ns: send 11b to 1\nc: calc 7\nc requires s\n}\n"
             "rank 1 {\nc: calc 5000\nr: recv 11b from 0\nr requires c\n}\n",
             model(1000, 10, 5, 0, 10)),
      // The message takes o when the calc is over; the receive, made at 5000, is posted first.
      ElementsAre(5007, 5010));
}

TEST(LogGopsSimulation, TheCardIsBusyForGapAndBytes) {
  // Second send at max(o, g + (s-1)G) = 35; it arrives at 1045, when the receiver is busy with the
  // first one until 1010 + 40.
  EXPECT_THAT(finish("num_ranks 2\nrank 0 {\nsend 11b to 1\nsend 11b to 1\n}\n"
                     "rank 1 {\nrecv 11b from 0\nrecv 11b from 0\n}\n",
                     model(1000, 10, 5, 3, 100)),
              ElementsAre(45, 1050 + 40));
}

TEST(LogGopsSimulation, CpusWaitForEachOthersResults) {
  // LogGOPSim starts the second calc at 0, because its own cpu is free (its flaw, not the model's).
  EXPECT_THAT(finish("num_ranks 1\nrank 0 {\na: calc 1000000 cpu 1\nb: calc 10\nb requires a\n}\n",
                     model(0, 0, 0, 0, 1)),
              ElementsAre(1'000'010));
}

TEST(LogGopsSimulation, ArrivalsStealTheCpu) {
  // The message is charged at 1010, before the calc that has not become ready yet; at its end 2000.
  EXPECT_THAT(finish("num_ranks 2\nrank 0 {\nsend 1b to 1\n}\n"
                     "rank 1 {\na: calc 500\nb: calc 1500\nb requires a\nrecv 1b from 0\n}\n",
                     model(1000, 10, 0, 0, 100)),
              ElementsAre(10, 2010));
}

TEST(LogGopsSimulation, NoiseLengthensWhatItInterrupts) {
  LogGOPS m = model(0, 0, 0, 0, 1);
  m.noise = read_noise_pattern("# begin length\n0 5\n100 7\n1000 1\n", "noise.txt");
  m.noise.coscheduled = true;
  const NoiseClock clock(m.noise, 1, 1);
  // In one period of 1000 ns 12 ns are lost, wherever it begins.
  EXPECT_EQ(clock.during(0, 0, 10'000) - clock.during(0, 0, 0), 120);
  const double end = finish("num_ranks 1\nrank 0 {\ncalc 10000\n}\n", m).front();
  EXPECT_GE(end, 10'120);
  EXPECT_LE(end, 10'127);
  EXPECT_THROW(read_noise_pattern("5 x\n", "noise.txt"), Error);
  EXPECT_THROW(read_noise_pattern("5 1\n4 1\n", "noise.txt"), Error);
  EXPECT_THROW(read_noise_pattern("", "noise.txt"), Error);
}

TEST(LogGopsSimulation, NoiseOfAnyLengthIsCountedOrRefused) {
  EXPECT_THROW(read_noise_pattern("0 5\n18446744073709552 1\n", "noise.txt"), Error);
  EXPECT_THROW(read_noise_pattern("0 1e17\n100 1\n", "noise.txt"), Error);
  LogGOPS m = model(0, 0, 0, 0, 1);
  m.noise = read_noise_pattern("0 5\n1e15 1\n", "noise.txt");
  // 313 ms begin somewhere in 11 days, of which 5 ns are lost.
  const NoiseClock rare(m.noise, 1, 1000);
  EXPECT_LE(rare.during(0, 0, 313'000'000'000), 313'000'005'000);
  m.noise = read_noise_pattern("0 1e15\n1 1e15\n2 1\n", "noise.txt");
  const NoiseClock endless(m.noise, 1, 1000);
  EXPECT_GT(endless.during(0, 0, 1'000'000'000), std::int64_t{1} << 61);
}

TEST(LogGopsSimulation, SaysWhatIsLeft) {
  EXPECT_THAT(
      error_of("num_ranks 2\nrank 0 {\nsend 1b to 1 tag 4\n}\nrank 1 {\n}\n"),
      HasSubstr("1 send and 0 receives without partner: rank 1 never received the message from "
                "rank 0 with tag 4"));
  EXPECT_THAT(
      error_of("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n"),
      HasSubstr("waits forever"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\ncalc 9000000000000000000\n}\n"),
              HasSubstr("63 bits"));
}

TEST(LogGopsSimulation, WildcardsTakeTheOldest) {
  // Rank 2 posts (any) first; the first arrival (rank 1's, sent at 0) goes there and frees the
  // calc.
  EXPECT_THAT(finish("num_ranks 3\nrank 0 {\nc: calc 100\ns: send 1b to 2\ns requires c\n}\n"
                     "rank 1 {\nsend 1b to 2 tag 3\n}\n"
                     "rank 2 {\na: recv 1b from -1 tag -1\nc: calc 1000\nc requires a\n"
                     "recv 1b from -1\n}\n",
                     model(10, 1, 0, 0, 100)),
              // 11 + 1 for the first; the calc holds the cpu until 1012, then the second message.
              ElementsAre(101, 1, 1013));
}

}  // namespace
}  // namespace slackline
