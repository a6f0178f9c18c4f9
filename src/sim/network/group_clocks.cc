// Generalized processor sharing keeps its flows in the order of virtual time, which a change of the
// rate does not affect: it only makes that time run faster or slower. (Parekh and Gallager, "A
// Generalized Processor Sharing Approach to Flow Control", IEEE/ACM Transactions on Networking,
// 1993.)

#include "sim/network/group_clocks.h"

#include <algorithm>

namespace slackline {

std::uint32_t GroupClocks::find(LinkId group) {
  if (const std::uint32_t* known = by_link_.find(group)) return *known;
  const auto index = static_cast<std::uint32_t>(clocks_.size());
  clocks_.emplace_back();
  by_link_[group] = index;
  return index;
}

void GroupClocks::advance(Clock& clock, double now) {
  clock.shows += clock.level * (now - clock.updated);
  clock.updated = now;
}

void GroupClocks::set_head(std::uint32_t index) {
  const Clock& clock = clocks_[index];
  if (clock.ends.empty()) return heads_.remove(index);
  const double left = std::max(clock.ends.next_time() - clock.shows, 0.0);
  heads_.set(index, clock.updated + left / clock.level);
}

void GroupClocks::set_level(LinkId group, double level, double now) {
  const std::uint32_t index = find(group);
  Clock& clock = clocks_[index];
  if (clock.ends.empty()) {
    clock.shows = 0;
    clock.updated = now;
  }
  advance(clock, now);
  clock.level = level;
  set_head(index);
}

void GroupClocks::enter(LinkId group, MessageId message, double work, double now) {
  const std::uint32_t index = find(group);
  Clock& clock = clocks_[index];
  advance(clock, now);
  clock.ends.set(message, clock.shows + work);
  set_head(index);
}

double GroupClocks::leave(LinkId group, MessageId message, double now) {
  const std::uint32_t index = find(group);
  Clock& clock = clocks_[index];
  advance(clock, now);
  const double left = std::max(clock.ends.time(message) - clock.shows, 0.0);
  clock.ends.remove(message);
  set_head(index);
  return left;
}

GroupClocks::MessageId GroupClocks::pop() {
  const std::uint32_t index = heads_.next_id();
  const MessageId message = clocks_[index].ends.pop();
  set_head(index);
  return message;
}

}  // namespace slackline
