// Collectives by order of arrival where rank 0 finds out while they go on who has come: whoever
// comes when, everybody is served, in rounds of those who had come.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "graph/collectives/testing/interpreter.h"

namespace slackline::collectives {
namespace {

using Kind = CollectiveStep::Kind;
using testing::ElementsAre;

constexpr std::uint64_t kSegments = 3 * 8192;  // nothing is left over for another broadcast

bool takes_time_only(const CollectiveStep& step) {
  return step.kind == Kind::look || step.kind == Kind::poll || step.kind == Kind::clock ||
         step.kind == Kind::pause;
}

/// A call whose rank r reports when rank 0 has looked `comes[r]` times.
class Call {
 public:
  Call(Operation operation, std::string_view algorithm, std::uint64_t bytes,
       std::vector<std::size_t> comes)
      : call_{.operation = operation,
              .size = static_cast<std::int32_t>(comes.size()),
              .bytes = bytes,
              .single_waits = true},
        algorithm_(*find_smpi_algorithm(operation, algorithm)),
        comes_(std::move(comes)) {
    complete_rank_0();
  }

  const std::vector<ArrivalRecord::Round>& rounds() const { return record_.rounds.front(); }

  /// All ranks' steps that are messages, each receive with its sender.
  test::Programs programs() {
    test::Programs all{steps_};
    for (std::int32_t r = 1; r < call_.size; ++r) {
      EXPECT_TRUE(expand(r));
      all.push_back(steps_);
    }
    for (auto& steps : all) std::erase_if(steps, takes_time_only);
    for (std::int32_t r = 1; r < call_.size; ++r) name_sender(all, r);
    return all;
  }

 private:
  bool expand(std::int32_t rank) {
    Arrivals arrivals(record_);
    CollectiveCall performed = call_;
    performed.arrivals = &arrivals;
    steps_.clear();
    algorithm_.expand(performed, rank, {}, steps_);
    return !arrivals.incomplete();
  }

  /// Each look finds who has come by then, until rank 0 has taken that report.
  void complete_rank_0() {
    std::size_t done = 0;
    std::vector<bool> taken(comes_.size());
    while (!expand(0)) {
      ASSERT_LT(done, steps_.size()) << "the steps go on";
      for (; done < steps_.size(); ++done) {
        const CollectiveStep& step = steps_[done];
        const auto peer = static_cast<std::size_t>(std::max(step.peer, 0));
        if (step.kind == Kind::recv) taken[peer] = true;
        if (step.kind != Kind::look && step.kind != Kind::poll) continue;
        record_.found.push_back(!taken[peer] && comes_[peer] <= record_.found.size());
      }
    }
  }

  void name_sender(test::Programs& all, std::int32_t receiver) {
    const auto sends = [&](const CollectiveStep& step) {
      const bool send = step.kind == Kind::send || step.kind == Kind::isend;
      return step.anonymous && send && step.peer == receiver;
    };
    for (std::int32_t s = 0; s < call_.size; ++s) {
      if (std::ranges::none_of(all[static_cast<std::size_t>(s)], sends)) continue;
      for (CollectiveStep& step : all[static_cast<std::size_t>(receiver)]) {
        const bool receives = step.kind == Kind::recv || step.kind == Kind::irecv;
        if (step.anonymous && receives) step.peer = s;
      }
    }
  }

  CollectiveCall call_;
  const CollectiveAlgorithm& algorithm_;
  std::vector<std::size_t> comes_;
  ArrivalRecord record_{};
  std::vector<CollectiveStep> steps_{};
};

TEST(Arrival, WhoHasComeIsServedTogether) {
  // Ranks 1 and 3 have come at the first three looks; rank 2 at the next.
  const Call call(Operation::bcast, "arrival_pattern_aware", kSegments, {0, 0, 3, 0});
  EXPECT_THAT(call.rounds(), ElementsAre(ElementsAre(1, 3), ElementsAre(2)));
}

TEST(Arrival, WhoeverIsNextIsServedWhenNobodyHasCome) {
  const Call call(Operation::bcast, "arrival_pattern_aware", kSegments, {0, 100, 100, 3});
  EXPECT_THAT(call.rounds(), ElementsAre(ElementsAre(1), ElementsAre(3), ElementsAre(2)));
}

TEST(Arrival, RankZeroLooksThreeTimesRound) {
  // Rank 2 comes at the seventh look, in the third round.
  const Call call(Operation::bcast, "arrival_pattern_aware_wait", kSegments, {0, 0, 4, 0});
  EXPECT_THAT(call.rounds(), ElementsAre(ElementsAre(1, 2, 3)));
}

// A part for each rank is enough to scatter; with fewer elements it is a binomial tree.
TEST(Arrival, ScattersAsSoonAsThereIsAPartForEachRank) {
  const Call scattered(Operation::bcast, "arrival_scatter", 4, {0, 0, 0, 0});
  EXPECT_THAT(scattered.rounds(), ElementsAre(ElementsAre(1, 2, 3)));
  Call binomial(Operation::bcast, "arrival_scatter", 3, {0, 0, 0, 0});
  EXPECT_EQ(binomial.programs()[0].size(), 2u) << "rank 0 sends to 2 and to 1";
}

struct Case {
  Operation operation;
  const char* algorithm;
  std::uint64_t bytes;
  bool may_choose = false;  ///< serves also who has not come
};

RC_GTEST_PROP(Arrival, EverybodyIsServedWhoeverComesWhen, ()) {
  const Case c = *rc::gen::element(Case{Operation::bcast, "arrival_pattern_aware", kSegments, true},
                                   Case{Operation::bcast, "arrival_pattern_aware_wait", kSegments},
                                   Case{Operation::bcast, "arrival_pattern_aware_wait", 100},
                                   Case{Operation::bcast, "arrival_scatter", 1000},
                                   Case{Operation::reduce, "arrival_pattern_aware", kSegments},
                                   Case{Operation::reduce, "arrival_pattern_aware", 100});
  const auto ranks = *rc::gen::inRange<std::size_t>(2, 12);
  const auto comes =
      *rc::gen::container<std::vector<std::size_t>>(ranks, rc::gen::inRange<std::size_t>(0, 60));
  Call call(c.operation, c.algorithm, c.bytes, comes);
  const test::Programs programs = call.programs();
  for (const test::Sends sends : {test::Sends::eager, test::Sends::synchronous}) {
    // Who is served before his report was taken must not be waiting for that, in SimGrid too.
    if (sends == test::Sends::synchronous && c.may_choose) continue;
    const test::Performance done = test::perform(programs, sends);
    RC_ASSERT(done.defect == "");
    const test::RankSet all = test::first_ranks(static_cast<std::int32_t>(ranks));
    if (c.operation == Operation::reduce) RC_ASSERT(done.knows[0] == all);
    for (std::size_t r = 1; r < ranks && c.operation == Operation::bcast; ++r) {
      RC_ASSERT((done.knows[r] & test::only(0)) != 0u);
      RC_ASSERT(done.bytes_received[r] >= c.bytes);
    }
  }
}

}  // namespace
}  // namespace slackline::collectives
