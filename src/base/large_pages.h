#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace slackline {

/// Asks for large pages (2 MB) for the first 32 MB of the heap: to be called once, before threads
/// are started and much is allocated. A short command that comes to a few MB would spend a fifth of
/// its time on page faults. No more than that: in larger commands it gains little, and the kernel
/// can take long to find large pages. Does nothing where there are none. From then on blocks of up
/// to 32 MB come from the heap, as glibc has it by itself once some have been freed.
void use_large_pages();

/// Memory for arrays of many megabytes: the system is asked for huge pages, so that it hands over
/// two megabytes at a time and not four kilobytes. What is reserved and not used costs at most one
/// huge page; small arrays are none of this one's business and come from where all others come
/// from.
template <class T>
class HugePageAllocator {
 public:
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) {}

  T* allocate(std::size_t count) {
    if (count < kLeast / sizeof(T)) return std::allocator<T>().allocate(count);
    const std::size_t bytes = (count * sizeof(T) + kPage - 1) / kPage * kPage;
    void* memory = count > kMost / sizeof(T) ? nullptr : std::aligned_alloc(kPage, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    madvise(memory, bytes, MADV_HUGEPAGE);  // a hint: failure is harmless
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count < kLeast / sizeof(T)) {
      std::allocator<T>().deallocate(memory, count);
    } else {
      std::free(memory);
    }
  }
  bool operator==(const HugePageAllocator&) const = default;

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;
  static constexpr std::size_t kLeast = 4 * kPage;
  static constexpr std::size_t kMost = std::size_t{1} << 62;
};

template <class T>
using BigVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace slackline
