#include "formats/raw/module_symbols.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/raw/source_lines.h"

namespace slackline::raw {
namespace {

char* standard_paths = nullptr;
constexpr Dwfl_Callbacks kCallbacks{.find_elf = dwfl_build_id_find_elf,
                                    .find_debuginfo = dwfl_standard_find_debuginfo,
                                    .section_address = dwfl_offline_section_address,
                                    .debuginfo_path = &standard_paths};

/// The library of this process that has `function`, as libdw reads it.
struct Library {
  explicit Library(const void* function) {
    EXPECT_NE(dladdr(function, &info), 0);
    dwfl_report_begin(session);
    module = dwfl_report_elf(session, info.dli_fname, info.dli_fname, -1, 0, true);
    dwfl_report_end(session, nullptr, nullptr);
    EXPECT_NE(module, nullptr) << info.dli_fname;
  }
  ~Library() { dwfl_end(session); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  Dl_info info{};
  Dwfl* session = dwfl_begin(&kCallbacks);
  Dwfl_Module* module = nullptr;
};

/// Compares names by libdw's own search, every `step` bytes of the library that has `function`.
void compare_with_libdw(const void* function, std::uint64_t step) {
  const Library library(function);
  ASSERT_NE(library.module, nullptr);
  Dwfl_Module* const module = library.module;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  dwfl_module_info(module, nullptr, &begin, &end, nullptr, nullptr, nullptr, nullptr);
  const FunctionSymbols symbols = module_symbols(module);
  int named = 0;
  for (std::uint64_t address = begin; address < end; address += step) {
    GElf_Off offset = 0;
    GElf_Sym symbol{};
    const char* const name =
        dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    const bool known = name != nullptr && offset < symbol.st_size;
    const FunctionSymbol* const found = symbols.at(address);
    ASSERT_EQ(found != nullptr, known) << address << " " << (known ? name : found->name);
    if (!known) continue;
    EXPECT_EQ(std::string(found->name), name) << address;
    ++named;
  }
  EXPECT_GT(named, 200);
}

TEST(ModuleSymbols, NameWhatLibdwNames) {
  // A function of libc that no sanitizer replaces by one of the program.
  compare_with_libdw(reinterpret_cast<const void*>(&gnu_get_libc_version), 4001);
  compare_with_libdw(reinterpret_cast<const void*>(&dwfl_begin), 97);
}

// One of libdw's own, which a stripped library tells, too.
TEST(ModuleSymbols, FunctionsBeginWhereTheTableForUnwindingSays) {
  const Library library(reinterpret_cast<const void*>(&dwfl_begin));
  ASSERT_NE(library.module, nullptr);
  const std::vector<std::uint64_t> begins = function_begins(library.module);
  EXPECT_GT(begins.size(), 100U);
  const std::uint64_t function = reinterpret_cast<std::uint64_t>(&dwfl_begin) -
                                 reinterpret_cast<std::uint64_t>(library.info.dli_fbase);
  EXPECT_TRUE(std::ranges::binary_search(begins, function));
  EXPECT_FALSE(std::ranges::binary_search(begins, function + 1));
}

// A function of a library that has no symbol for it: all its instructions have one name.
TEST(SourceLines, NamesFunctionsWithoutASymbolByTheirBegin) {
  const Library library(reinterpret_cast<const void*>(&dwfl_begin));
  ASSERT_NE(library.module, nullptr);
  const FunctionSymbols symbols = module_symbols(library.module);
  const std::vector<std::uint64_t> begins = function_begins(library.module);
  const SourceLines lines(library.info.dli_fname, {});
  std::size_t nameless = 0;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    if (symbols.at(begins[i]) != nullptr || begins[i + 1] - begins[i] < 8) continue;
    const std::string name = lines.at(begins[i]).back().function;
    if (name.find("+0x") == std::string::npos) continue;  // debug information names it
    ++nameless;
    EXPECT_EQ(lines.at(begins[i] + 5).back().function, name);
    EXPECT_NE(lines.at(begins[i + 1]).back().function, name);
  }
  if (nameless == 0) GTEST_SKIP() << library.info.dli_fname << " names all its functions";
}

}  // namespace

// Code and data of this program.
extern "C" int slackline_test_function(int n);
extern "C" int slackline_test_function(int n) {
  return n * n;
}
extern "C" {
extern int slackline_test_variable;
int slackline_test_variable = 7;
}

namespace {

TEST(SourceLines, ListTheFunctionsOfAFile) {
  const Library program(reinterpret_cast<const void*>(&slackline_test_function));
  const std::vector<SourceLines::Symbol> functions =
      SourceLines(program.info.dli_fname, {}).functions();
  const auto by_name = [&](const char* name) {
    return std::ranges::find(functions, name, &SourceLines::Symbol::name);
  };
  ASSERT_NE(by_name("slackline_test_function"), functions.end());
  EXPECT_EQ(by_name("slackline_test_variable"), functions.end());
  EXPECT_EQ(std::ranges::adjacent_find(functions, std::ranges::greater_equal{},
                                       &SourceLines::Symbol::begin),
            functions.end());
  const SourceLines::Symbol& found = *by_name("slackline_test_function");
  EXPECT_EQ(found.begin, reinterpret_cast<std::uint64_t>(&slackline_test_function) -
                             reinterpret_cast<std::uint64_t>(program.info.dli_fbase));
  EXPECT_GT(found.bytes, 0U);
  using enum SourceLines::Returns;
  EXPECT_TRUE(found.returns == integer || found.returns == unknown);  // without -g it is not known
}

// The page that the kernel maps into each process has no file.
TEST(SourceLines, NamesFunctionsOfTheVdso) {
  constexpr const char* kModule = "linux-vdso.so.1";
  constexpr const char* kFunction = "__vdso_clock_gettime";
  void* const module = dlopen(kModule, RTLD_LAZY | RTLD_NOLOAD);
  void* const function = module == nullptr ? nullptr : dlsym(module, kFunction);
  if (function == nullptr) GTEST_SKIP() << "this system has no " << kFunction;
  const auto address = reinterpret_cast<std::uint64_t>(function) - getauxval(AT_SYSINFO_EHDR);
  const SourceLines lines(kModule, {});
  ASSERT_EQ(lines.state(), SourceLines::State::readable);
  EXPECT_EQ(lines.at(address + 9).back().function, kFunction);
  const std::array<std::uint8_t, 4> other_build{1, 2, 3, 4};
  EXPECT_EQ(SourceLines(kModule, other_build).state(), SourceLines::State::changed);
  dlclose(module);
}

}  // namespace
}  // namespace slackline::raw
