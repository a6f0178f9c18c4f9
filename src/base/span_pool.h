#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace slackline {

/// Memory for many short arrays of a trivial type that come and go: what is given back is used
/// again for the next array of that length. Spans stay where they are. Cost: O(1), amortised.
template <class T>
class SpanPool {
 public:
  /// Its elements are left from before.
  std::span<T> take(std::size_t size) {
    if (size == 0) return {};
    if (size < free_.size() && !free_[size].empty()) {
      T* const begin = free_[size].back();
      free_[size].pop_back();
      return {begin, size};
    }
    if (size > left_) open_block(size);
    left_ -= size;
    return {blocks_.back().get() + left_, size};
  }

  void give_back(std::span<T> span) {
    if (span.empty()) return;
    if (span.size() >= free_.size()) free_.resize(span.size() + 1);
    free_[span.size()].push_back(span.data());
  }

 private:
  static constexpr std::size_t kBlock = 4096;

  void open_block(std::size_t at_least) {
    left_ = at_least > kBlock ? at_least : kBlock;
    blocks_.push_back(std::make_unique_for_overwrite<T[]>(left_));
  }

  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t left_ = 0;               ///< elements of the last block
  std::vector<std::vector<T*>> free_;  // by size
};

}  // namespace slackline
