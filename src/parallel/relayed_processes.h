#pragma once

#include <memory>

#include "parallel/launched_process.h"
#include "parallel/process_group.h"

namespace slackline {

/// The processes that ranks of an MPI job have started beside themselves; the ranks pass on what
/// they exchange, through the socket `me.relay`, which the object closes. Where one of them ends
/// early, exchanges end the calling process with status 1.
std::unique_ptr<ProcessGroup> relayed_processes(const LaunchedProcess& me);

}  // namespace slackline
