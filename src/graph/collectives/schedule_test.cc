// Properties of every algorithm in the table: its ranks never deadlock, neither with sends that
// complete at once nor with sends that wait for their receive; every message is received once with
// the size it was sent; at the end every rank has heard of everything that its result depends on;
// and no fewer bytes were moved than the operation needs.

#include "graph/collectives/schedule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "graph/collectives/testing/expectations.h"

namespace slackline {
namespace {

using test::Case;

constexpr std::int32_t kSizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                   12, 13, 14, 15, 16, 17, 24, 31, 32, 33, 64};

std::set<std::int32_t> roots_of(Operation operation, std::int32_t size) {
  if (!has_root(operation)) return {0};
  return {0, 1 % size, size / 2, size - 1};
}

std::string title(const CollectiveAlgorithm& a) {
  return std::string(identifier(a.operation)) + "_" + std::string(a.name);
}

class EveryAlgorithm : public testing::TestWithParam<CollectiveAlgorithm> {};

TEST_P(EveryAlgorithm, IsCompleteAndFreeOfDeadlock) {
  const CollectiveAlgorithm& algorithm = GetParam();
  for (const std::int32_t size : kSizes) {
    // 600 KB cuts into several segments of every segmented algorithm; few ranks are enough for it.
    const std::vector<std::uint64_t> sizes = size <= 9
                                                 ? std::vector<std::uint64_t>{0, 1, 8, 1000, 600000}
                                                 : std::vector<std::uint64_t>{0, 1, 1000, 30000};
    for (const std::uint64_t bytes : sizes) {
      for (const std::int32_t root : roots_of(algorithm.operation, size)) {
        const Case c = test::make_case(algorithm.operation, size, bytes, root);
        ASSERT_EQ(test::what_is_wrong(algorithm, c), "");
      }
    }
  }
}

TEST(AllAlgorithms, TakeNoStepAlone) {
  for (const CollectiveAlgorithm& a : collective_algorithms()) {
    const Case c = test::make_case(a.operation, 1, 4096, 0);
    EXPECT_TRUE(test::programs(a, c.with_counts(), c.own)[0].empty()) << title(a);
  }
}

TEST(AllAlgorithms, AreCompleteWhenTheOperationDoesNotCommute) {
  for (const CollectiveAlgorithm& a : collective_algorithms()) {
    Case c = test::make_case(a.operation, 11, 640, has_root(a.operation) ? 3 : 0);
    c.call.commutative = false;
    EXPECT_EQ(test::what_is_wrong(a, c), "");
  }
}

TEST(AllAlgorithms, SendTheSameMessagesWithAndWithoutSingleWaits) {
  for (const CollectiveAlgorithm& a : collective_algorithms()) {
    Case c = test::make_case(a.operation, 7, 300000, 0);
    const auto with = [&](bool single_waits) {
      c.call.single_waits = single_waits;
      return test::perform(test::programs(a, c.with_counts(), c.own), test::Sends::eager);
    };
    EXPECT_EQ(with(true).bytes_sent, with(false).bytes_sent) << title(a);
    EXPECT_EQ(with(true).messages_sent, with(false).messages_sent) << title(a);
  }
}

TEST(AllAlgorithms, SurviveGarbage) {
  for (const CollectiveAlgorithm& a : collective_algorithms()) {
    Case c = test::make_case(a.operation, 5, 1000, 0);
    c.call.root = -7;
    c.call.element_bytes = 0;
    c.counts.assign(3, -5);
    c.own.assign(5, {1000000, 1, -4, 3, 9});
    std::vector<CollectiveStep> steps;
    for (std::int32_t r = 0; r < 5; ++r) {
      a.expand(c.with_counts(), r, OwnCounts{c.own[0]}, steps);
    }
    for (const CollectiveStep& s : steps) EXPECT_LT(s.peer, 5) << title(a);
    EXPECT_LT(steps.size(), 1000U) << title(a);
  }
}

TEST(AllAlgorithms, BoundTheirStepsForHugeVectors) {
  for (const CollectiveAlgorithm& a : collective_algorithms()) {
    Case c = test::make_case(a.operation, 4, 1000, 0);
    c.call.bytes = std::uint64_t{1} << 50;
    for (std::int64_t& count : c.counts) count = (std::int64_t{1} << 50) + 1;
    if (!c.counts.empty()) c.counts[0] = 1;
    std::vector<CollectiveStep> steps;
    a.expand(c.with_counts(), 1, OwnCounts{}, steps);
    // A segment costs at most a receive, a wait, and a send to each of two children.
    EXPECT_LT(steps.size(), 5U * 16384U) << title(a);
  }
}

TEST(Neighbors, KeepTheirNumbersAndOrderAndLeaveOutNobody) {
  using Kind = CollectiveStep::Kind;
  const CollectiveCall call{.operation = Operation::neighbor_alltoallv, .size = 4, .bytes = 8};
  // To 7 twice (a periodic dimension of two) and to MPI_PROC_NULL; from 7 twice.
  const std::vector<std::int64_t> args{3, 7, 10, SLK_PEER_NULL, 99, 7, 20, 2, 7, 30, 7, 40};
  std::vector<CollectiveStep> steps;
  find_algorithm(call.operation, "linear")->expand(call, 2, OwnCounts{args}, steps);
  const std::vector<CollectiveStep> expected{{.kind = Kind::irecv, .peer = 7, .bytes = 30},
                                             {.kind = Kind::irecv, .peer = 7, .bytes = 40},
                                             {.kind = Kind::isend, .peer = 7, .bytes = 10},
                                             {.kind = Kind::isend, .peer = 7, .bytes = 20},
                                             {.kind = Kind::wait_all}};
  EXPECT_EQ(steps, expected);
}

// Traces that tell only sums: as if every block had its part of them.
TEST(Alltoallv, WithoutCountsIsAlltoall) {
  const CollectiveCall call{.operation = Operation::alltoallv, .size = 4, .bytes = 4 * 1000};
  const CollectiveCall equal{.operation = Operation::alltoall, .size = 4, .bytes = 1000};
  for (const char* name : {"pairwise", "ring"}) {
    std::vector<CollectiveStep> steps;
    std::vector<CollectiveStep> expected;
    find_algorithm(call.operation, name)->expand(call, 2, OwnCounts{}, steps);
    find_algorithm(equal.operation, name)->expand(equal, 2, OwnCounts{}, expected);
    EXPECT_FALSE(steps.empty());
    EXPECT_EQ(steps, expected) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Collectives, EveryAlgorithm,
                         testing::ValuesIn(collective_algorithms().begin(),
                                           collective_algorithms().end()),
                         [](const auto& tested) { return title(tested.param); });

RC_GTEST_PROP(AnyAlgorithm, IsCompleteAndFreeOfDeadlock, ()) {
  const auto all = collective_algorithms();
  const auto& algorithm = all[*rc::gen::inRange<std::size_t>(0, all.size())];
  const auto size = *rc::gen::inRange<std::int32_t>(1, 65);
  const auto bytes = *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0, 100),
                                     rc::gen::inRange<std::uint64_t>(0, 60000));
  const auto root = has_root(algorithm.operation) ? *rc::gen::inRange<std::int32_t>(0, size) : 0;
  Case c = test::make_case(algorithm.operation, size, bytes, root,
                           *rc::gen::inRange<std::uint64_t>(0, 1000));
  c.call.commutative = *rc::gen::arbitrary<bool>();
  c.call.element_bytes = *rc::gen::element<std::uint32_t>(1, 4, 8, 12, 24);
  const std::string wrong = test::what_is_wrong(algorithm, c);
  RC_ASSERT(wrong == "");
}

}  // namespace
}  // namespace slackline
