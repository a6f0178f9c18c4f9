#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "trace/trace.h"

namespace slackline {

/// A message that was sent and received: which calls did it. 40 bytes.
struct MessagePair {
  static constexpr std::uint32_t kNeverCompleted = std::numeric_limits<std::uint32_t>::max();

  std::uint64_t bytes = 0;  ///< as its sender says
  std::int32_t source = 0;  ///< world rank
  std::int32_t tag = 0;
  std::uint32_t comm = 0;
  std::uint32_t send = 0;  ///< the source's call that sends it
  std::uint32_t post = 0;  ///< the destination's call that posts the receive
  std::uint32_t done = 0;  ///< and that completes it: the same one if that blocks
};

/// Every message of the trace, by destination, in the order in which its receives were posted.
/// MPI does not let messages of one source, destination, communicator and tag overtake one another,
/// and a Trace says of every receive which source and tag its message really had: the k-th send of
/// such a stream belongs to the k-th receive. Linear in the number of calls, destinations in
/// parallel.
///
/// Calls visit(destination, message), one destination's messages in one thread.
void for_each_pair(const Trace& trace,
                   const std::function<void(std::size_t, const MessagePair&)>& visit);
/// The same as lists, one a destination.
std::vector<std::vector<MessagePair>> pair_messages(const Trace& trace);

}  // namespace slackline
