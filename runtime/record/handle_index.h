#ifndef SLACKLINE_RUNTIME_RECORD_HANDLE_INDEX_H
#define SLACKLINE_RUNTIME_RECORD_HANDLE_INDEX_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace slackline::record {

/// A hash table of 32-bit values: open addressing with linear probing and backward-shift deletion,
/// so that there are no tombstones however many entries pass through. It knows the hashes only;
/// the caller compares the keys that its values stand for. 8 bytes an entry, at most half full.
class HandleIndex {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  static std::uint32_t hash(std::uint64_t key) {
    key *= 0x9e3779b97f4a7c15u;
    key ^= key >> 32;
    return static_cast<std::uint32_t>(key * 0x9e3779b97f4a7c15u >> 32);
  }

  /// Makes room for one more entry. False without memory.
  bool reserve() { return 2 * (used_ + 1) <= capacity_ || grow(); }

  /// The value of that hash for which `same(value)` holds; kNone if there is none.
  template <class Same>
  std::uint32_t find(std::uint32_t hash, Same same) const {
    const Slot* slot = probe(hash, same);
    return slot != nullptr ? slot->value : kNone;
  }
  /// Adds an entry, for which reserve() has made room.
  void add(std::uint32_t hash, std::uint32_t value) {
    std::size_t i = hash & (capacity_ - 1);
    while (slots_[i].value != kNone) i = (i + 1) & (capacity_ - 1);
    slots_[i] = {hash, value};
    ++used_;
  }
  /// Gives the entry of value `from`, if there is one, the value `to`.
  void replace(std::uint32_t hash, std::uint32_t from, std::uint32_t to) {
    Slot* const slot = slot_of(hash, from);
    if (slot != nullptr) slot->value = to;
  }
  void remove(std::uint32_t hash, std::uint32_t value) {
    auto hole = static_cast<std::size_t>(slot_of(hash, value) - slots_);
    const std::size_t mask = capacity_ - 1;
    for (std::size_t i = (hole + 1) & mask; slots_[i].value != kNone; i = (i + 1) & mask) {
      // An entry may fill the hole unless its home lies cyclically behind the hole.
      const std::size_t from_home = (i - slots_[i].hash) & mask;
      const std::size_t from_hole = (i - hole) & mask;
      if (from_home < from_hole) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole].value = kNone;
    --used_;
  }

 private:
  struct Slot {
    std::uint32_t hash;
    std::uint32_t value;
  };

  template <class Same>
  Slot* probe(std::uint32_t hash, Same same) const {
    if (capacity_ == 0) return nullptr;
    std::size_t i = hash & (capacity_ - 1);
    for (; slots_[i].value != kNone; i = (i + 1) & (capacity_ - 1)) {
      if (slots_[i].hash == hash && same(slots_[i].value)) return &slots_[i];
    }
    return nullptr;
  }
  Slot* slot_of(std::uint32_t hash, std::uint32_t value) const {
    return probe(hash, [value](std::uint32_t other) { return other == value; });
  }

  bool grow() {
    constexpr std::size_t kFirstCapacity = 128;
    const std::size_t capacity = capacity_ == 0 ? kFirstCapacity : 2 * capacity_;
    auto* slots = static_cast<Slot*>(std::malloc(capacity * sizeof(Slot)));
    if (slots == nullptr) return false;
    for (std::size_t i = 0; i < capacity; ++i) slots[i] = {0, kNone};
    Slot* const old = slots_;
    const std::size_t old_capacity = capacity_;
    slots_ = slots;
    capacity_ = capacity;
    used_ = 0;
    for (std::size_t i = 0; i < old_capacity; ++i) {
      if (old[i].value != kNone) add(old[i].hash, old[i].value);
    }
    std::free(old);
    return true;
  }

  Slot* slots_ = nullptr;
  std::size_t capacity_ = 0;  // a power of two
  std::size_t used_ = 0;
};

}  // namespace slackline::record

#endif
