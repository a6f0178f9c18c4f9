// Wait states of a public trace (sst-macro on 10 ranks, Score-P 2.0.2) against what Scalasca 2.6
// says of it, per rank. Scalasca reckons with the trace's ticks and this tool with nanoseconds. The
// completion of collectives ends with their END records there and with their regions here: both are
// compared in test/oracle/scalasca, which has rules for either.

#include "analysis/waits/wait_states.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "analysis/waits/delay_costs.h"
#include "formats/open/open.h"
#include "scalasca_metrics.h"
#include "trace/testing/shared_traces.h"

namespace slackline {
namespace {

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

// Scalasca compares the times of the send records, which lie inside of the calls. By the begins of
// the calls alone there is one less: one message of rank 3 is sent 49 ns later by the begin of its
// call than the late sender's, and 90 ns earlier by its record.
TEST(WaitStatesConformance, WrongOrdersOfSstMacroAreAsScalascaSays) {
  const auto folder = testing::shared_trace("sstmacro10");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "not here: " << folder;
  auto metrics = read_metrics(folder / "scalasca" / "sstmacro10.metrics.txt");
  const PerRank& known = metrics[{"mpi_lswo_different", "MPI_Waitall"}];
  ASSERT_EQ(known.size(), 10u);
  const OpenedTrace opened = open_trace(folder / "traces.otf2");
  PerRank sums(10);
  std::size_t count = 0;
  const WaitStates waits =
      wait_states(opened.trace, CallMatching(opened.trace), {.sends = &opened.sends});
  for (const WaitState& s : waits.states) {
    EXPECT_NE(s.order, MessageOrder::wrong_same_source);
    if (s.order == MessageOrder::right) continue;
    ++count;
    sums[static_cast<std::size_t>(s.rank)] += static_cast<double>(s.wait_ns) / 1e9;
  }
  EXPECT_EQ(count, 29u);
  for (std::size_t r = 0; r < 10; ++r) EXPECT_NEAR(sums[r], known[r], 5e-9 + 1e-6 * known[r]) << r;
}

/// Costs of one kind in seconds: by operation and rank, and under "sum" all.
std::map<std::string, PerRank> seconds_of(const DelayCosts& delays, DelayKind kind,
                                          bool long_term) {
  std::map<std::string, PerRank> seconds;
  PerRank& sum = seconds["sum"];
  sum.resize(1);
  for (const DelayCost& c : delays.costs) {
    const auto& of_kind = long_term ? c.long_term : c.short_term;
    const double cost = of_kind[static_cast<std::size_t>(kind)].value() / 1e9;
    PerRank& ranks = seconds[std::string(mpi_name(c.of.operation))];
    ranks.resize(10);
    ranks[static_cast<std::size_t>(c.of.rank)] += cost;
    sum[0] += cost;
  }
  return seconds;
}

// Scalasca takes other times into account for delays: it knows nothing of what lies
// outside of regions, as here all computation does, while MPI_Comm_rank and MPI_Comm_size, which
// are no calls here, count; and it knows no waiting in MPI_Finalize, for nonblocking collectives
// and for the making of communicators, which is left out here. So sums agree to a part in a
// thousand, and what is by far the most of them, MPI_Init's, to a few parts in ten thousand of each
// rank. What all differences are, to the last digit, and those of late receivers and operations
// with a root, which are not compared here, test/oracle/scalasca tells.
TEST(WaitStatesConformance, DelayCostsOfSstMacroAreNearlyAsScalascaSays) {
  const auto folder = testing::shared_trace("sstmacro10");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "not here: " << folder;
  const auto metrics = read_metrics(folder / "scalasca" / "sstmacro10.metrics.txt");
  const OpenedTrace opened = open_trace(folder / "traces.otf2");
  const CallMatching matching(opened.trace);
  WaitStates waits = wait_states(opened.trace, matching);
  std::erase_if(waits.states, [](const WaitState& s) {
    return s.pattern == WaitPattern::finalize || s.pattern == WaitPattern::nonblocking ||
           s.pattern == WaitPattern::creation;
  });
  const CallPaths paths(opened.trace);
  const DelayCosts delays =
      delay_costs(opened.trace, matching, waits, CallActivities(opened.trace, paths));
  const auto compare = [&](const char* metric, const char* row, DelayKind kind, bool long_term,
                           double tolerance) {
    const auto known = metrics.find({metric, row});
    ASSERT_NE(known, metrics.end()) << metric << " " << row;
    const PerRank ours = seconds_of(delays, kind, long_term)[row];
    ASSERT_EQ(ours.size(), known->second.size()) << metric << " " << row;
    for (std::size_t r = 0; r < ours.size(); ++r) {
      EXPECT_NEAR(ours[r], known->second[r], 5e-8 + tolerance * known->second[r])
          << metric << " " << row << " rank " << r;
    }
  };
  compare("delay_latesender", "MPI_Init", DelayKind::late_sender, false, 2.5e-4);
  compare("delay_latesender", "sum", DelayKind::late_sender, false, 1e-3);
  compare("delay_latesender_longterm", "sum", DelayKind::late_sender, true, 1e-3);
  compare("delay_n2n", "sum", DelayKind::all_to_all, false, 1e-3);
  double indirect = 0;
  for (std::size_t i = 0; i < waits.states.size(); ++i) {
    if (waits.states[i].pattern != WaitPattern::late_sender) continue;
    indirect += delays.origins[i].indirect_ns / 1e9;
  }
  const double known = metrics.at({"mpi_wait_indirect_latesender", "sum"})[0];
  EXPECT_NEAR(indirect, known, 1e-3 * known);
  EXPECT_NEAR(delays.unexplained_ns.value(), 0, 1);
}

}  // namespace
}  // namespace slackline
