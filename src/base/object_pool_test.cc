#include "base/object_pool.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace slackline {
namespace {

TEST(ObjectPool, KeepsWhatIsThereWhereItIs) {
  std::mt19937 random(5);
  ObjectPool<int> pool;
  std::map<std::uint32_t, std::pair<int, const int*>> model;
  for (int step = 1; step < 20'000; ++step) {
    if (!model.empty() && random() % 2 == 0) {
      const auto gone = model.lower_bound(static_cast<std::uint32_t>(random() % pool.size()));
      if (gone == model.end()) continue;
      ASSERT_EQ(pool[gone->first], gone->second.first);
      ASSERT_EQ(&pool[gone->first], gone->second.second);
      pool.release(gone->first);
      model.erase(gone);
    } else {
      const std::uint32_t id = pool.acquire();
      ASSERT_EQ(pool[id], 0);
      ASSERT_LT(id, pool.size());
      pool[id] = step;
      ASSERT_TRUE(model.emplace(id, std::pair{step, &pool[id]}).second);
    }
  }
}

TEST(ObjectPool, IdsAreDense) {
  ObjectPool<int> pool;
  for (std::uint32_t i = 0; i < 200; ++i) EXPECT_EQ(pool.acquire(), i);
  pool.release(7);
  EXPECT_EQ(pool.acquire(), 7u);
  EXPECT_EQ(pool.size(), 200u);
}

}  // namespace
}  // namespace slackline
