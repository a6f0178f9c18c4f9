#pragma once

#include <cstdint>

#include "graph/build.h"
#include "timing/cost/loggps.h"

namespace slackline {

/// From the begin of a send to the end of the receive, which was posted before, beside the transfer
/// of the bytes: what graph/protocol.cc makes of an eager message or a handshake.
std::int64_t message_fs_without_transfer(const LogGPS& model, bool eager, Rendezvous protocol);

}  // namespace slackline
