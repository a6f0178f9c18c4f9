#include "formats/raw/module_symbols.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace slackline::raw {
namespace {

bool covers(const FunctionSymbol& symbol, std::uint64_t address) {
  return address >= symbol.begin && address - symbol.begin < symbol.bytes;
}

bool better(const FunctionSymbol& a, const FunctionSymbol& b) {
  return std::tuple(-a.binding, b.begin, a.bytes) < std::tuple(-b.binding, a.begin, b.bytes);
}

}  // namespace

FunctionSymbols::FunctionSymbols(std::vector<FunctionSymbol> symbols)
    : symbols_(std::move(symbols)) {
  std::ranges::stable_sort(symbols_, {}, &FunctionSymbol::begin);
  reach_.reserve(symbols_.size());
  std::uint64_t reach = 0;
  for (const FunctionSymbol& symbol : symbols_) {
    reach = std::max(reach, symbol.begin + symbol.bytes);
    reach_.push_back(reach);
  }
}

const FunctionSymbol* FunctionSymbols::at(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(symbols_, address, {}, &FunctionSymbol::begin);
  const FunctionSymbol* best = nullptr;
  for (auto i = static_cast<std::size_t>(after - symbols_.begin()); i > 0; --i) {
    if (reach_[i - 1] <= address) break;
    const FunctionSymbol& symbol = symbols_[i - 1];
    // Going backwards, an equal one was given earlier.
    if (covers(symbol, address) && (best == nullptr || !better(*best, symbol))) best = &symbol;
  }
  return best;
}

}  // namespace slackline::raw
