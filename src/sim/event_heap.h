#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace slackline {

/// Dates closer together than this, of the time so far, may be one date.
inline constexpr double kSameDate = 1e-12;

/// A priority queue of dates by small dense ids, each at most once; a date can be moved. A 4-ary
/// heap with the ids' positions: O(log n) for every change. Equal dates come in the order in which
/// they were set.
class EventHeap {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  double next_date() const { return heap_.empty() ? kNever : heap_.front().date; }
  std::uint32_t next_id() const { return heap_.front().id; }
  bool contains(std::uint32_t id) const { return id < at_.size() && at_[id] != kAbsent; }

  /// Of an id that is contained.
  double date(std::uint32_t id) const { return heap_[at_[id]].date; }

  void set(std::uint32_t id, double date) {
    if (id >= at_.size()) at_.resize(id + 1, kAbsent);
    ++set_;
    if (at_[id] == kAbsent) {
      heap_.push_back({date, id, set_});
      up(static_cast<std::uint32_t>(heap_.size() - 1));
      return;
    }
    const std::uint32_t i = at_[id];
    const double before = heap_[i].date;
    heap_[i].date = date;
    heap_[i].set = set_;
    if (date < before) {
      up(i);
    } else {
      down(i);
    }
  }

  void remove(std::uint32_t id) {
    if (!contains(id)) return;
    const std::uint32_t i = at_[id];
    at_[id] = kAbsent;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (i == heap_.size()) return;
    const Entry before = heap_[i];
    heap_[i] = last;
    at_[last.id] = i;
    if (earlier(last, before)) {
      up(i);
    } else {
      down(i);
    }
  }

  std::uint32_t pop() {
    const std::uint32_t id = next_id();
    remove(id);
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
    double date;
    std::uint32_t id;
    std::uint32_t set;  ///< how many had been set before, modulo 2^32
  };

  static bool earlier(const Entry& a, const Entry& b) {
    if (a.date != b.date) return a.date < b.date;
    return static_cast<std::int32_t>(a.set - b.set) < 0;
  }

  void put(std::uint32_t i, const Entry& e) {
    heap_[i] = e;
    at_[e.id] = i;
  }
  void up(std::uint32_t i) {
    const Entry e = heap_[i];
    while (i > 0) {
      const std::uint32_t parent = (i - 1) / kArity;
      if (!earlier(e, heap_[parent])) break;
      put(i, heap_[parent]);
      i = parent;
    }
    put(i, e);
  }
  void down(std::uint32_t i) {
    const Entry e = heap_[i];
    const auto size = static_cast<std::uint32_t>(heap_.size());
    for (;;) {
      const std::uint32_t first = kArity * i + 1;
      if (first >= size) break;
      std::uint32_t least = first;
      const std::uint32_t end = first + kArity < size ? first + kArity : size;
      for (std::uint32_t c = first + 1; c < end; ++c) {
        if (earlier(heap_[c], heap_[least])) least = c;
      }
      if (!earlier(heap_[least], e)) break;
      put(i, heap_[least]);
      i = least;
    }
    put(i, e);
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> at_;  // by id
  std::uint32_t set_ = 0;
};

}  // namespace slackline
