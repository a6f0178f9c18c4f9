#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace slackline {

/// Things that come and go and are named by small dense ids; an id that is given back is used
/// again. They stay where they are, so that references hold and growing copies nothing. Cost: O(1).
template <class T>
class Slots {
 public:
  using Id = std::uint32_t;

  /// A default-constructed one.
  Id take() {
    if (!free_.empty()) {
      const Id id = free_.back();
      free_.pop_back();
      (*this)[id] = T{};
      return id;
    }
    if (size_ % kBlock == 0) blocks_.push_back(std::make_unique<T[]>(kBlock));
    return size_++;
  }
  void give_back(Id id) { free_.push_back(id); }

  T& operator[](Id id) { return blocks_[id / kBlock][id % kBlock]; }
  const T& operator[](Id id) const { return blocks_[id / kBlock][id % kBlock]; }

  /// Ids that were ever taken: all lie below.
  Id size() const { return size_; }

 private:
  static constexpr Id kBlock = 64;

  std::vector<std::unique_ptr<T[]>> blocks_;
  std::vector<Id> free_;
  Id size_ = 0;
};

}  // namespace slackline
