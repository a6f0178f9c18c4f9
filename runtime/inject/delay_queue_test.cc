// The tables of the injector need no UCX.
extern "C" {
#include <delay_queue.h>
#include <link.h>
}

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace {

struct Queue {
  Queue() = default;
  ~Queue() { delay_queue_free(&queue); }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  void add(std::uint64_t due, int value, void* interface = nullptr) {
    ASSERT_EQ(delay_queue_add(&queue, due, nullptr, interface, &value, sizeof value, 0), 0);
  }
  /// The value of the message that is due, or -1.
  int take(std::uint64_t now) {
    delayed_message* message = delay_queue_take(&queue, now);
    if (message == nullptr) return -1;
    const int value = *reinterpret_cast<const int*>(message->bytes);
    delay_queue_give_back(&queue, message);
    return value;
  }

  delay_queue queue{};
};

TEST(DelayQueue, DeliversNothingEarly) {
  Queue q;
  q.add(100, 1);
  EXPECT_EQ(q.take(99), -1);
  EXPECT_EQ(q.take(100), 1);
  EXPECT_EQ(q.take(1000), -1);
}

TEST(DelayQueue, KeepsTheOrderOfEqualTimes) {
  Queue q;
  for (int i = 0; i < 500; ++i) q.add(7, i);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(q.take(7), i);
}

TEST(DelayQueue, UsesMemoryAgain) {
  Queue q;
  std::vector<const void*> first;
  for (int i = 0; i < 100; ++i) q.add(7, i);
  for (std::size_t i = 0; i < q.queue.count; ++i) first.push_back(q.queue.heap[i]);
  for (int i = 0; i < 100; ++i) q.take(7);
  for (int i = 0; i < 100; ++i) q.add(7, i);
  for (std::size_t i = 0; i < q.queue.count; ++i) {
    EXPECT_THAT(first, testing::Contains(q.queue.heap[i]));
  }
}

TEST(DelayQueue, SortsByTime) {
  Queue q;
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const int due = static_cast<int>(random() % 1000);
    q.add(static_cast<std::uint64_t>(due), due);
  }
  int last = 0;
  for (int i = 0; i < 2000; ++i) {
    const int due = q.take(1000);
    EXPECT_GE(due, last);
    last = due;
  }
}

TEST(DelayQueue, DropsTheMessagesOfAnInterface) {
  Queue q;
  int a = 0;
  int b = 0;
  for (int i = 0; i < 100; ++i) q.add(static_cast<std::uint64_t>(100 - i), i, i % 2 == 0 ? &a : &b);
  delay_queue_drop(&q.queue, &b);
  for (int i = 98; i >= 0; i -= 2) EXPECT_EQ(q.take(1000), i);
  EXPECT_EQ(q.take(1000), -1);
}

TEST(Link, AddsLatencyToTheTimeOfSending) {
  const link_settings settings{1000, 0, 0};
  std::uint64_t random = 1;
  const struct link idle {};
  EXPECT_EQ(link_after(&idle, &settings, 50, 1 << 20, &random).due_ns, 1050u);
}

TEST(Link, PacesMessagesOneAfterTheOther) {
  const link_settings settings{1000, 2.0, 0};  // 2 ns per byte
  std::uint64_t random = 1;
  struct link link {};
  link = link_after(&link, &settings, 50, 100, &random);
  EXPECT_EQ(link.due_ns, 50u + 200 + 1000);
  link = link_after(&link, &settings, 60, 100, &random);
  EXPECT_EQ(link.due_ns, 50u + 400 + 1000);
  link = link_after(&link, &settings, 5000, 100, &random);
  EXPECT_EQ(link.due_ns, 5000u + 200 + 1000);
}

TEST(Link, JitterStaysInItsBoundsAndKeepsTheOrder) {
  const link_settings settings{1000, 0, 300};
  std::uint64_t random = 1;
  struct link link {};
  std::uint64_t last = 0;
  for (std::uint64_t now = 0; now < 100'000; now += 10) {
    link = link_after(&link, &settings, now, 8, &random);
    EXPECT_GE(link.due_ns, now + 1000);
    EXPECT_LE(link.due_ns, now + 1300);
    EXPECT_GE(link.due_ns, last);
    last = link.due_ns;
  }
}

TEST(Links, AreOneForEachEndpoint) {
  links table{};
  std::vector<int> endpoints(1000);
  for (std::size_t i = 0; i < endpoints.size(); ++i) links_find(&table, &endpoints[i])->due_ns = i;
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    EXPECT_EQ(links_find(&table, &endpoints[i])->due_ns, i);
  }
  links_free(&table);
}

}  // namespace
