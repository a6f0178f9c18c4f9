#pragma once

#include "base/findings.h"
#include "parallel/process_group.h"

namespace slackline {

/// What all processes have found, in all of them: that of the first one first. All call it
/// together.
Findings findings_of_all(ProcessGroup& group, const Findings& mine);

}  // namespace slackline
