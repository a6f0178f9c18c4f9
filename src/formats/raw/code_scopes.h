#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <vector>

namespace slackline::raw {

/// Which functions of a module an instruction belongs to, by its debug information. Only where
/// there is libdw, whose own search (dwarf_getscopes) reads all functions of a unit for each
/// address, and gives up at functions that link-time optimisation has inlined from other units.
class CodeScopes {
 public:
  explicit CodeScopes(Dwfl_Module* module) : module_(module) {}

  struct Scopes {
    /// Where the instruction was inlined (DW_TAG_inlined_subroutine), innermost first, and then the
    /// function that holds it (DW_TAG_subprogram). Empty where that is not known. They live as long
    /// as the module.
    std::vector<Dwarf_Die> entries;
    std::uint64_t bias = 0;  ///< to be added to the addresses in these entries
  };
  /// The scopes of the instruction at `address`.
  Scopes at(std::uint64_t address);

 private:
  /// A function's code, or a part of it.
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    Dwarf_Die function{};
  };
  using Ranges = std::vector<Range>;  ///< by begin

  static void collect(Dwarf_Die* around, Ranges& ranges);
  const Ranges& functions_of(Dwarf_Die* unit);

  Dwfl_Module* module_;
  std::map<Dwarf_Off, Ranges> units_;  ///< by the offset of the unit's entry; read when needed
};

}  // namespace slackline::raw
