#include "trace/symbol_names.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

TEST(ReadableSymbol, DemanglesCppAndFortranModules) {
  EXPECT_EQ(readable_symbol("_ZN3app5solveEi"), "app::solve");
  EXPECT_EQ(readable_symbol("_ZNK3app4grid4sizeEv"), "app::grid::size");
  EXPECT_EQ(readable_symbol("__deck_MOD_read_deck"), "deck::read_deck");
}

TEST(ReadableSymbol, LeavesOtherNamesAlone) {
  for (const char* const name : {"main", "step.1", "_Zeta (phase)", "MAIN__", "___MOD_", "solve(2)",
                                 "x_MOD_y", "app::solve(int)", ""}) {
    EXPECT_EQ(readable_symbol(name), name);
  }
}

TEST(ReadableName, IsWhatPeopleWrite) {
  EXPECT_EQ(readable_name("main"), "main");
  EXPECT_EQ(readable_name("relax.constprop.0"), "relax");
  EXPECT_EQ(readable_name("inner.0"), "inner");
  EXPECT_EQ(readable_name("assemble._omp_fn.0"), "assemble");
  EXPECT_EQ(readable_name("_ZN4Foam4mesh5solveEi"), "Foam::mesh::solve");
  EXPECT_EQ(readable_name("_ZNK4Foam4mesh4sizeEv"), "Foam::mesh::size");
  EXPECT_EQ(readable_name("_ZN12_GLOBAL__N_15relaxEPFvvE"), "(anonymous namespace)::relax");
  EXPECT_EQ(readable_name("__halo_MOD_exchange"), "halo::exchange");
  EXPECT_EQ(readable_name("_Zbroken"), "_Zbroken");
}

}  // namespace
}  // namespace slackline
