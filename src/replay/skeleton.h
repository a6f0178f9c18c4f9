#pragma once

#include "trace/trace.h"

namespace slackline {

/// The communication and computation of a program without anything that tells what it is: no names
/// of programs, hosts, functions, files, regions and communicators, no date, no hardware counters.
/// What replays and simulations need is kept. Linear.
Trace skeleton(const Trace& trace);

}  // namespace slackline
