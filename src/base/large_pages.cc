#include "base/large_pages.h"

#if defined(__GLIBC__) || __has_include(<malloc.h>)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace slackline {

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
namespace {

constexpr int kHeap = 32 << 20;
// What glibc comes to by itself when blocks of that size are freed.
constexpr int kLargestInHeap = 32 << 20;
constexpr int kKept = 64 << 20;
constexpr int kUsualGrowth = 128 << 10;

}  // namespace

/// The heap grows for a block by as much as it is told to keep in reserve, and is advised before
/// anything is written there.
void use_large_pages() {
  mallopt(M_MMAP_THRESHOLD, kLargestInHeap);
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_TOP_PAD, kHeap);
  auto* const block = static_cast<char*>(std::malloc(2 * kUsualGrowth));
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  const std::uintptr_t into_page = (page - address % page) % page;
  const std::uintptr_t begin = address + into_page;
  const bool in_heap = block != nullptr && begin < end && end - begin <= 2 * std::size_t{kHeap};
  if (in_heap) madvise(block + into_page, end - begin, MADV_HUGEPAGE);
  std::free(block);
  mallopt(M_TOP_PAD, kUsualGrowth);
}
#else
void use_large_pages() {}
#endif

}  // namespace slackline
