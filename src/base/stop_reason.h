#pragma once

#include <functional>
#include <string>

namespace slackline {

/// Asked now and then by work that may have to end early: why it must stop, as the reason of an
/// Error; empty while it may go on. Throws nothing.
using StopReason = std::function<std::string()>;

}  // namespace slackline
