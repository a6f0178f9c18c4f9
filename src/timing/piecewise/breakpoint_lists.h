#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "timing/piecewise/breakpoint.h"

namespace slackline::piecewise {

/// Lists of breakpoints that several functions share. List 0 is the empty one. Memory of lists that
/// nobody holds any more is used again.
class BreakpointLists {
 public:
  using Id = std::uint32_t;

  const Breakpoints& operator[](Id id) const { return lists_[id]; }
  /// A new list with the contents of `list`, which gets other memory in exchange. One holder.
  Id add(Breakpoints& list) {
    if (list.empty()) return 0;
    if (free_.empty()) {
      lists_.emplace_back();
      holders_.push_back(0);
      free_.push_back(static_cast<Id>(lists_.size() - 1));
    }
    const Id id = free_.back();
    free_.pop_back();
    std::swap(lists_[id], list);
    list.clear();
    holders_[id] = 1;
    return id;
  }
  void hold(Id id) { ++holders_[id]; }
  void release(Id id) {
    if (id != 0 && --holders_[id] == 0) free_.push_back(id);
  }
  std::size_t size() const { return lists_.size(); }

 private:
  std::vector<Breakpoints> lists_{1};
  std::vector<std::uint32_t> holders_{1};
  std::vector<Id> free_;
};

}  // namespace slackline::piecewise
