#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

struct Dwfl_Module;

namespace slackline::raw {

/// A symbol that has a size. `name` belongs to whom the symbol was read from.
struct FunctionSymbol {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  int binding = 0;  ///< the stronger the higher: local, weak, global
  const char* name = nullptr;
};

/// The symbols of a module by address. libdw's own search reads all symbols for each address: for
/// a program of LAMMPS' size that was nine tenths of the time that finishing a recording takes.
class FunctionSymbols {
 public:
  FunctionSymbols() = default;
  /// O(n log n).
  explicit FunctionSymbols(std::vector<FunctionSymbol> symbols);

  /// The symbol that covers `address`, or null. Of several that with the strongest binding, then
  /// the nearest begin, then the smallest, then the first one given. O(log n + symbols that
  /// overlap).
  const FunctionSymbol* at(std::uint64_t address) const;
  /// By begin.
  std::span<const FunctionSymbol> all() const { return symbols_; }

 private:
  std::vector<FunctionSymbol> symbols_;  ///< by begin, stable
  std::vector<std::uint64_t> reach_;     ///< the furthest end of the symbols up to each
};

/// The symbols of `module` that have a size; their names live as long as it does. Reads all of
/// them. Only where there is libdw.
FunctionSymbols module_symbols(Dwfl_Module* module);

/// Where the functions of `module` begin, ascending, by the table for unwinding (.eh_frame_hdr of
/// the Linux Standard Base): stripped files have it, too. Empty without one. Only where there is
/// libdw.
std::vector<std::uint64_t> function_begins(Dwfl_Module* module);

/// Whether `module` stands for the page of code that Linux maps into each process (vdso(7)).
bool is_vdso(const std::filesystem::path& module);

/// A descriptor of a file with a copy of that page of this process, to be closed by the caller; -1
/// where there is none. There is no other file of it.
int open_vdso();

}  // namespace slackline::raw
