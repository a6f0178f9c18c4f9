#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace slackline {

/// Spreads the bits of an integer over all 64 (the finaliser of SplitMix64).
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Hash table for small keys and values in one array: linear probing, and deletion by shifting
/// back, so that a table in which entries come and go stays as small as its largest population.
/// `Hash` is a functor key -> uint64_t whose low bits are well mixed. Pointers and references into
/// the table are good until the next insertion or erasure.
template <class Key, class Value, class Hash>
class FlatMap {
 public:
  std::size_t size() const { return size_; }

  Value* find(const Key& key) {
    if (size_ == 0) return nullptr;
    const std::size_t i = slot_of(key);
    return used_[i] ? &slots_[i].second : nullptr;
  }

  /// The value of `key`, default-constructed if it was not there.
  Value& operator[](const Key& key) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    const std::size_t i = slot_of(key);
    if (!used_[i]) {
      slots_[i] = {key, Value{}};
      used_[i] = true;
      ++size_;
    }
    return slots_[i].second;
  }

  /// Empty again; keeps its memory.
  void clear() {
    std::fill(used_.begin(), used_.end(), char{0});
    size_ = 0;
  }

  /// Removes `key` if it is there.
  void erase(const Key& key) {
    if (size_ == 0) return;
    const std::size_t i = slot_of(key);
    if (used_[i]) empty_slot(i);
  }

  /// The value of `key`, which is removed; nothing if it is not there.
  std::optional<Value> take(const Key& key) {
    if (size_ == 0) return std::nullopt;
    const std::size_t i = slot_of(key);
    if (!used_[i]) return std::nullopt;
    std::optional<Value> value(std::move(slots_[i].second));
    empty_slot(i);
    return value;
  }

  /// Calls visit(key, value) for every entry, in no particular order.
  template <class Visit>
  void for_each(Visit visit) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (used_[i]) visit(slots_[i].first, slots_[i].second);
    }
  }

 private:
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
  std::size_t home_of(const Key& key) const { return Hash{}(key)&mask(); }

  std::size_t slot_of(const Key& key) const {
    std::size_t i = home_of(key);
    while (used_[i] && !(slots_[i].first == key)) i = next(i);
    return i;
  }

  void empty_slot(std::size_t hole) {
    for (std::size_t i = next(hole); used_[i]; i = next(i)) {
      // An entry may move back to the hole unless its home lies after the hole.
      const std::size_t home = home_of(slots_[i].first);
      if (((i - home) & mask()) >= ((i - hole) & mask())) {
        slots_[hole] = std::move(slots_[i]);
        hole = i;
      }
    }
    used_[hole] = false;
    --size_;
  }

  void grow() {
    std::vector<std::pair<Key, Value>> old(slots_.empty() ? 16 : 2 * slots_.size());
    std::vector<char> old_used(old.size(), 0);
    old.swap(slots_);
    old_used.swap(used_);
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (!old_used[i]) continue;
      const std::size_t to = slot_of(old[i].first);
      slots_[to] = std::move(old[i]);
      used_[to] = 1;
    }
  }

  std::vector<std::pair<Key, Value>> slots_;
  std::vector<char> used_;
  std::size_t size_ = 0;
};

}  // namespace slackline
