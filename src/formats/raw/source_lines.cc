#include "formats/raw/source_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>

#include "formats/raw/module_symbols.h"
#include "trace/symbol_names.h"

#if SLACKLINE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include "formats/raw/code_scopes.h"
#endif

namespace slackline::raw {

#if SLACKLINE_LIBDW

namespace {

std::string name_of(Dwarf_Die* function) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    const char* const symbol = dwarf_formstring(dwarf_attr_integrate(function, name, &attribute));
    if (symbol == nullptr) continue;
    std::string readable = readable_name(symbol);
    // gfortran's external procedures have a linkage name with an underscore and nothing to say.
    if (readable != symbol) return readable;
  }
  const char* const name = dwarf_diename(function);
  // A parallel region of OpenMP is a function of GCC's own, with its name here, too.
  return name == nullptr ? std::string() : readable_name(name);
}

std::string absolute(const char* file, const char* folder) {
  if (file == nullptr) return {};
  if (file[0] == '/' || folder == nullptr) return file;
  return (std::filesystem::path(folder) / file).lexically_normal().string();
}

void fill_line(Dwfl_Module* module, std::uint64_t address, CodeLocation& location) {
  Dwfl_Line* const line = dwfl_module_getsrc(module, address);
  if (line == nullptr) return;
  int number = 0;
  const char* const file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
  location.file = absolute(file, dwfl_line_comp_dir(line));
  location.line = number > 0 ? static_cast<std::uint32_t>(number) : 0;
}

/// Where an inlined function was called.
void fill_call(Dwarf_Die* inlined, CodeLocation& location) {
  Dwarf_Attribute attribute;
  Dwarf_Word file = 0;
  Dwarf_Word line = 0;
  Dwarf_Die unit;
  Dwarf_Files* files = nullptr;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) == 0) {
    location.line = static_cast<std::uint32_t>(line);
  }
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
      dwarf_diecu(inlined, &unit, nullptr, nullptr) == nullptr ||
      dwarf_getsrcfiles(&unit, &files, nullptr) != 0) {
    return;
  }
  const char* const folder = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
  location.file = absolute(dwarf_filesrc(files, file, nullptr, nullptr), folder);
}

struct TailJump {
  std::uint64_t address;  ///< in the jump
  std::uint64_t target;   ///< begin of the function that it goes to; 0: not known
};

bool has_flag(Dwarf_Die* die, unsigned dwarf5, unsigned gnu) {
  return dwarf_hasattr(die, dwarf5) != 0 || dwarf_hasattr(die, gnu) != 0;
}

/// In the jump that `site` describes, by its own address or the one behind it.
std::optional<std::uint64_t> address_of_site(Dwarf_Die* site) {
  Dwarf_Attribute attribute;
  Dwarf_Addr address = 0;
  if (dwarf_formaddr(dwarf_attr(site, DW_AT_call_pc, &attribute), &address) == 0) return address;
  for (const unsigned name : {DW_AT_call_return_pc, DW_AT_low_pc}) {
    if (dwarf_formaddr(dwarf_attr(site, name, &attribute), &address) == 0) return address - 1;
  }
  return std::nullopt;
}

std::uint64_t target_of_site(Dwarf_Die* site) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_call_origin, DW_AT_abstract_origin}) {
    Dwarf_Die function;
    Dwarf_Addr begin = 0;
    if (dwarf_formref_die(dwarf_attr(site, name, &attribute), &function) != nullptr &&
        dwarf_lowpc(&function, &begin) == 0) {
      return begin;
    }
  }
  return 0;
}

