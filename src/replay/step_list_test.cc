#include "replay/step_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/replay_wire.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;

std::vector<int> bytes_of(const std::string& text) {
  std::vector<int> bytes;
  for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
  return bytes;
}

// LEB128 of 300 is 0xac 0x02; the zigzag forms of -1, 1 and -64 are 1, 2 and 127.
TEST(ByteStream, WritesVariableLengthIntegers) {
  std::string text;
  for (const std::uint64_t value : {0u, 127u, 128u, 300u}) put_unsigned(text, value);
  EXPECT_THAT(bytes_of(text), ElementsAre(0, 127, 128, 1, 0xac, 2));
  text.clear();
  for (const std::int64_t value : {0, -1, 1, -64, 64}) put_signed(text, value);
  EXPECT_THAT(bytes_of(text), ElementsAre(0, 1, 2, 127, 128, 1));
  text.clear();
  put_signed(text, INT64_MIN);
  EXPECT_THAT(bytes_of(text), ElementsAre(255, 255, 255, 255, 255, 255, 255, 255, 255, 1));
}

CallShape barrier() {
  return {.operation = Operation::barrier};
}
CallShape send(std::uint64_t bytes) {
  return {.operation = Operation::send, .peer = 1, .tag = 2, .bytes = bytes};
}

constexpr int kBarrier = static_cast<int>(Operation::barrier);
constexpr int kSend = static_cast<int>(Operation::send);

TEST(StepList, HasTheMostFrequentShapeFirst) {
  static_assert(SLK_REPLAY_UNIT_NS == 8 && kBarrier < 128 && kSend < 128);
  StepList steps;
  steps.add(4, 80, send(5));
  steps.add(6, 16, barrier());
  steps.add(9, 0, barrier());
  EXPECT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps.shape_count(), 2u);
  EXPECT_THAT(steps.calls(), ElementsAre(4, 6, 9));
  std::string text;
  steps.write(text);
  EXPECT_THAT(bytes_of(text), ElementsAre(kBarrier, 0, 0, 0, 0, 0, 0, 0,  //
                                          kSend, 0, 2, 4, 0, 5, 0, 0,     //
                                          10, 1, 2, 0, 0, 0));
}

// 5 ns at a time: 5, 10, 15 and 20 ns are 0, 1, 1 and 2 units of 8 ns.
TEST(StepList, LosesNoTimeByRounding) {
  StepList steps;
  for (CallIndex i = 0; i < 4; ++i) steps.add(i, 5, barrier());
  std::string text;
  steps.write(text);
  EXPECT_THAT(bytes_of(text.substr(8)), ElementsAre(0, 0, 1, 0, 0, 0, 1, 0));
}

TEST(StepList, HasPollsOfPolledShapesOnly) {
  StepList steps;
  CallShape polled = barrier();
  polled.flags = SLK_REPLAY_POLLED;
  steps.add(0, 8, polled, 3, 24);
  steps.add(1, 8, barrier(), 3, 24);
  std::string text;
  steps.write(text);
  EXPECT_THAT(bytes_of(text.substr(16)), ElementsAre(1, 0, 3, 3, 1, 1));
}

}  // namespace
}  // namespace slackline
