#pragma once

#include <functional>

#include "parallel/process_group.h"

namespace slackline {

/// Runs work(group) in a number of threads, each of which is a process of one group. Exchanges
/// cross memory only. The first exception but PeerFailed is thrown here after all have ended.
void run_as_processes(int count, const std::function<void(ProcessGroup&)>& work);

}  // namespace slackline
