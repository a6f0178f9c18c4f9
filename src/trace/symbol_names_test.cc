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

}  // namespace
}  // namespace slackline
