#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/testing/scratch_folder.h"
#include "formats/native/writer.h"
#include "formats/testing/text_trace.h"
#include "stretches/stretched_trace.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

using testing::timed_trace;

/// A trace, given in the text form, that is cut wherever it can be.
class Cutting : public ::testing::Test {
 protected:
  StretchedTrace& cut(const std::string& text) { return cut(timed_trace(2, text)); }
  StretchedTrace& cut(const Trace& trace) {
    const auto path = folder_.path() / "trace.slk";
    write_native(trace, path);
    file_.emplace(path);
    trace_.emplace(NativePieces(file_->bytes(), path.string()), alone_);
    if (trace_->obstacle().empty()) trace_->cut(1'000'000, alone_);
    return *trace_;
  }
  std::size_t stretches(const std::string& text) { return cut(text).size(); }
  std::string obstacle(const std::string& text) { return cut(text).obstacle(); }

  SingleProcess alone_;
  ScratchFolder folder_;
  std::optional<MappedFile> file_;
  std::optional<StretchedTrace> trace_;
};

std::string two_ranks(const std::string& first, const std::string& second) {
  return "rank 0\n" + first + "rank 1\n" + second;
}

constexpr const char* kBarrierFirst = " @100 +50 barrier\n";
constexpr const char* kBarrierSecond = " @120 +30 barrier\n";

TEST_F(Cutting, FallsApartAtABarrier) {
  StretchedTrace& trace = cut(
      two_ranks(std::string(" @10 +5 send to=1\n") + kBarrierFirst + " @200 +5 send to=1\n",
                std::string(" @10 +9 recv from=0\n") + kBarrierSecond + " @200 +9 recv from=0\n"));
  ASSERT_EQ(trace.size(), 2u);
  const auto first = trace.load(0);
  const auto second = trace.load(1);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->part.lead(), 0u);
  EXPECT_EQ(second->part.lead(), 1u);
  EXPECT_EQ(first->trace.calls(0).size(), 2u);
  EXPECT_EQ(second->trace.calls(0).size(), 2u);
  EXPECT_EQ(second->trace.calls(1).operation(0), Operation::barrier);
  EXPECT_EQ(second->trace.calls(1).start_ns(), 120);
  EXPECT_EQ(second->trace.calls(1).begin_ns(1), 200);
  EXPECT_EQ(first->part.own_time(first->trace.calls(0)).end_ns, 150);
  EXPECT_EQ(second->part.own_time(second->trace.calls(0)).begin_ns, 150);
}

TEST_F(Cutting, NotWhereAMessageIsOnItsWay) {
  EXPECT_EQ(stretches(two_ranks(std::string(" @10 +5 send to=1\n") + kBarrierFirst,
                                std::string(kBarrierSecond) + " @200 +9 recv from=0\n")),
            1u);
  // Another message is on its way instead of one that was received.
  EXPECT_EQ(stretches(two_ranks(std::string(" @10 +5 send to=1 tag=1\n") + kBarrierFirst +
                                    " @200 +5 send to=1 tag=2\n",
                                std::string(" @10 +9 recv from=0 tag=2\n") + kBarrierSecond +
                                    " @200 +9 recv from=0 tag=1\n")),
            1u);
}

TEST_F(Cutting, NotWhereARequestIsOpen) {
  EXPECT_EQ(stretches(two_ranks(
                std::string(" @10 +5 isend to=1 req=1\n") + kBarrierFirst + " @200 +5 wait req=1\n",
                std::string(" @10 +9 recv from=0\n") + kBarrierSecond)),
            1u);
  // A request that is never completed has no end that could be cut off.
  EXPECT_EQ(stretches(two_ranks(
                std::string(" @10 +5 isend to=1 req=1\n") + kBarrierFirst + " @200 +5 barrier\n",
                std::string(" @10 +9 recv from=0\n") + kBarrierSecond + " @200 +5 barrier\n")),
            3u);
}

TEST_F(Cutting, NotWhereARankLeavesBeforeAllHaveCome) {
  const auto second_barrier = [this](const std::string& first, const std::string& second) {
    return stretches(two_ranks(" @10 +5 barrier\n @100 " + first + " barrier\n",
                               " @10 +5 barrier\n @160 " + second + " barrier\n"));
  };
  EXPECT_EQ(second_barrier("+59", "+30"), 1u);
  EXPECT_EQ(second_barrier("+60", "+30"), 2u);
}

