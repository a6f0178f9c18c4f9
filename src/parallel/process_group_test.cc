#include "parallel/process_group.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "parallel/launched_process.h"
#include "parallel/testing/thread_processes.h"

namespace slackline {
namespace {

Bytes bytes_of(int from, int to) {
  return Bytes(static_cast<std::size_t>(from + 1), static_cast<std::byte>(10 * from + to));
}

TEST(ProcessGroup, ExchangesBytesOfAnyLength) {
  for (const int count : {1, 2, 3, 7}) {
    run_as_processes(count, [count](ProcessGroup& group) {
      for (int round = 0; round < 3; ++round) {
        std::vector<Bytes> to_each;
        for (int p = 0; p < count; ++p) to_each.push_back(bytes_of(group.rank(), p));
        const std::vector<Bytes> from_each = group.exchange(std::move(to_each));
        ASSERT_EQ(from_each.size(), static_cast<std::size_t>(count));
        for (int p = 0; p < count; ++p) {
          EXPECT_EQ(from_each[static_cast<std::size_t>(p)], bytes_of(p, group.rank()));
        }
      }
      EXPECT_EQ(group.broadcast(bytes_of(group.rank(), 5)), bytes_of(0, 5));
      EXPECT_EQ(group.traffic().exchanges, 4u);
    });
  }
}

TEST(ProcessGroup, ProcessThatFailsEndsTheExchangeOfAll) {
  run_as_processes(3, [](ProcessGroup& group) {
    if (group.rank() == 1) return group.fail();
    EXPECT_THROW(group.broadcast({}), PeerFailed);
  });
}

TEST(Outcome, FirstProcessCountsWhereNobodyFails) {
  run_as_processes(3, [](ProcessGroup& group) {
    const Outcome outcome = agree_on_outcome(group, {Outcome::Kind::finished, group.rank()});
    EXPECT_EQ(outcome.exit_status, 0);
    EXPECT_EQ(outcome.kind, Outcome::Kind::finished);
  });
}

TEST(Outcome, LowestFailureCountsWhereverOthersAre) {
  run_as_processes(4, [](ProcessGroup& group) {
    Outcome mine{Outcome::Kind::finished, 0};
    if (group.rank() == 0) {  // in the middle of its work
      EXPECT_THROW(group.broadcast({}), PeerFailed);
      mine.kind = Outcome::Kind::peer_failed;
    } else if (group.rank() >= 2) {
      mine = {Outcome::Kind::failed, group.rank(), "process " + std::to_string(group.rank())};
    }
    const Outcome outcome = agree_on_outcome(group, mine);
    EXPECT_EQ(outcome.exit_status, 2);
    EXPECT_EQ(outcome.message, "process 2");
  });
}

/// Sets variables of the environment, and removes them at the end.
class Variables {
 public:
  Variables(std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const char* name : kNames) unsetenv(name);
    for (const auto& [name, value] : variables) setenv(name, value, 1);
  }
  ~Variables() {
    for (const char* name : kNames) unsetenv(name);
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  static constexpr std::array kNames{
      "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "PMIX_RANK",
      "SLURM_STEP_NUM_TASKS", "SLACKLINE_PARALLEL"};
};

TEST(LaunchedProcess, IsToldByTheLaunchersVariables) {
  const auto place = [](std::initializer_list<std::pair<const char*, const char*>> variables) {
    const Variables set(variables);
    const LaunchedProcess me = launched_process();
    return me.mpi + " " + std::to_string(me.rank) + "/" + std::to_string(me.size);
  };
  EXPECT_EQ(place({}), " 0/1");
  EXPECT_EQ(place({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), "openmpi 2/4");
  EXPECT_EQ(place({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}), "mpich 0/2");
  EXPECT_EQ(place({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}), " 0/1");
  EXPECT_EQ(place({{"PMIX_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "3"}}), "openmpi 1/3");
  EXPECT_EQ(place({{"PMI_RANK", "x"}, {"PMI_SIZE", "2"}}), " 0/1");
  EXPECT_EQ(place({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"SLACKLINE_PARALLEL", "off"}}), " 0/1");
}

}  // namespace
}  // namespace slackline
