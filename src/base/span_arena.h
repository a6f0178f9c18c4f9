#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace slackline {

/// A size-class arena: memory for many short arrays of a trivial type that come and go. A released
/// array is used again for the next one of its size class: each length up to kShort is a class of
/// its own, longer ones share a class up to the next power of two. Arrays never move. Cost: O(1)
/// amortised; for each class at most twice the memory of the most arrays in use at a time.
template <class T>
class SpanArena {
 public:
  /// `size` elements, with whatever values an earlier array has left in them.
  std::span<T> allocate(std::size_t size) {
    if (size == 0) return {};
    const std::size_t size_class = class_of(size);
    if (size_class < free_.size() && !free_[size_class].empty()) {
      T* const begin = free_[size_class].back();
      free_[size_class].pop_back();
      return {begin, size};
    }
    const std::size_t room = capacity_for(size);
    if (room > left_) open_block(room);
    left_ -= room;
    return {blocks_.back().get() + left_, size};
  }

  /// `span` must be one that allocate() has returned, whole.
  void release(std::span<T> span) {
    if (span.empty()) return;
    const std::size_t size_class = class_of(span.size());
    if (size_class >= free_.size()) free_.resize(size_class + 1);
    free_[size_class].push_back(span.data());
  }

 private:
  static constexpr std::size_t kBlock = 4096;
  static constexpr std::size_t kShort = 16;

  static std::size_t class_of(std::size_t size) {
    if (size <= kShort) return size;
    return kShort + static_cast<std::size_t>(std::bit_width(size - 1));
  }
  static std::size_t capacity_for(std::size_t size) {
    return size <= kShort ? size : std::bit_ceil(size);
  }

  void open_block(std::size_t at_least) {
    left_ = at_least > kBlock ? at_least : kBlock;
    blocks_.push_back(std::make_unique_for_overwrite<T[]>(left_));
  }

  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t left_ = 0;               ///< unused elements at the beginning of the last block
  std::vector<std::vector<T*>> free_;  // by size class
};

}  // namespace slackline
