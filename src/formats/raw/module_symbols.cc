#include "formats/raw/module_symbols.h"

#if SLACKLINE_LIBDW

#include <elfutils/libdwfl.h>

#include <utility>
#include <vector>

namespace slackline::raw {
namespace {

int strength(const GElf_Sym& symbol) {
  switch (GELF_ST_BIND(symbol.st_info)) {
    case STB_GLOBAL:
      return 2;
    case STB_WEAK:
      return 1;
    default:
      return 0;
  }
}

bool has_address(const GElf_Sym& symbol, GElf_Word section) {
  const bool in_memory =
      section != SHN_UNDEF && section != SHN_ABS && section != GElf_Word{0xffffffff};
  const int type = GELF_ST_TYPE(symbol.st_info);
  return in_memory && type != STT_SECTION && type != STT_FILE && type != STT_TLS;
}

}  // namespace

FunctionSymbols module_symbols(Dwfl_Module* module) {
  std::vector<FunctionSymbol> symbols;
  const int count = dwfl_module_getsymtab(module);
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol{};
    GElf_Addr address = 0;
    GElf_Word section = SHN_UNDEF;
    const char* const name =
        dwfl_module_getsym_info(module, i, &symbol, &address, &section, nullptr, nullptr);
    if (name == nullptr || *name == '\0' || symbol.st_size == 0) continue;
    if (!has_address(symbol, section)) continue;
    symbols.push_back({address, symbol.st_size, strength(symbol), name});
  }
  return FunctionSymbols(std::move(symbols));
}

}  // namespace slackline::raw

#endif
