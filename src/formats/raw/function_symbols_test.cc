#include "formats/raw/module_symbols.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace slackline::raw {
namespace {

bool preferred(const FunctionSymbol& a, const FunctionSymbol& b) {
  if (a.binding != b.binding) return a.binding > b.binding;
  if (a.begin != b.begin) return a.begin > b.begin;
  return a.bytes < b.bytes;
}

const char* name_by_search_of_all(const std::vector<FunctionSymbol>& symbols,
                                  std::uint64_t address) {
  const FunctionSymbol* best = nullptr;
  for (const FunctionSymbol& symbol : symbols) {
    if (address < symbol.begin || address >= symbol.begin + symbol.bytes) continue;
    if (best == nullptr || preferred(symbol, *best)) best = &symbol;
  }
  return best == nullptr ? nullptr : best->name;
}

TEST(FunctionSymbols, AgreeWithASearchOfAllSymbols) {
  static constexpr std::array<char, 65> kLetters{
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"};
  std::mt19937 random(1);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  int covered = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<FunctionSymbol> symbols(below(60));
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      symbols[i] = {100 + below(80), 1 + below(12), static_cast<int>(below(3)), &kLetters.at(i)};
    }
    const FunctionSymbols sorted(symbols);
    for (std::uint64_t address = 95; address < 200; ++address) {
      const FunctionSymbol* const found = sorted.at(address);
      const char* const wanted = name_by_search_of_all(symbols, address);
      ASSERT_EQ(found == nullptr ? nullptr : found->name, wanted) << "address " << address;
      covered += wanted == nullptr ? 0 : 1;
    }
  }
  EXPECT_GT(covered, 10000);
}

}  // namespace
}  // namespace slackline::raw
