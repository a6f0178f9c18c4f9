#include "base/slots.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace slackline {
namespace {

TEST(Slots, KeepsWhatIsThereWhereItIs) {
  std::mt19937 random(5);
  Slots<int> slots;
  std::map<std::uint32_t, std::pair<int, const int*>> model;
  for (int step = 1; step < 20'000; ++step) {
    if (!model.empty() && random() % 2 == 0) {
      const auto gone = model.lower_bound(static_cast<std::uint32_t>(random() % slots.size()));
      if (gone == model.end()) continue;
      ASSERT_EQ(slots[gone->first], gone->second.first);
      ASSERT_EQ(&slots[gone->first], gone->second.second);
      slots.give_back(gone->first);
      model.erase(gone);
    } else {
      const std::uint32_t id = slots.take();
      ASSERT_EQ(slots[id], 0);
      ASSERT_LT(id, slots.size());
      slots[id] = step;
      ASSERT_TRUE(model.emplace(id, std::pair{step, &slots[id]}).second);
    }
  }
}

TEST(Slots, IdsAreDense) {
  Slots<int> slots;
  for (std::uint32_t i = 0; i < 200; ++i) EXPECT_EQ(slots.take(), i);
  slots.give_back(7);
  EXPECT_EQ(slots.take(), 7u);
  EXPECT_EQ(slots.size(), 200u);
}

}  // namespace
}  // namespace slackline
