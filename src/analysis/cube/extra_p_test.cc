#include "analysis/cube/profile_writers.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

ScalingRun run_on(std::int32_t ranks) {
  ScalingRun run{2e9, SeverityCube(ranks)};
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    run.cube.add({"computation", "main/solve"}, rank, 1e9 * (rank + 1));
  }
  return run;
}

// Means over ranks: (1 + 2) / 2 and (1 + 2 + 3 + 4) / 4 seconds; what only one run has is 0 in the
// other.
TEST(ExtraP, HasALineForEachPointOfEachCallPath) {
  ScalingRun larger = run_on(4);
  larger.cube.add({"calls", "main/MPI_Send"}, 1, 8);
  EXPECT_EQ(extra_p_lines({run_on(2), larger}),
            "{\"params\":{\"p\":2},\"callpath\":\"run\",\"metric\":\"time\",\"value\":2.0}\n"
            "{\"params\":{\"p\":4},\"callpath\":\"run\",\"metric\":\"time\",\"value\":2.0}\n"
            "{\"params\":{\"p\":2},\"callpath\":\"run->main->MPI_Send\",\"metric\":\"calls\","
            "\"value\":0.0}\n"
            "{\"params\":{\"p\":4},\"callpath\":\"run->main->MPI_Send\",\"metric\":\"calls\","
            "\"value\":2.0}\n"
            "{\"params\":{\"p\":2},\"callpath\":\"run->main->solve\",\"metric\":\"computation\","
            "\"value\":1.5}\n"
            "{\"params\":{\"p\":4},\"callpath\":\"run->main->solve\",\"metric\":\"computation\","
            "\"value\":2.5}\n");
}

}  // namespace
}  // namespace slackline
