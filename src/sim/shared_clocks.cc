// Generalized processor sharing keeps its flows in the order of virtual time, which a change of the
// rate does not change: it only makes that time go faster or slower. (Parekh and Gallager 1993.)

#include "sim/shared_clocks.h"

#include <algorithm>

namespace slackline {

std::uint32_t SharedClocks::find(LinkId pool) {
  if (const std::uint32_t* known = by_link_.find(pool)) return *known;
  const auto index = static_cast<std::uint32_t>(clocks_.size());
  clocks_.emplace_back();
  by_link_[pool] = index;
  return index;
}

void SharedClocks::advance(Clock& clock, double now) {
  clock.shows += clock.level * (now - clock.updated);
  clock.updated = now;
}

void SharedClocks::set_head(std::uint32_t index) {
  const Clock& clock = clocks_[index];
  if (clock.ends.empty()) return heads_.remove(index);
  const double left = std::max(clock.ends.next_date() - clock.shows, 0.0);
  heads_.set(index, clock.updated + left / clock.level);
}

void SharedClocks::set_level(LinkId pool, double level, double now) {
  const std::uint32_t index = find(pool);
  Clock& clock = clocks_[index];
  if (clock.ends.empty()) {
    clock.shows = 0;
    clock.updated = now;
  }
  advance(clock, now);
  clock.level = level;
  set_head(index);
}

void SharedClocks::enter(LinkId pool, MessageId message, double work, double now) {
  const std::uint32_t index = find(pool);
  Clock& clock = clocks_[index];
  advance(clock, now);
  clock.ends.set(message, clock.shows + work);
  set_head(index);
}

double SharedClocks::leave(LinkId pool, MessageId message, double now) {
  const std::uint32_t index = find(pool);
  Clock& clock = clocks_[index];
  advance(clock, now);
  const double left = std::max(clock.ends.date(message) - clock.shows, 0.0);
  clock.ends.remove(message);
  set_head(index);
  return left;
}

SharedClocks::MessageId SharedClocks::pop() {
  const std::uint32_t index = heads_.next_id();
  const MessageId message = clocks_[index].ends.pop();
  set_head(index);
  return message;
}

}  // namespace slackline
