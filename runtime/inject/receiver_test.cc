// When a message would be handed on without latency.

extern "C" {
#include "receiver.h"
}

#include <gtest/gtest.h>

#include <cstdint>

namespace {

constexpr std::size_t kBytes = 8000;

/// A receiver that knows what messages of kBytes take: 400 ns, 300 ns and 200 ns.
receiver knowing_receiver() {
  receiver r{};
  receiver_takes(&r, kBytes, 0, 400);
  receiver_queued(&r, kBytes, 300);
  receiver_handed_on(&r, kBytes, 200);
  r.free_ns = 0;
  return r;
}

TEST(Receiver, TakesAMessageAfterItsTransportAndItsCopy) {
  receiver r = knowing_receiver();
  EXPECT_EQ(receiver_takes(&r, kBytes, 10'000, 10'450), 10'000u + 400 + 300);
}

TEST(Receiver, TakesMessagesOneAfterTheOther) {
  receiver r = knowing_receiver();
  EXPECT_EQ(receiver_takes(&r, kBytes, 10'000, 10'400), 10'700u);
  // Sent 100 later, it has to wait for the first, which takes 200 more; then its copy takes 300.
  EXPECT_EQ(receiver_takes(&r, kBytes, 10'100, 10'500), 10'700u + 200 + 300);
  EXPECT_EQ(receiver_takes(&r, kBytes, 50'000, 50'400), 50'700u);
}

// It computed until 90'000: that is no transport.
TEST(Receiver, DoesNotCountWhatItComputesMeanwhile) {
  receiver r = knowing_receiver();
  EXPECT_EQ(receiver_takes(&r, kBytes, 10'000, 90'000), 10'700u);
}

// The first message of its class arrives when the receiver looks, at 90'000.
TEST(Receiver, BoundsWhatItDoesNotKnowYet) {
  receiver r{};
  const std::uint64_t taken = receiver_takes(&r, kBytes, 10'000, 90'000);
  EXPECT_GE(taken, 10'000u);
  EXPECT_LE(taken, 10'000u + 500 + kBytes / 4);
}

/// A receiver of a network that last looked at 5'000 ns.
receiver network_receiver() {
  receiver r{};
  r.beyond_memory_ns = 50'000;
  r.polled_ns = 5'000;
  return r;
}

TEST(Receiver, LearnsFromMessagesThatItWaitedFor) {
  receiver r = network_receiver();
  EXPECT_EQ(receiver_takes(&r, kBytes, 4'000, 12'000), 4'000u + 8'000);
  EXPECT_EQ(receiver_takes(&r, kBytes, 100'000, 190'000), 100'000u + 8'000);
  // What is known of shorter ones is the least that longer ones take.
  EXPECT_EQ(receiver_takes(&r, 10 * kBytes, 200'000, 290'000), 200'000u + 8'000);
}

TEST(Receiver, LearnsNothingFromMessagesThatItDidNotWaitFor) {
  receiver r = network_receiver();
  EXPECT_EQ(receiver_takes(&r, kBytes, 6'000, 40'000), 6'000u);   // it may have computed
  EXPECT_EQ(receiver_takes(&r, kBytes, 5'000, 900'000), 6'000u);  // a connection was made
}

}  // namespace