/// Those of `around` and of the blocks and inlined functions in it.
void add_tail_jumps(Dwarf_Die* around, std::uint64_t bias, std::vector<TailJump>& jumps) {
  Dwarf_Die child;
  if (dwarf_child(around, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) {
      const std::optional<std::uint64_t> address = address_of_site(&child);
      if (!address || !has_flag(&child, DW_AT_call_tail_call, DW_AT_GNU_tail_call)) continue;
      const std::uint64_t target = target_of_site(&child);
      jumps.push_back({*address + bias, target == 0 ? 0 : target + bias});
    } else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) {
      add_tail_jumps(&child, bias, jumps);
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

/// The jumps of the function that holds `address`, and of its blocks.
std::vector<TailJump> tail_jumps(CodeScopes& scopes, std::uint64_t address) {
  std::vector<TailJump> jumps;
  CodeScopes::Scopes found = scopes.at(address);
  if (!found.entries.empty()) add_tail_jumps(&found.entries.back(), found.bias, jumps);
  return jumps;
}

/// What stands behind typedefs and qualifiers counts.
SourceLines::Returns kind_of_type(Dwarf_Die type) {
  using enum SourceLines::Returns;
  Dwarf_Die peeled;
  Dwarf_Attribute attribute;
  Dwarf_Word encoding = 0;
  if (dwarf_peel_type(&type, &peeled) != 0) return other;
  if (dwarf_tag(&peeled) == DW_TAG_enumeration_type) return integer;
  if (dwarf_tag(&peeled) == DW_TAG_pointer_type) return address;
  if (dwarf_tag(&peeled) != DW_TAG_base_type ||
      dwarf_formudata(dwarf_attr(&peeled, DW_AT_encoding, &attribute), &encoding) != 0) {
    return other;
  }
  switch (encoding) {
    case DW_ATE_boolean:
    case DW_ATE_signed:
    case DW_ATE_unsigned:
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char:
      return dwarf_bytesize(&peeled) <= 8 ? integer : other;
    case DW_ATE_float:
      return dwarf_bytesize(&peeled) <= 8 ? real : other;
    default:
      return other;
  }
}

SourceLines::Returns kind_of_result(CodeScopes& scopes, std::uint64_t begin) {
  CodeScopes::Scopes found = scopes.at(begin);
  if (found.entries.empty()) return SourceLines::Returns::unknown;
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_attr_integrate(&found.entries.back(), DW_AT_type, &attribute) == nullptr) {
    return SourceLines::Returns::nothing;
  }
  if (dwarf_formref_die(&attribute, &type) == nullptr) return SourceLines::Returns::other;
  return kind_of_type(type);
}

char* standard_paths = nullptr;
constexpr Dwfl_Callbacks kCallbacks{.find_elf = dwfl_build_id_find_elf,
                                    .find_debuginfo = dwfl_standard_find_debuginfo,
                                    .section_address = dwfl_offline_section_address,
                                    .debuginfo_path = &standard_paths};

}  // namespace

struct SourceLines::Module {
  Dwfl* session = nullptr;
  Dwfl_Module* module = nullptr;

  Module() : session(dwfl_begin(&kCallbacks)) {}
  ~Module() {
    if (session != nullptr) dwfl_end(session);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// `fd` is the file, or -1 if it has yet to be opened, and belongs to this from now on.
  bool open(const std::string& file, int fd) {
    if (session == nullptr) {
      if (fd >= 0) close(fd);
      return false;
    }
    dwfl_report_begin(session);
    // Addresses stay those of the file.
    file_name = slackline::file_name(file);
    module = dwfl_report_elf(session, file.c_str(), file.c_str(), fd, 0, true);
    dwfl_report_end(session, nullptr, nullptr);
    if (module == nullptr) return false;
    scopes.emplace(module);
    return true;
  }

  bool is_build(std::span<const std::uint8_t> build_id) const {
    GElf_Addr bias = 0;
    if (build_id.empty() || dwfl_module_getelf(module, &bias) == nullptr) return true;
    const unsigned char* bits = nullptr;
    GElf_Addr address = 0;
    const int bytes = dwfl_module_build_id(module, &bits, &address);
    if (bytes <= 0) return true;
    const std::span<const std::uint8_t> own(bits, static_cast<std::size_t>(bytes));
    return std::ranges::equal(own.first(std::min(own.size(), build_id.size())), build_id);
  }

  const FunctionSymbol* covering(std::uint64_t address) const {
    if (!symbols) symbols = module_symbols(module);
    return symbols->at(address);
  }
  /// Without a symbol the file and where the function begins stand for its name.
  std::string name_at(std::uint64_t address) const {
    if (const FunctionSymbol* const symbol = covering(address)) return readable_name(symbol->name);
    if (!begins) begins = function_begins(module);
    const auto after = std::ranges::upper_bound(*begins, address);
    return after == begins->begin() ? "" : fmt::format("{}+0x{:x}", file_name, *std::prev(after));
  }

  /// The bytes of the file's code from `address` on; false where that is no code.
  template <std::size_t N>
  bool read_code(std::uint64_t address, std::array<std::uint8_t, N>& bytes) const {
    GElf_Addr bias = 0;
    Elf* const elf = dwfl_module_getelf(module, &bias);
    std::size_t segments = 0;
    if (elf == nullptr || elf_getphdrnum(elf, &segments) != 0) return false;
    for (std::size_t i = 0; i < segments; ++i) {
      GElf_Phdr segment{};
      if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) continue;
      const std::uint64_t at = address - bias - segment.p_vaddr;
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 || at >= segment.p_filesz ||
          segment.p_filesz - at < N) {
        continue;
      }
      const Elf_Data* const data = elf_getdata_rawchunk(
          elf, static_cast<std::int64_t>(segment.p_offset + at), N, ELF_T_BYTE);
      if (data == nullptr || data->d_size < N) return false;
      std::memcpy(bytes.data(), data->d_buf, N);
      return true;
    }
    return false;
  }

  std::string file_name{};
  std::optional<CodeScopes> scopes{};                ///< once there is a module
  mutable std::optional<FunctionSymbols> symbols{};  ///< read for the first that needs them
  mutable std::optional<std::vector<std::uint64_t>> begins{};  ///< read likewise: of functions
};

