#include "formats/raw/module_symbols.h"

#if SLACKLINE_LIBDW

#include <elfutils/libdwfl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
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

/// The section of that name in the file itself, with its address in `at`; null without one.
Elf_Data* section_of(Elf* elf, const std::string& name, std::uint64_t& at) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return nullptr;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* const own = elf_strptr(elf, names, header.sh_name);
    if (own == nullptr || name != own) continue;
    at = header.sh_addr;
    return elf_getdata(section, nullptr);
  }
  return nullptr;
}

std::int32_t word_at(const Elf_Data& data, std::size_t offset) {
  std::int32_t word = 0;
  std::memcpy(&word, static_cast<const char*>(data.d_buf) + offset, sizeof word);
  return word;
}

}  // namespace

std::vector<std::uint64_t> function_begins(Dwfl_Module* module) {
  // As linkers write it: version, encodings, the address of .eh_frame, the count, and pairs of a
  // function's begin and its entry, relative to the section and sorted.
  constexpr std::array<unsigned char, 4> kUsual{1, 0x1b, 0x03, 0x3b};
  constexpr std::size_t kHead = 12;
  constexpr std::size_t kPair = 8;
  std::vector<std::uint64_t> begins;
  GElf_Addr bias = 0;
  Elf* const elf = dwfl_module_getelf(module, &bias);
  std::uint64_t at = 0;
  const Elf_Data* const data = elf == nullptr ? nullptr : section_of(elf, ".eh_frame_hdr", at);
  if (data == nullptr || data->d_size < kHead ||
      std::memcmp(data->d_buf, kUsual.data(), kUsual.size()) != 0) {
    return begins;
  }
  const auto count = static_cast<std::uint32_t>(word_at(*data, 8));
  const std::size_t known = std::min<std::size_t>(count, (data->d_size - kHead) / kPair);
  for (std::size_t i = 0; i < known; ++i) {
    const std::int64_t offset = word_at(*data, kHead + i * kPair);
    begins.push_back(bias + at + static_cast<std::uint64_t>(offset));
  }
  std::ranges::sort(begins);
  return begins;
}

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
