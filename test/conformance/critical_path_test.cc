// The measured critical path of a public trace (sst-macro on 10 ranks, Score-P 2.0.2) against what
// Scalasca 2.6 says of it.

#include <gtest/gtest.h>

#include "analysis/paths/critical_path.h"
#include "formats/open/open.h"
#include "scalasca_metrics.h"
#include "trace/testing/shared_traces.h"

namespace slackline {
namespace {

/// Seconds on the path by operation and rank.
std::map<std::string, PerRank> seconds_of(const CriticalPath& path) {
  std::map<std::string, PerRank> seconds;
  for (const ActivitySegment& s : path.segments) {
    if (s.operation == Operation::none) continue;
    PerRank& ranks = seconds[std::string(mpi_name(s.operation))];
    ranks.resize(10);
    ranks[static_cast<std::size_t>(s.rank)] += static_cast<double>(s.length_ns()) / 1e9;
  }
  return seconds;
}

double sum_of(const PerRank& ranks) {
  double sum = 0;
  for (const double s : ranks) sum += s;
  return sum;
}

// Both paths end with who enters MPI_Finalize last, and go the same way to MPI_Init. Equal per rank
// is what makes and frees communicators, too. Elsewhere the two differ by what happens on the way:
// Scalasca does not follow the waits for nonblocking collectives (so MPI_Wait of rank 5 is longer
// in its path), takes other moments inside of collectives, and knows no time outside of regions, as
// here all computation is. Over all calls that are compared, that is 2 parts in 10 000; not
// compared are MPI_Finalize and what are no calls here, MPI_Comm_rank and MPI_Comm_size.
TEST(CriticalPathConformance, OfSstMacroGoesTheWayOfScalascas) {
  const auto folder = testing::shared_trace("sstmacro10");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "not here: " << folder;
  const auto metrics = read_metrics(folder / "scalasca" / "sstmacro10.metrics.txt");
  const OpenedTrace opened = open_trace(folder / "traces.otf2");
  const CallPaths paths(opened.trace);
  const auto ours = seconds_of(critical_path(opened.trace, CallMatching(opened.trace), paths, {}));
  for (const char* operation : {"MPI_Init", "MPI_Comm_split", "MPI_Comm_free"}) {
    const PerRank& known = metrics.at({"critical_path", operation});
    const PerRank& found = ours.at(operation);
    for (std::size_t r = 0; r < known.size(); ++r) {
      EXPECT_NEAR(found[r], known[r], 5e-9 + 1e-6 * known[r]) << operation << " rank " << r;
    }
  }
  double sum = 0;
  double known_sum = 0;
  for (const auto& [operation, ranks] : ours) {
    const auto known = metrics.find({"critical_path", operation});
    if (known == metrics.end()) continue;
    sum += sum_of(ranks);
    known_sum += sum_of(known->second);
  }
  EXPECT_NEAR(sum, known_sum, 3e-4 * known_sum);
}

}  // namespace
}  // namespace slackline