SourceLines::SourceLines(const std::filesystem::path& file, std::span<const std::uint8_t> build_id)
    : module_(std::make_unique<Module>()) {
  std::error_code ignored;
  // Opening anything else, a pipe say, might never return.
  const int fd = is_vdso(file) ? open_vdso() : -1;
  if (fd < 0 && !std::filesystem::is_regular_file(file, ignored)) return;
  if (!module_->open(file.string(), fd)) return;
  state_ = module_->is_build(build_id) ? State::readable : State::changed;
}

std::vector<CodeLocation> SourceLines::at(std::uint64_t address) const {
  std::vector<CodeLocation> found(1);
  if (state_ != State::readable) return found;
  fill_line(module_->module, address, found[0]);
  CodeScopes::Scopes scopes = module_->scopes->at(address);
  for (Dwarf_Die& scope : scopes.entries) {
    found.back().function = name_of(&scope);
    if (dwarf_tag(&scope) == DW_TAG_subprogram) break;
    found.back().inlined = true;
    CodeLocation caller;
    fill_call(&scope, caller);
    found.push_back(caller);
  }
  if (found.back().function.empty()) found.back().function = module_->name_at(address);
  return found;
}

std::optional<std::uint64_t> SourceLines::called_before(std::uint64_t return_address) const {
  constexpr std::uint8_t kCallNear = 0xe8;  // of x86-64, followed by the distance
  std::array<std::uint8_t, 5> call{};
  if (state_ != State::readable || return_address < call.size() ||
      !module_->read_code(return_address - call.size(), call) || call[0] != kCallNear) {
    return std::nullopt;
  }
  std::int32_t distance = 0;
  std::memcpy(&distance, call.data() + 1, sizeof distance);
  const std::uint64_t target = return_address + static_cast<std::uint64_t>(std::int64_t{distance});
  const FunctionSymbol* const symbol = module_->covering(target);
  if (symbol == nullptr || symbol->begin != target) return std::nullopt;
  return target;
}

std::optional<SourceLines::Function> SourceLines::function_at(std::uint64_t begin) const {
  if (state_ != State::readable) return std::nullopt;
  const FunctionSymbol* const symbol = module_->covering(begin);
  if (symbol == nullptr || symbol->begin != begin) return std::nullopt;
  Function function{at(begin).back(), begin, begin + symbol->bytes};
  for (const TailJump& jump : tail_jumps(*module_->scopes, begin)) {
    function.tail_calls.push_back({at(jump.address), jump.target});
  }
  return function;
}

std::vector<SourceLines::Symbol> SourceLines::functions() const {
  std::vector<Symbol> found;
  if (state_ != State::readable) return found;
  module_->covering(0);
  std::array<std::uint8_t, 1> code{};
  for (const FunctionSymbol& symbol : module_->symbols->all()) {
    const FunctionSymbol& named = *module_->covering(symbol.begin);
    const bool known = !found.empty() && found.back().begin == named.begin;
    if (known || named.begin != symbol.begin || !module_->read_code(symbol.begin, code)) continue;
    found.push_back({named.begin, named.bytes, readable_name(named.name),
                     kind_of_result(*module_->scopes, named.begin)});
  }
  return found;
}

#else

struct SourceLines::Module {};

SourceLines::SourceLines(const std::filesystem::path&, std::span<const std::uint8_t>)
    : state_(State::unsupported) {}

std::vector<CodeLocation> SourceLines::at(std::uint64_t) const {
  return std::vector<CodeLocation>(1);
}

std::optional<std::uint64_t> SourceLines::called_before(std::uint64_t) const {
  return std::nullopt;
}

std::optional<SourceLines::Function> SourceLines::function_at(std::uint64_t) const {
  return std::nullopt;
}

std::vector<SourceLines::Symbol> SourceLines::functions() const {
  return {};
}

#endif

SourceLines::~SourceLines() = default;
SourceLines::SourceLines(SourceLines&&) noexcept = default;

}  // namespace slackline::raw
