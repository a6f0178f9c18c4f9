#pragma once

// Test support: what any correct algorithm of an operation must achieve.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/collectives/testing/interpreter.h"

namespace slackline::test {

/// A call with storage for its counts, to be handed to an algorithm.
struct Case {
  CollectiveCall call{};
  std::vector<std::int64_t> counts{};
  std::vector<std::vector<std::int64_t>> own{};  ///< per rank, as in trace/wire.h

  CollectiveCall with_counts() const {
    CollectiveCall c = call;
    c.counts = counts;
    return c;
  }
  std::string text() const;
};

bool has_counts(Operation operation);      ///< one count per rank, known to all
bool has_own_counts(Operation operation);  ///< alltoallv, alltoallw

/// A case with pseudo-random block sizes in 0..2*bytes where the operation has counts or
/// neighbours.
Case make_case(Operation operation, std::int32_t size, std::uint64_t bytes, std::int32_t root,
               std::uint64_t seed = 1);

/// Performs `algorithm` on `c` in both send modes, with and without single waits. Empty when all is
/// well; otherwise what is wrong: no valid performance, a rank that cannot have its result, fewer
/// bytes moved than the operation needs.
std::string what_is_wrong(const CollectiveAlgorithm& algorithm, Case c);

}  // namespace slackline::test
