#pragma once

#include <string>
#include <vector>

namespace slackline {

/// What --network takes.
std::vector<std::string> network_names();
/// What --rendezvous takes.
std::vector<std::string> rendezvous_names();

}  // namespace slackline
