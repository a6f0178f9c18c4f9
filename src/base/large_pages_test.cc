#include "base/large_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

namespace slackline {
namespace {

/// The kernel's flags of the mapping that holds the address; empty when none does.
std::string flags_of(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream range(line);
    if (line.find(' ') > line.find('-') && range >> std::hex >> begin >> dash >> end) {
      inside = dash == '-' && begin <= wanted && wanted < end;
    }
    if (inside && line.starts_with("VmFlags:")) return line;
  }
  return {};
}

TEST(LargePages, TheHeapThatFollowsIsAdvised) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
    GTEST_SKIP() << "this kernel has no large pages";
  }
  use_large_pages();
  constexpr std::size_t kBlock = 1 << 20;
  const std::unique_ptr<void, void (*)(void*)> block(std::malloc(kBlock), std::free);
  ASSERT_NE(block, nullptr);
  // Its first page may be shared with what was there before.
  const std::string flags = flags_of(static_cast<char*>(block.get()) + kBlock / 2);
  if (flags.empty()) GTEST_SKIP() << "the kernel does not list a mapping's flags";
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's heap is its own";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "a sanitizer's heap is its own";
#endif
#endif
  EXPECT_NE(flags.find(" hg"), std::string::npos) << flags;
}

}  // namespace
}  // namespace slackline