TEST_F(Cutting, KeepsPausesWhereTheyAre) {
  StretchedTrace& trace =
      cut("rank 0 stop=230\n @10 +5 barrier\n @20 +30 pause recording\n @100 +50 barrier\n"
          " @160 +7 pause recording\n @200 +9 barrier\n @220 +3 pause recording\n"
          "rank 1\n @10 +5 barrier\n @120 +30 barrier\n @200 +9 barrier\n");
  ASSERT_EQ(trace.size(), 3u);
  std::vector<std::int64_t> paused;
  for (std::size_t s = 0; s < trace.size(); ++s) {
    const auto stretch = trace.load(s);
    ASSERT_TRUE(stretch);
    const RankCalls& calls = stretch->trace.calls(0);
    for (std::size_t gap = 0; gap <= calls.size(); ++gap) {
      if (calls.paused_ns(gap, PauseKind::recording) > 0) {
        paused.push_back(calls.paused_ns(gap, PauseKind::recording));
      }
    }
  }
  EXPECT_EQ(paused, (std::vector<std::int64_t>{30, 7, 3}));
}

TEST_F(Cutting, NotAtCollectivesThatLetRanksLeave) {
  EXPECT_EQ(stretches(two_ranks(" @100 +50 bcast root=0 bytes=8\n @200 +9 barrier\n",
                                " @120 +30 bcast root=0 bytes=8\n @200 +9 barrier\n")),
            2u);
  const auto second_call = [this](const std::string& call) {
    return stretches(two_ranks(" @10 +5 barrier\n @100 +50 " + call + "\n",
                               " @10 +5 barrier\n @120 +30 " + call + "\n"));
  };
  EXPECT_EQ(second_call("allreduce bytes=0"), 1u);
  EXPECT_EQ(second_call("allreduce bytes=8"), 2u);
}

TEST_F(Cutting, NotWhereMembersHaveNotEnteredAsManyCollectives) {
  const std::string pair = "comm 2 members=0,1\n";
  const auto text = [&](const std::string& first, const std::string& second) {
    return pair + "rank 0\n" + first + "rank 1\n" + second;
  };
  EXPECT_EQ(stretches(text(std::string(" @10 +5 bcast root=0 bytes=8 comm=2\n") + kBarrierFirst,
                           std::string(kBarrierSecond) + " @200 +9 bcast root=0 bytes=8 comm=2\n")),
            1u);
  EXPECT_EQ(stretches(text(std::string(" @10 +5 bcast root=0 bytes=8 comm=2\n") + kBarrierFirst,
                           std::string(" @10 +9 bcast root=0 bytes=8 comm=2\n") + kBarrierSecond)),
            2u);
}

TEST_F(Cutting, OfManyPlacesKeepsTheSameOfAllRanks) {
  constexpr std::uint32_t kBarriers = 200'000;  // more than are kept
  constexpr std::uint32_t kOpenFrom = 60'000;
  constexpr std::uint32_t kOpenUntil = 140'000;
  TraceBuilder builder(3, true);
  for (std::int32_t rank = 0; rank < 3; ++rank) {
    RankCallsBuilder& calls = builder.calls(rank);
    const auto add = [&](std::int64_t begin, Call call) {
      call.begin_ns = begin;
      call.end_ns = begin + 9;
      calls.append(call);
    };
    for (std::uint32_t i = 0; i < kBarriers; ++i) {
      const std::int64_t time = std::int64_t{100} * i;
      if (i == kOpenFrom && rank == 0) {
        add(time, {.operation = Operation::isend, .peer = 1, .request = 1});
      } else if (i == kOpenUntil && rank == 0) {
        add(time, {.operation = Operation::wait, .request = 1});
      } else if (i == kOpenFrom && rank == 1) {
        add(time, {.operation = Operation::recv, .peer = 0});
      }
      add(time + 50, {.operation = Operation::barrier});
    }
  }
  StretchedTrace& trace = cut(std::move(builder).build());
  ASSERT_EQ(trace.obstacle(), "");
  // A quarter of the 120,000 places where nothing is open is kept, at irregular distances.
  EXPECT_GT(trace.size(), 10'000u);
  EXPECT_LT(trace.size(), 65'536u);
  // What lies between those two is in one stretch.
  EXPECT_GE(trace.longest(), 3u * (kOpenUntil - kOpenFrom));
  EXPECT_LE(trace.longest(), 3u * (kOpenUntil - kOpenFrom) + 1000u);
}

TEST_F(Cutting, SaysWhyItCannotBe) {
  EXPECT_EQ(obstacle(two_ranks(kBarrierFirst, "")), "a rank without calls");
  EXPECT_EQ(obstacle(two_ranks(" @100 +50 barrier\n", " @90 +20 barrier thread=1\n")),
            "calls of several threads");
}

}  // namespace
}  // namespace slackline
