#pragma once

#include <cstdint>

#include "graph/build.h"
#include "timing/cost/loggps.h"

namespace slackline {

/// From the begin of a send to the end of the receive, which was posted before, beside the transfer
/// of the bytes: what graph/protocol.cc makes of an eager message or a handshake.
inline std::int64_t message_fs_without_transfer(const LogGPS& model, bool eager,
                                                Rendezvous protocol) {
  const std::int64_t L = model.latency_fs;
  const std::int64_t o = model.overhead_fs;
  if (!eager && protocol == Rendezvous::handshake) return 3 * L + 4 * o;
  if (!eager && protocol == Rendezvous::rdma_read) return 3 * L + 3 * o;
  return L + 2 * o;
}

}  // namespace slackline
