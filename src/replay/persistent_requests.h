#pragma once

#include <cstdint>
#include <vector>

#include "calls/call_actions.h"
#include "trace/trace.h"

namespace slackline {

/// The persistent requests of one rank. A trace does not say which of them a start starts, but of
/// which kind it is: any one of that kind that is not active will do.
class PersistentRequests {
 public:
  void add(const Call& init, std::uint32_t place) {
    requests_.push_back(
        {init.operation, init.flags, init.peer, init.tag, init.comm, init.bytes, place, false});
  }
  /// The place of one that fits, which is active then; 0 if there is none.
  std::uint32_t start(const PostedMessage& started) {
    for (Persistent& p : requests_) {
      if (p.active || !fits(p, started)) continue;
      p.active = true;
      return p.place;
    }
    return 0;
  }
  bool holds(std::uint32_t place) const { return find(place) != nullptr; }
  void complete(std::uint32_t place) {
    for (Persistent& p : requests_) {
      if (p.place == place) p.active = false;
    }
  }
  void remove(std::uint32_t place) {
    std::erase_if(requests_, [place](const Persistent& p) { return p.place == place; });
  }

 private:
  struct Persistent {
    Operation operation;
    std::uint8_t flags;
    std::int32_t peer, tag;
    std::uint32_t comm;
    std::uint64_t bytes;
    std::uint32_t place;
    bool active;
  };
  const Persistent* find(std::uint32_t place) const {
    for (const Persistent& p : requests_) {
      if (p.place == place) return &p;
    }
    return nullptr;
  }
  /// Sends have the same size, too, unless an edit has changed it.
  static bool fits(const Persistent& p, const PostedMessage& s) {
    if (p.operation != s.mode || p.comm != s.comm) return false;
    const bool any_source = (p.flags & SLK_FLAG_ANY_SOURCE) != 0;
    const bool any_tag = (p.flags & SLK_FLAG_ANY_TAG) != 0;
    if (!any_source && p.peer != s.peer) return false;
    if (!any_tag && p.tag != s.tag) return false;
    return p.operation == Operation::recv_init || p.bytes == s.bytes;
  }

  std::vector<Persistent> requests_;
};

}  // namespace slackline
