#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace slackline {

/// A stable object pool: objects are named by small dense ids, and an id that was released is used
/// again. Objects never move, so references stay valid while the pool grows. Cost: O(1) for every
/// operation; memory follows the largest number of objects in use at a time.
template <class T>
class ObjectPool {
 public:
  using Id = std::uint32_t;

  /// The id of a default-constructed object.
  Id acquire() {
    if (!free_.empty()) {
      const Id id = free_.back();
      free_.pop_back();
      (*this)[id] = T{};
      return id;
    }
    if (size_ % kBlock == 0) blocks_.push_back(std::make_unique<T[]>(kBlock));
    return size_++;
  }
  /// The object keeps its value until its id is acquired again.
  void release(Id id) { free_.push_back(id); }

  T& operator[](Id id) { return blocks_[id / kBlock][id % kBlock]; }
  const T& operator[](Id id) const { return blocks_[id / kBlock][id % kBlock]; }

  /// One more than the largest id that was ever acquired.
  Id size() const { return size_; }

 private:
  static constexpr Id kBlock = 64;

  std::vector<std::unique_ptr<T[]>> blocks_;
  std::vector<Id> free_;
  Id size_ = 0;
};

}  // namespace slackline
