#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace slackline {

/// A hash set of ids whose keys are stored elsewhere: the table holds four bytes per entry, at a
/// load factor of at most one half of its largest population, and asks the caller for keys. Linear
/// probing with backward-shift deletion, as in FlatMap. `hash_of` maps an id to the hash of its
/// key, which must be well mixed in its low bits; `matches` tells whether an id has the key that is
/// looked for. Cost: O(1) expected for every operation.
class IdTable {
 public:
  static constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();

  std::size_t size() const { return size_; }

  /// The id whose key matches, or kAbsent.
  template <class Matches>
  std::uint32_t find(std::uint64_t hash, Matches matches) const {
    if (size_ == 0) return kAbsent;
    for (std::size_t i = hash & mask(); ids_[i] != kAbsent; i = next(i)) {
      if (matches(ids_[i])) return ids_[i];
    }
    return kAbsent;
  }

  /// Adds an id; its key must not be in the table.
  template <class HashOf>
  void insert(std::uint64_t hash, std::uint32_t id, HashOf hash_of) {
    if (2 * (size_ + 1) > ids_.size()) grow(hash_of);
    ids_[slot_of(hash, kAbsent)] = id;
    ++size_;
  }

  /// Puts the id `by` in the place of `id`, which is in the table and has the same key.
  void replace(std::uint64_t hash, std::uint32_t id, std::uint32_t by) {
    ids_[slot_of(hash, id)] = by;
  }

  /// Removes an id that is in the table.
  template <class HashOf>
  void erase(std::uint64_t hash, std::uint32_t id, HashOf hash_of) {
    std::size_t hole = slot_of(hash, id);
    for (std::size_t i = next(hole); ids_[i] != kAbsent; i = next(i)) {
      // An entry may move back to the hole unless its home slot lies after the hole.
      const std::size_t home = hash_of(ids_[i]) & mask();
      if (((i - home) & mask()) < ((i - hole) & mask())) continue;
      ids_[hole] = ids_[i];
      hole = i;
    }
    ids_[hole] = kAbsent;
    --size_;
  }

  /// Calls visit(id) for every id, in no particular order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const std::uint32_t id : ids_) {
      if (id != kAbsent) visit(id);
    }
  }

 private:
  std::size_t mask() const { return ids_.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }

  std::size_t slot_of(std::uint64_t hash, std::uint32_t id) const {
    std::size_t i = hash & mask();
    while (ids_[i] != id) i = next(i);
    return i;
  }

  template <class HashOf>
  void grow(HashOf hash_of) {
    std::vector<std::uint32_t> old(ids_.empty() ? 16 : 2 * ids_.size(), kAbsent);
    old.swap(ids_);
    for (const std::uint32_t id : old) {
      if (id != kAbsent) ids_[slot_of(hash_of(id), kAbsent)] = id;
    }
  }

  std::vector<std::uint32_t> ids_;
  std::size_t size_ = 0;
};

}  // namespace slackline
