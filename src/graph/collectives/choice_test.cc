#include "graph/collectives/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/collectives/algorithms.h"

namespace slackline {
namespace {

using testing::HasSubstr;

std::string_view choose(const CollectiveChoice& choice, Operation operation, std::int32_t size,
                        std::uint64_t bytes, std::uint32_t element_bytes = 1) {
  return choice
      .algorithm(
          {.operation = operation, .size = size, .bytes = bytes, .element_bytes = element_bytes})
      .name;
}

CollectiveChoice choice_of(std::string_view text) {
  CollectiveChoice choice;
  choice.add(text);
  return choice;
}

struct Decision {
  Operation operation;
  std::int32_t size;
  std::uint64_t bytes;
  std::string_view smpi_name;  // as spec section 4 writes it
};

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;
using enum Operation;

// Boundaries of rows of Open MPI's tables, sampled by hand: the last size below and the first
// above, the last and first number of ranks.
constexpr Decision kOpenMpi[] = {
    {allreduce, 2, 7, "lr"},
    {allreduce, 2, 8, "rdb"},
    {allreduce, 3, 4095, "rdb"},
    {allreduce, 3, 4096, "lr"},
    {allreduce, 3, 65535, "lr"},
    {allreduce, 3, 65536, "ompi_ring_segmented"},
    {allreduce, 3, 262144, "rab_rdb"},
    {allreduce, 4, 15, "lr"},
    {allreduce, 4, 16, "rdb"},
    {allreduce, 7, 8192, "rab_rdb"},
    {allreduce, 8, 8, "rdb"},
    {allreduce, 16, 63, "ompi_ring_segmented"},
    {allreduce, 16, 64, "rdb"},
    {allreduce, 63, 128, "rab_rdb"},
    {allreduce, 64, 262143, "rdb"},
    {allreduce, 128, 131071, "redbcast"},
    {allreduce, 128, 131072, "rdb"},
    {allreduce, 4096, 16383, "ompi_ring_segmented"},
    {allreduce, 4096, 32768, "rab_rdb"},
    {alltoall, 2, 1, "pair"},
    {alltoall, 2, 2, "basic_linear"},
    {alltoall, 2, MiB, "pair"},
    {alltoall, 3, 524287, "basic_linear"},
    {alltoall, 3, 524288, "pair"},
    {alltoall, 7, MiB, "basic_linear"},
    {alltoall, 16, 3, "basic_linear"},
    {alltoall, 16, 4, "bruck"},
    {alltoall, 31, 512, "basic_linear"},
    {alltoall, 64, 1023, "bruck"},
    {alltoall, 64, 262144, "pair"},
    {alltoall, 5000, 2047, "bruck"},
    {alltoallv, 3, 10, "pair"},
    {alltoallv, 4, 10, "ompi_basic_linear"},
    {alltoallv, 64, 10, "pair"},
    {alltoallv, 128, 10, "ompi_basic_linear"},
    {alltoallv, 1023, 10, "pair"},
    {alltoallv, 1024, 10, "ompi_basic_linear"},
    {barrier, 3, 0, "ompi_recursivedoubling"},
    {barrier, 4, 0, "ompi_basic_linear"},
    {barrier, 8, 0, "ompi_recursivedoubling"},
    {barrier, 64, 0, "ompi_bruck"},
    {barrier, 256, 0, "ompi_tree"},
    {barrier, 4096, 0, "ompi_bruck"},
    {bcast, 2, 31, "ompi_pipeline"},
    {bcast, 2, 32, "NTSB"},
    {bcast, 2, 512, "mvapich2_knomial_intra_node"},
    {bcast, 3, 1024, "NTSL"},
    {bcast, 3, 524288, "binomial_tree"},
    {bcast, 3, MiB, "NTSB"},
    {bcast, 4, 64, "binomial_tree"},
    {bcast, 7, MiB, "ompi_pipeline"},
    {bcast, 15, 32768, "NTSL"},
    {bcast, 16, MiB - 1, "binomial_tree"},
    {bcast, 16, MiB, "scatter_rdb_allgather"},
    {bcast, 63, 2048, "mvapich2_knomial_intra_node"},
    {bcast, 256, 16384, "ompi_split_bintree"},
    {bcast, 4096, 262144, "scatter_rdb_allgather"},
    {reduce, 3, 7, "ompi_basic_linear"},
    {reduce, 3, 8, "ompi_binary"},
    {reduce, 3, 16, "ompi_pipeline"},
    {reduce, 3, 524288, "ompi_chain"},
    {reduce, 4, 4095, "ompi_binary"},
    {reduce, 4, 4096, "ompi_chain"},
    {reduce, 7, 65536, "ompi_binomial"},
    {reduce, 8, 8191, "ompi_binary"},
    {reduce, 32, 1, "ompi_binomial"},
    {reduce, 511, 8192, "ompi_in_order_binary"},
    {allgather, 2, 10, "pair"},
    {allgather, 3, 10 * MiB, "rdb"},
    {allgather, 32, 1023, "rdb"},
    {allgather, 32, 1024, "ompi_neighborexchange"},
    {allgather, 512, 64, "bruck"},
    {gather, 2, 1, "ompi_linear_sync"},
    {gather, 2, 2, "ompi_basic_linear"},
    {gather, 3, 4, "ompi_binomial"},
    {gather, 3, 131072, "ompi_linear_sync"},
    {gather, 7, 262144, "ompi_linear_sync"},
    {gather, 256, 2048, "ompi_basic_linear"},
    {gather, 512, 2048, "ompi_binomial"},
    {scatter, 3, 1, "ompi_linear_nb"},
    {scatter, 3, 2, "ompi_basic_linear"},
    {scatter, 7, 8192, "ompi_basic_linear"},
    {scatter, 15, 16384, "ompi_linear_nb"},
    {scatter, 64, 511, "ompi_binomial"},
    {scatter, 64, 512, "ompi_linear_nb"},
};

/// Real rings stand where SimGrid has its own versions (ring of allreduce and allgather).
std::string_view expected_name(const Decision& d) {
  if (d.operation == allreduce && d.smpi_name == "lr") return "ring";
  if (d.operation == allreduce && d.smpi_name == "ompi_ring_segmented") return "ring_segmented";
  const CollectiveAlgorithm* found = find_smpi_algorithm(d.operation, d.smpi_name);
  return found == nullptr ? "(none)" : found->name;
}

TEST(OpenMpiRules, FollowTheTables) {
  const CollectiveChoice choice = choice_of("openmpi");
  for (const Decision& d : kOpenMpi) {
    EXPECT_EQ(choose(choice, d.operation, d.size, d.bytes), expected_name(d))
        << identifier(d.operation) << " " << d.size << " ranks, " << d.bytes << " bytes";
  }
}

TEST(OpenMpiRules, GoByTheMeanBlockOfAllgathervAndTheSumOfReduceScatter) {
  const CollectiveChoice choice = choice_of("openmpi");
  const std::vector<std::int64_t> counts{0, 0, 0, 1020};  // mean 255, sum 1020
  CollectiveCall call{.operation = allgatherv, .size = 4, .bytes = 1020};
  call.counts = counts;
  EXPECT_EQ(choice.algorithm(call).smpi_name, "GB");
  const std::vector<std::int64_t> more{0, 0, 4, 1020};  // mean 256
  call.counts = more;
  EXPECT_EQ(choice.algorithm(call).smpi_name, "ompi_neighborexchange");

  EXPECT_EQ(choose(choice, reduce_scatter, 32, 1), "reduce_scatterv");    // 32 bytes in all
  EXPECT_EQ(choose(choice, reduce_scatter, 32, 2), "recursive_halving");  // 64
  EXPECT_EQ(choose(choice, reduce_scatter_block, 2, 32767), "ring");
  EXPECT_EQ(choose(choice, reduce_scatter_block, 2, 32768), "butterfly");
}

TEST(OpenMpiRules, KeepTheOrderOfOperationsThatDoNotCommute) {
  const CollectiveChoice choice = choice_of("openmpi");
  const auto ordered = [&](Operation operation, std::uint64_t bytes) {
    return choice
        .algorithm({.operation = operation, .size = 16, .bytes = bytes, .commutative = false})
        .name;
  };
  EXPECT_EQ(ordered(allreduce, 100), "recursive_doubling");
  EXPECT_EQ(ordered(reduce, 100), "in_order_binary");
  EXPECT_EQ(ordered(reduce_scatter, 100), "reduce_scatterv");
  CollectiveCall call{.operation = reduce, .size = 15, .bytes = 1024, .commutative = false};
  EXPECT_EQ(choice.algorithm(call).name, "linear");
  call.bytes = 8192;
  EXPECT_EQ(choice.algorithm(call).name, "in_order_binary");
  call.operation = allreduce;
  call.bytes = MiB;
  EXPECT_EQ(choice.algorithm(call).name, "nonoverlapping");
}

TEST(MpichRules, FollowTheThresholds) {
  const CollectiveChoice choice = choice_of("mpich");
  const auto name = [&](Operation operation, std::int32_t size, std::uint64_t bytes) {
    return choose(choice, operation, size, bytes, 8);
  };
  EXPECT_EQ(name(barrier, 5, 0), "dissemination");
  EXPECT_EQ(name(allreduce, 16, 2048), "recursive_doubling");
  EXPECT_EQ(name(allreduce, 16, 2056), "rabenseifner");
  EXPECT_EQ(name(allreduce, 512, 2056), "recursive_doubling");  // 257 elements for 512 ranks
  EXPECT_EQ(name(alltoall, 8, 255), "bruck");
  EXPECT_EQ(name(alltoall, 7, 255), "scatter_dest");
  EXPECT_EQ(name(alltoall, 8, 256), "scatter_dest");
  EXPECT_EQ(name(alltoall, 8, 32768), "ring");
  EXPECT_EQ(name(alltoall, 9, 32768), "pairwise");
  EXPECT_EQ(name(alltoallv, 9, 32768), "scatter_dest");
  EXPECT_EQ(name(bcast, 9, 12287), "binomial");
  EXPECT_EQ(name(bcast, 8, MiB), "binomial");
  EXPECT_EQ(name(bcast, 10, 12288), "scatter_allgather");
  EXPECT_EQ(name(bcast, 9, 12288), "scatter_ring_allgather");
  EXPECT_EQ(name(bcast, 10, 524288), "scatter_ring_allgather");
  EXPECT_EQ(name(reduce, 16, 2047), "binomial");
  EXPECT_EQ(name(reduce, 16, 2048), "rabenseifner");
  EXPECT_EQ(name(allgather, 8, 65535), "recursive_doubling");
  EXPECT_EQ(name(allgather, 8, 65536), "ring");
  EXPECT_EQ(name(allgather, 5, 16384), "bruck");  // 81920 bytes in all
  EXPECT_EQ(name(allgather, 5, 16385), "ring");
  EXPECT_EQ(name(gather, 5, MiB), "binomial");
  EXPECT_EQ(name(scatter, 5, MiB), "binomial");
  EXPECT_EQ(name(reduce_scatter_block, 4, MiB), "recursive_doubling");  // 524288 elements
  EXPECT_EQ(name(reduce_scatter_block, 4, MiB + 8), "pairwise");
  EXPECT_EQ(name(scan, 5, 8), "recursive_doubling");
}

TEST(Rules, AlwaysGiveAnAlgorithmOfThatOperation) {
  for (const char* selector : {"openmpi", "mpich"}) {
    const CollectiveChoice choice = choice_of(selector);
    for (const CollectiveAlgorithm& a : collective_algorithms()) {
      for (const std::int32_t size : {1, 2, 3, 4, 7, 8, 16, 33, 64, 200, 511, 1024, 3000, 9999}) {
        for (std::uint64_t bytes = 0; bytes < 8 * MiB; bytes = 3 * bytes + 1) {
          for (const bool commutative : {true, false}) {
            const CollectiveCall call{
                .operation = a.operation, .size = size, .bytes = bytes, .commutative = commutative};
            ASSERT_EQ(choice.algorithm(call).operation, a.operation);
          }
        }
      }
    }
    const CollectiveCall largest{.operation = bcast, .size = 4, .bytes = ~std::uint64_t{0}};
    EXPECT_EQ(choice.algorithm(largest).operation, bcast);
  }
}

TEST(Choice, RulesComeBeforeTheSelectorAndLaterOnesWin) {
  const CollectiveChoice choice =
      choice_of("mpich, allreduce=ring, allreduce=rabenseifner:64KiB..1MiB");
  EXPECT_EQ(choose(choice, allreduce, 8, 64 * KiB - 1), "ring");
  EXPECT_EQ(choose(choice, allreduce, 8, 64 * KiB), "rabenseifner");
  EXPECT_EQ(choose(choice, allreduce, 8, MiB), "ring");
  EXPECT_EQ(choose(choice, barrier, 8, 0), "dissemination");
}

TEST(Choice, ReadsHalfOpenRangesNonblockingNamesAndSimGridNames) {
  const CollectiveChoice choice =
      choice_of("openmpi,bcast=binomial:..64KiB,ibcast=NTSL:64KiB..,allgather=recursive-doubling");
  EXPECT_EQ(choose(choice, bcast, 4, 0), "binomial");
  EXPECT_EQ(choose(choice, bcast, 4, 64 * KiB), "chain");
  EXPECT_EQ(choose(choice, bcast, 4, ~std::uint64_t{0}), "chain");
  EXPECT_EQ(choose(choice, allgather, 2, 8), "recursive_doubling");
}

TEST(Choice, AutomaticFollowsTheLibraryOfTheTrace) {
  const auto resolved = [](std::string_view text, std::string_view library) {
    CollectiveChoice choice = choice_of(text);
    choice.resolve_automatic(library);
    return choice.selector();
  };
  using Selector = CollectiveChoice::Selector;
  EXPECT_EQ(resolved("auto", "MPICH Version: 4.0.2"), Selector::mpich);
  EXPECT_EQ(resolved("auto", "Open MPI v4.1.4"), Selector::openmpi);
  EXPECT_EQ(resolved("auto", ""), Selector::openmpi);
  EXPECT_EQ(resolved("openmpi", "mpich"), Selector::openmpi);
  // Unresolved it acts as Open MPI.
  EXPECT_EQ(choose(CollectiveChoice(), barrier, 4, 0), "linear");
}

TEST(Choice, PrintsWhatItReads) {
  const std::string text = "mpich,bcast=chain:65536..,allreduce=ring,reduce=linear:..100";
  const std::string printed = choice_of(text).to_string();
  EXPECT_EQ(printed, "mpich,bcast=chain:65536..,allreduce=ring,reduce=linear:0..100");
  EXPECT_EQ(choice_of(printed).to_string(), printed);
  EXPECT_EQ(CollectiveChoice().to_string(), "auto");
}

std::string complaint(std::string_view text) {
  CollectiveChoice choice = choice_of("mpich");
  try {
    choice.add(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), 2);
    EXPECT_EQ(choice.to_string(), "mpich") << "a refused text must change nothing";
    return error.what();
  }
  return "(accepted)";
}

TEST(Choice, RefusesWhatItDoesNotKnowAndListsWhatItDoes) {
  EXPECT_THAT(complaint("allreduce=quantum"), HasSubstr("rabenseifner"));
  EXPECT_THAT(complaint("allreduce=quantum"),
              HasSubstr("'quantum' is not an algorithm for allreduce"));
  EXPECT_THAT(complaint("send=ring"), HasSubstr("reduce_scatter_block"));
  EXPECT_THAT(complaint("lam"), HasSubstr("neither a selector"));
  EXPECT_THAT(complaint(""), HasSubstr("neither a selector"));
  EXPECT_THAT(complaint("openmpi,"), HasSubstr("neither a selector"));
  EXPECT_THAT(complaint("bcast=chain:64KiB"), HasSubstr("'..' is missing"));
  EXPECT_THAT(complaint("bcast=chain:2KiB..1KiB"), HasSubstr("empty range"));
  EXPECT_THAT(complaint("bcast=chain:x..1KiB"), HasSubstr("the start of a range"));
  EXPECT_THAT(complaint("openmpi,bcast=ring"), HasSubstr("scatter_ring_allgather"));
}

}  // namespace
}  // namespace slackline
