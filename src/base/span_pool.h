#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace slackline {

/// Memory for many short arrays of a trivial type that come and go: what is given back is used
/// again for the next array of that length, or of a similar one if they are long. Spans stay where
/// they are. Cost: O(1), amortised; at most twice the memory of the most that were out at a time,
/// for each length.
template <class T>
class SpanPool {
 public:
  /// Its elements are left from before.
  std::span<T> take(std::size_t size) {
    if (size == 0) return {};
    const std::size_t kind = kind_of(size);
    if (kind < free_.size() && !free_[kind].empty()) {
      T* const begin = free_[kind].back();
      free_[kind].pop_back();
      return {begin, size};
    }
    const std::size_t room = room_for(size);
    if (room > left_) open_block(room);
    left_ -= room;
    return {blocks_.back().get() + left_, size};
  }

  void give_back(std::span<T> span) {
    if (span.empty()) return;
    const std::size_t kind = kind_of(span.size());
    if (kind >= free_.size()) free_.resize(kind + 1);
    free_[kind].push_back(span.data());
  }

 private:
  static constexpr std::size_t kBlock = 4096;
  static constexpr std::size_t kShort = 16;  // up to here each length is a kind

  static std::size_t kind_of(std::size_t size) {
    if (size <= kShort) return size;
    return kShort + static_cast<std::size_t>(std::bit_width(size - 1));
  }
  static std::size_t room_for(std::size_t size) {
    return size <= kShort ? size : std::bit_ceil(size);
  }

  void open_block(std::size_t at_least) {
    left_ = at_least > kBlock ? at_least : kBlock;
    blocks_.push_back(std::make_unique_for_overwrite<T[]>(left_));
  }

  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t left_ = 0;               ///< elements of the last block
  std::vector<std::vector<T*>> free_;  // by kind
};

}  // namespace slackline
