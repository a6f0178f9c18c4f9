#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace slackline {

/// Times closer together than this fraction of the simulated time so far may be equal but for
/// rounding.
inline constexpr double kSameTime = 1e-12;

/// A priority queue of times (not negative) by small dense ids, each at most once; a time can be
/// changed. A 4-ary heap with the ids' positions: O(log n) for every change. Equal times come in
/// the order in which they were set.
class EventHeap {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  double next_time() const { return heap_.empty() ? kNever : time_of(heap_.front()); }
  std::uint32_t next_id() const { return heap_.front().id; }
  bool contains(std::uint32_t id) const { return id < at_.size() && at_[id] != kAbsent; }

  /// The time of an id that is contained.
  double time(std::uint32_t id) const { return time_of(heap_[at_[id]]); }

  /// Adds the id, or changes its time.
  void set(std::uint32_t id, double time) {
    if (id >= at_.size()) at_.resize(id + 1, kAbsent);
    ++set_;
    const Entry entry{std::bit_cast<std::uint64_t>(time), id, set_};
    if (at_[id] == kAbsent) {
      heap_.push_back(entry);
      up(static_cast<std::uint32_t>(heap_.size() - 1), entry);
    } else if (entry.time < heap_[at_[id]].time) {
      up(at_[id], entry);
    } else {
      down(at_[id], entry);
    }
  }

  /// Does nothing for an id that is not contained.
  void remove(std::uint32_t id) {
    if (!contains(id)) return;
    const std::uint32_t i = at_[id];
    at_[id] = kAbsent;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (i == heap_.size()) return;
    if (earlier(last, heap_[i])) {
      up(i, last);
    } else {
      down(i, last);
    }
  }

  /// Removes the first entry and returns its id. The last entry takes its place; that one mostly
  /// belongs near the bottom again, so that the hole moves there first and the entry rises from it.
  std::uint32_t pop() {
    const std::uint32_t id = next_id();
    at_[id] = kAbsent;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return id;
    std::uint32_t hole = 0;
    for (std::uint32_t child = least_child(hole); child != kAbsent; child = least_child(hole)) {
      put(hole, heap_[child]);
      hole = child;
    }
    up(hole, last);
    return id;
  }

  /// Calls visit(id) for all, in no particular order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Entry& e : heap_) visit(e.id);
  }

 private:
  static constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kArity = 4;
  struct Entry {
    std::uint64_t time;  ///< a double's bits, which are ordered as the doubles are
    std::uint32_t id;
    std::uint32_t set;  ///< how many times had been set before, modulo 2^32
  };

  static double time_of(const Entry& e) { return std::bit_cast<double>(e.time); }

  /// Without branches, as which of two times is earlier is unpredictable.
  static bool earlier(const Entry& a, const Entry& b) {
    const auto less = static_cast<std::uint32_t>(a.time < b.time);
    const auto same = static_cast<std::uint32_t>(a.time == b.time);
    return (less | (same & (a.set - b.set) >> 31U)) != 0;
  }
  std::uint32_t earlier_of(std::uint32_t i, std::uint32_t j) const {
    return earlier(heap_[j], heap_[i]) ? j : i;
  }
  /// kAbsent when there is no child.
  std::uint32_t least_child(std::uint32_t i) const {
    const auto size = static_cast<std::uint32_t>(heap_.size());
    const std::uint32_t first = kArity * i + 1;
    if (first + kArity <= size) {
      return earlier_of(earlier_of(first, first + 1), earlier_of(first + 2, first + 3));
    }
    if (first >= size) return kAbsent;
    std::uint32_t least = first;
    for (std::uint32_t c = first + 1; c < size; ++c) least = earlier_of(least, c);
    return least;
  }

  void put(std::uint32_t i, const Entry& e) {
    heap_[i] = e;
    at_[e.id] = i;
  }
  void up(std::uint32_t i, const Entry& e) {
    while (i > 0) {
      const std::uint32_t parent = (i - 1) / kArity;
      if (!earlier(e, heap_[parent])) break;
      put(i, heap_[parent]);
      i = parent;
    }
    put(i, e);
  }
  void down(std::uint32_t i, const Entry& e) {
    for (;;) {
      const std::uint32_t least = least_child(i);
      if (least == kAbsent || !earlier(heap_[least], e)) break;
      put(i, heap_[least]);
      i = least;
    }
    put(i, e);
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> at_;  // by id: its position in heap_
  std::uint32_t set_ = 0;
};

}  // namespace slackline
