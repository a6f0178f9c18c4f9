#include "parallel/shared_rows.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "parallel/testing/thread_processes.h"

namespace slackline {
namespace {

using Row = KeyedSum<int, std::int64_t>;

struct Tables {
  std::vector<Row> many{};
  std::vector<Row> few{};
  std::vector<Row> none{};

  auto tables() { return std::tie(many, few, none); }
  void add_up() { add_up_tables(tables()); }
};

/// As the process of that number has them; some keys are had by one process only.
Tables tables_of(int process) {
  std::mt19937 random(static_cast<unsigned>(process));
  Tables tables;
  for (int i = 0; i < 300; ++i) {
    const int key = static_cast<int>(random() % 50) + (i % 3 == 0 ? 1000 * process : 0);
    tables.many.push_back({key, static_cast<std::int64_t>(random())});
  }
  if (process == 1) tables.few.push_back({7, 8});
  return tables;
}

std::map<int, std::int64_t> as_map(const std::vector<Row>& rows) {
  std::map<int, std::int64_t> sums;
  for (const Row& row : rows) sums[row.of] += row.sum;
  return sums;
}

TEST(SharedRows, AddUpToTheSameInAllProcesses) {
  for (const int count : {1, 2, 3, 4, 7}) {
    Tables all;
    for (int p = 0; p < count; ++p) append_tables(all.tables(), tables_of(p).tables());
    run_as_processes(count, [&](ProcessGroup& group) {
      Tables mine = tables_of(group.rank());
      Tables first = mine;
      add_up_over_processes(group, first, Receiver::first);
      add_up_over_processes(group, mine, Receiver::all);
      if (count == 1) mine.add_up(), first.add_up();
      EXPECT_EQ(as_map(first.many), group.is_first() ? as_map(all.many) : as_map({}));
      EXPECT_EQ(as_map(mine.many), as_map(all.many));
      EXPECT_EQ(mine.many.size(), as_map(all.many).size()) << "a row for each key";
      EXPECT_TRUE(std::ranges::is_sorted(mine.many, {}, &Row::of));
      EXPECT_EQ(as_map(mine.few), as_map(all.few));
      EXPECT_TRUE(mine.none.empty());
    });
  }
}

TEST(SharedRows, OfCommonKeysEachProcessSendsAboutTwiceItsOwnHoweverManyThereAre) {
  constexpr int kKeys = 10'000;
  for (const int count : {2, 8}) {
    run_as_processes(count, [&](ProcessGroup& group) {
      Tables mine;
      for (int key = 0; key < kKeys; ++key) mine.many.push_back({key, group.rank()});
      add_up_over_processes(group, mine, Receiver::all);
      ASSERT_EQ(mine.many.size(), std::size_t{kKeys});
      EXPECT_EQ(mine.many.back().sum, count * (count - 1) / 2);
      EXPECT_LT(group.traffic().bytes_sent, 25 * kKeys * sizeof(Row) / 10);
    });
  }
}

}  // namespace
}  // namespace slackline
