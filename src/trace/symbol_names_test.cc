#include "trace/symbol_names.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

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

TEST(ReadableName, IsThatOfTheSource) {
  const std::map<std::string, std::string> in_source{
      {"main", "main"},
      {"relax.constprop.0", "relax"},
      {"inner.0", "inner"},
      {"assemble._omp_fn.0", "assemble"},
      {"_ZN4Foam4mesh5solveEi", "Foam::mesh::solve"},
      {"_ZNK4Foam4mesh4sizeEv", "Foam::mesh::size"},
      {"_ZN12_GLOBAL__N_15relaxEPFvvE", "(anonymous namespace)::relax"},
      {"__halo_MOD_exchange", "halo::exchange"},
      {"_Zbroken", "_Zbroken"}};
  for (const auto& [symbol, name] : in_source) EXPECT_EQ(readable_name(symbol), name);
}

}  // namespace
}  // namespace slackline
