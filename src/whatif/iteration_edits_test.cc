#include "whatif/scenario.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/error.h"
#include "formats/testing/text_trace.h"
#include "whatif/testing/edited_programs.h"

namespace slackline {
namespace {

using testing::edited;
using testing::expect_edited;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using testing::two_visits;
using testing::untimed_trace;

/// A set-up, `steps` steps of a halo exchange and a reduction, of which those in `outputs` end with
/// an output, and an end. Requests are numbered from 1 on, or 7 and 8 in turn.
std::string stepping_program(int steps, const std::set<int>& outputs = {}, bool turns = false) {
  std::string text;
  for (int rank = 0; rank < 2; ++rank) {
    text += fmt::format("rank {}\n init\n compute 1000\n bcast root=0 bytes=8 elem=1\n", rank);
    text += " enter loop\n";
    for (int step = 0; step < steps; ++step) {
      const int first = turns ? 7 : 2 * step + 1;
      text += fmt::format(
          " enter step\n compute {0}\n irecv from={1} tag=1 bytes=64 req={2}\n"
          " isend to={1} tag=1 bytes=64 req={3}\n compute 50\n waitall reqs={2},{3}\n"
          " compute 20\n allreduce bytes=8 elem=8\n",
          200 + 100 * rank, 1 - rank, first, first + 1);
      if (outputs.contains(step)) text += " compute 70\n barrier\n";
      text += " leave step\n";
    }
    text += " leave loop\n compute 500\n reduce root=0 bytes=8 elem=8\n finalize\n";
  }
  return text;
}

TEST(IterationEdits, CutsAndRepeatsIterations) {
  const Trace trace = untimed_trace(2, stepping_program(6));
  const EditedProgram fewer = edited(trace, {"iterations count=3"});
  EXPECT_EQ(fewer.log[0].changed, 3u);
  EXPECT_EQ(fewer.log[0].selected, 6u);
  expect_edited(trace, {"iterations count=3"}, stepping_program(3));
  expect_edited(trace, {"iterations count=6"}, stepping_program(6));
  expect_edited(trace, {"iterations count=9", "iterations count=6"}, stepping_program(6));
  // Copies have requests of their own, numbered in the order of their start.
  for (const bool turns : {false, true}) {
    expect_edited(untimed_trace(2, stepping_program(6, {}, turns)), {"iterations count=11"},
                  stepping_program(11));
  }
}

// Iterations 4 to 7 come again as 8 to 11 and so on, with the output of number 5.
TEST(IterationEdits, RepeatsIterationsInTheirOrder) {
  const Trace trace = untimed_trace(2, stepping_program(8, {2, 5}));
  expect_edited(trace, {"iterations count=14 from=4"}, stepping_program(14, {2, 5, 9, 13}));
  for (const char* edit :
       {"iterations count=15 from=8", "iterations count=15 from=0", "iterations count=0",
        "iterations count=1000000000000", "iterations count=5 loop=2", "iterations count=5 ranks=0",
        "iterations"}) {
    EXPECT_THROW(edited(trace, {edit}), Error) << edit;
  }
}

// Each iteration waits for the receive of the one before it.
TEST(IterationEdits, RepeatsNoIterationsThatShareRequests) {
  std::string text;
  for (int rank = 0; rank < 2; ++rank) {
    const int other = 1 - rank;
    text += fmt::format("rank {}\n init\n irecv from={} bytes=8 req=1\n", rank, other);
    for (int step = 1; step <= 8; ++step) {
      text += fmt::format(
          " irecv from={0} bytes=8 req={1}\n compute 100\n send to={0} bytes=8\n wait req={2}\n",
          other, step + 1, step);
    }
    text += fmt::format(" compute 100\n send to={} bytes=8\n wait req=9\n finalize\n", other);
  }
  const Trace trace = untimed_trace(2, text);
  EXPECT_THAT([&] { edited(trace, {"iterations count=20"}); },
              ThrowsMessage<Error>(HasSubstr("request")));
}

TEST(IterationEdits, HasNoIterationsWithoutALoop) {
  EXPECT_THAT([] { edited(two_visits(), {"iterations count=3"}); },
              ThrowsMessage<Error>(HasSubstr("no loop of calls was found")));
}

}  // namespace
}  // namespace slackline
