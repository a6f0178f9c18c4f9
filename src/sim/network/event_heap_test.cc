#include "sim/network/event_heap.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace slackline {
namespace {

TEST(EventHeap, EqualTimesComeInTheOrderInWhichTheyWereSet) {
  EventHeap heap;
  for (const std::uint32_t id : {4U, 2U, 7U, 0U}) heap.set(id, 1);
  heap.set(2, 1);  // set anew: now the last
  for (const std::uint32_t id : {4U, 7U, 0U, 2U}) EXPECT_EQ(heap.pop(), id);
  EXPECT_TRUE(heap.empty());
}

// Against a list that is searched from the front.
TEST(EventHeap, GivesTheEarliestWhateverIsSetMovedAndRemoved) {
  std::mt19937 random(1);
  EventHeap heap;
  std::vector<std::pair<double, std::uint32_t>> list;  // in the order of setting
  const auto drop = [&](std::uint32_t id) {
    std::erase_if(list, [&](const auto& entry) { return entry.second == id; });
  };
  for (int i = 0; i < 5000; ++i) {
    const auto id = static_cast<std::uint32_t>(random() % 50);
    const auto choice = random() % 4;
    if (choice == 0) {
      heap.remove(id);
      drop(id);
    } else if (choice == 1 && !list.empty()) {
      auto first = list.begin();
      for (auto at = list.begin(); at != list.end(); ++at) {
        if (at->first < first->first) first = at;
      }
      ASSERT_EQ(heap.next_time(), first->first);
      ASSERT_EQ(heap.pop(), first->second);
      list.erase(first);
    } else {
      const auto time = static_cast<double>(random() % 10);
      heap.set(id, time);
      drop(id);
      list.emplace_back(time, id);
    }
    ASSERT_EQ(heap.size(), list.size());
  }
}

}  // namespace
}  // namespace slackline
