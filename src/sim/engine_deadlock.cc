// What to say when nobody can go on: who waits for what, and since when.

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/units.h"
#include "sim/engine.h"

namespace slackline::sim {
namespace {

constexpr std::size_t kRanksShown = 8;

std::string message_from(std::int32_t rank) {
  return rank == kPeerAny ? "a message from any rank" : fmt::format("a message from rank {}", rank);
}

}  // namespace

std::string Engine::blocked_on(const Strand& strand) {
  if (strand.state == State::probing) {
    return fmt::format("{}, tag {}", message_from(strand.probed.source), strand.probed.tag);
  }
  if (strand.look != Look::none) {
    return message_from(strand.probed.source) + ", as a step of it,";
  }
  if (strand.waits_for.kind == Request::Kind::strand) {
    return fmt::format("its nonblocking collective, which waits for {}",
                       blocked_on(strands_[strand.waits_for.id]));
  }
  const Transfer& t = matching_[strand.waits_for.id];
  const bool sends = strand.waits_for.kind == Request::Kind::send;
  const std::string what =
      sends ? fmt::format("rank {} to receive {} bytes", t.channel.destination, t.bytes)
            : message_from(t.sender);
  if (strand.collective != nullptr) return what + ", as a step of it,";
  return fmt::format("{}, tag {}", what, t.channel.tag);
}

void Engine::deadlock() {
  std::string who;
  std::size_t shown = 0, stuck = 0;
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
    const Strand& strand = strands_[static_cast<StrandId>(r)];
    if (strand.state == State::finished) continue;
    ++stuck;
    if (shown == kRanksShown) continue;
    ++shown;
    who += fmt::format("{}rank {} in {} (call {}) waits for {} since {}", who.empty() ? "" : "; ",
                       r, identifier(trace_.calls(r).operation(strand.call)), strand.call,
                       blocked_on(strand), format_time_ns(ns_of_seconds(strand.since)));
  }
  if (stuck > shown) who += fmt::format("; and {} more", stuck - shown);
  throw Error(fmt::format("the program deadlocks at {}: {} of {} ranks wait for ever",
                          format_time_ns(ns_of_seconds(now_)), stuck, trace_.ranks()),
              who,
              "A receive has no send, or sends wait for each other; smpi/send-is-detached-thresh "
              "says from which size on they do.");
}

}  // namespace slackline::sim
