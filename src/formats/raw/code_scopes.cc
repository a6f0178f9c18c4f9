#if SLACKLINE_LIBDW

#include "formats/raw/code_scopes.h"

#include <dwarf.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace slackline::raw {
namespace {

/// What functions are defined in, beside the unit itself: Fortran's modules and functions have
/// functions in them.
bool may_hold_functions(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
      return true;
    default:
      return false;
  }
}

/// The block or inlined function in `around` that holds the instruction at `pc`. False: none.
bool find_inner(Dwarf_Die around, std::uint64_t pc, Dwarf_Die& inner) {
  if (dwarf_child(&around, &inner) != 0) return false;
  do {
    const int tag = dwarf_tag(&inner);
    const bool block = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block;
    if (block && dwarf_haspc(&inner, pc) > 0) return true;
  } while (dwarf_siblingof(&inner, &inner) == 0);
  return false;
}

}  // namespace

void CodeScopes::collect(Dwarf_Die* around, Ranges& ranges) {
  Dwarf_Die child;
  if (dwarf_child(around, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (!may_hold_functions(tag)) continue;
    if (tag == DW_TAG_subprogram) {
      std::ptrdiff_t at = 0;
      Dwarf_Addr base = 0;
      Range range{0, 0, child};
      while ((at = dwarf_ranges(&child, at, &base, &range.begin, &range.end)) > 0) {
        ranges.push_back(range);
      }
    }
    collect(&child, ranges);
  } while (dwarf_siblingof(&child, &child) == 0);
}

const CodeScopes::Ranges& CodeScopes::functions_of(Dwarf_Die* unit) {
  const auto [at, fresh] = units_.try_emplace(dwarf_dieoffset(unit));
  if (fresh) {
    collect(unit, at->second);
    std::ranges::stable_sort(at->second, {}, &Range::begin);
  }
  return at->second;
}

CodeScopes::Scopes CodeScopes::at(std::uint64_t address) {
  Scopes scopes;
  Dwarf_Die* const unit = dwfl_module_addrdie(module_, address, &scopes.bias);
  if (unit == nullptr) return scopes;
  const std::uint64_t pc = address - scopes.bias;
  const Ranges& functions = functions_of(unit);
  const auto after = std::ranges::upper_bound(functions, pc, {}, &Range::begin);
  if (after == functions.begin() || pc >= std::prev(after)->end) return scopes;
  Dwarf_Die scope = std::prev(after)->function;
  scopes.entries.push_back(scope);
  for (Dwarf_Die inner; find_inner(scope, pc, inner); scope = inner) {
    if (dwarf_tag(&inner) == DW_TAG_inlined_subroutine) scopes.entries.push_back(inner);
  }
  std::ranges::reverse(scopes.entries);
  return scopes;
}

}  // namespace slackline::raw

#endif
