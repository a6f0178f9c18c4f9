#include <gtest/gtest.h>

#include "formats/testing/text_trace.h"
#include "replay/persistent_requests.h"
#include "replay/request_places.h"

namespace slackline {
namespace {

TEST(RequestPlaces, AreAsLowAsPossible) {
  RequestPlaces places;
  EXPECT_EQ(places.open(70), 1u);
  EXPECT_EQ(places.open(71), 2u);
  EXPECT_EQ(places.open(72), 3u);
  EXPECT_EQ(places.find(71), 2u);
  places.forget(70);
  places.release(1);
  places.forget(71);
  places.release(2);
  EXPECT_EQ(places.find(71), 0u);
  EXPECT_EQ(places.take(), 1u);
  EXPECT_EQ(places.open(73), 2u);
  EXPECT_EQ(places.open(74), 4u);
  EXPECT_EQ(places.most(), 4u);
  places.rename(90, 3);
  EXPECT_EQ(places.find(90), 3u);
  EXPECT_EQ(places.find(72), 3u);
}

class PersistentRequestsTest : public ::testing::Test {
 protected:
  static PostedMessage posted(Operation mode, std::int32_t peer, std::int32_t tag,
                              std::uint64_t bytes) {
    return {.peer = peer,
            .tag = tag,
            .comm = 0,
            .bytes = bytes,
            .request = 1,
            .mode = mode,
            .blocking = false};
  }
  void add(Operation operation, std::uint32_t place, std::uint8_t flags = 0) {
    requests_.add({.operation = operation, .flags = flags, .bytes = 8, .peer = 1, .tag = 5}, place);
  }

  PersistentRequests requests_;
};

TEST_F(PersistentRequestsTest, StartOneOfTheirKindThatIsNotActive) {
  add(Operation::send_init, 1);
  add(Operation::recv_init, 2);
  add(Operation::send_init, 3);
  const PostedMessage send = posted(Operation::send_init, 1, 5, 8);
  EXPECT_EQ(requests_.start(send), 1u);
  EXPECT_EQ(requests_.start(send), 3u);
  EXPECT_EQ(requests_.start(send), 0u);
  requests_.complete(1);
  EXPECT_EQ(requests_.start(send), 1u);
  EXPECT_TRUE(requests_.holds(3));
  requests_.remove(3);
  EXPECT_FALSE(requests_.holds(3));
  EXPECT_EQ(requests_.start(posted(Operation::recv_init, 1, 5, 8)), 2u);
}

TEST_F(PersistentRequestsTest, FitByPeerTagAndSizeOfSends) {
  add(Operation::send_init, 1);
  add(Operation::recv_init, 2);
  EXPECT_EQ(requests_.start(posted(Operation::send_init, 2, 5, 8)), 0u);
  EXPECT_EQ(requests_.start(posted(Operation::send_init, 1, 6, 8)), 0u);
  EXPECT_EQ(requests_.start(posted(Operation::send_init, 1, 5, 9)), 0u);
  EXPECT_EQ(requests_.start(posted(Operation::ssend_init, 1, 5, 8)), 0u);
  EXPECT_EQ(requests_.start(posted(Operation::recv_init, 1, 5, 3)), 2u);
}

TEST_F(PersistentRequestsTest, WildcardsFitAnySourceAndTag) {
  add(Operation::recv_init, 1, SLK_FLAG_ANY_SOURCE);
  add(Operation::recv_init, 2, SLK_FLAG_ANY_TAG);
  EXPECT_EQ(requests_.start(posted(Operation::recv_init, 2, 6, 8)), 0u);
  EXPECT_EQ(requests_.start(posted(Operation::recv_init, 2, 5, 8)), 1u);
  EXPECT_EQ(requests_.start(posted(Operation::recv_init, 1, 6, 8)), 2u);
}

}  // namespace
}  // namespace slackline
