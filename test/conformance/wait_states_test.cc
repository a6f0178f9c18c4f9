// Wait states of a public trace (sst-macro on 10 ranks, Score-P 2.0.2) against what Scalasca 2.6
// says of it, per rank. Scalasca reckons with the trace's ticks and this tool with nanoseconds.

#include "diagnosis/wait_states.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "trace/open/open.h"
#include "trace/testing/shared_traces.h"

namespace slackline {
namespace {

using PerRank = std::vector<double>;
using Key = std::pair<std::string, std::string>;  // metric, operation

std::map<Key, PerRank> read_metrics(const std::filesystem::path& path) {
  std::map<Key, PerRank> metrics;
  std::ifstream in(path);
  std::string line;
  std::string metric;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (line.starts_with(" ")) {
      PerRank values;
      for (double v = 0; words >> v;) values.push_back(v);
      metrics[{metric, first}] = values;
    } else {
      metric = first;
    }
  }
  return metrics;
}

struct Expected {
  WaitPattern pattern;
  const char* metric;
  std::size_t count;
};

TEST(WaitStatesConformance, OfSstMacroAreAsScalascaSays) {
  const auto folder = testing::shared_trace("sstmacro10");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "not here: " << folder;
  const auto metrics = read_metrics(folder / "scalasca" / "sstmacro10.metrics.txt");
  const OpenedTrace opened = open_trace(folder / "traces.otf2");
  const WaitStates states = wait_states(opened.trace, CallMatching(opened.trace));
  for (const Expected& e : {Expected{WaitPattern::late_sender, "mpi_latesender", 83},
                            Expected{WaitPattern::late_receiver, "mpi_latereceiver", 14},
                            Expected{WaitPattern::nxn, "mpi_wait_nxn", 468},
                            Expected{WaitPattern::nxn_completion, "mpi_nxn_completion", 468},
                            Expected{WaitPattern::early_reduce, "mpi_earlyreduce", 8},
                            Expected{WaitPattern::late_broadcast, "mpi_latebroadcast", 26},
                            Expected{WaitPattern::init_completion, "mpi_init_completion", 9},
                            Expected{WaitPattern::finalize, "mpi_finalize_wait", 9}}) {
    std::map<std::string, PerRank> sums;
    std::size_t count = 0;
    for (const WaitState& s : states.states) {
      if (s.pattern != e.pattern) continue;
      ++count;
      auto& sum = sums[std::string(mpi_name(opened.trace.calls(s.rank).operation(s.call)))];
      sum.resize(10);
      sum[static_cast<std::size_t>(s.rank)] += static_cast<double>(s.wait_ns) / 1e9;
    }
    EXPECT_EQ(count, e.count) << e.metric;
    EXPECT_FALSE(sums.empty()) << e.metric;
    for (const auto& [operation, sum] : sums) {
      const auto known = metrics.find({e.metric, operation});
      ASSERT_NE(known, metrics.end()) << e.metric << " " << operation;
      for (std::size_t r = 0; r < 10; ++r) {
        EXPECT_NEAR(sum[r], known->second[r], 5e-9 + 1e-6 * known->second[r])
            << e.metric << " " << operation << " rank " << r;
      }
    }
  }
}

// Scalasca compares the times of the send records, which lie inside of the calls; a trace here
// knows when calls begin. One message of rank 3 is sent 49 ns later by the begin of its call, and
// 90 ns earlier by its record: the wait that it makes one of wrong order has 20,636 ns.
TEST(WaitStatesConformance, WrongOrdersOfSstMacroAreAsScalascaSaysButForOneRecord) {
  const auto folder = testing::shared_trace("sstmacro10");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "not here: " << folder;
  auto metrics = read_metrics(folder / "scalasca" / "sstmacro10.metrics.txt");
  PerRank& known = metrics[{"mpi_lswo_different", "MPI_Waitall"}];
  ASSERT_EQ(known.size(), 10u);
  known[3] -= 20636e-9;
  const OpenedTrace opened = open_trace(folder / "traces.otf2");
  PerRank sums(10);
  std::size_t count = 0;
  for (const WaitState& s : wait_states(opened.trace, CallMatching(opened.trace)).states) {
    EXPECT_NE(s.order, MessageOrder::wrong_same_source);
    if (s.order == MessageOrder::right) continue;
    ++count;
    sums[static_cast<std::size_t>(s.rank)] += static_cast<double>(s.wait_ns) / 1e9;
  }
  EXPECT_EQ(count, 29u - 1);
  for (std::size_t r = 0; r < 10; ++r) EXPECT_NEAR(sums[r], known[r], 5e-9 + 1e-6 * known[r]) << r;
}

}  // namespace
}  // namespace slackline
