#pragma once

#include <string>

#include "analysis/efficiency/ideal_replay.h"
#include "app/options/model_options.h"

namespace slackline {

/// Size from which blocking sends wait for their receive on the ideal network, unless -S says so.
inline constexpr const char* kRendezvousFrom = "32KiB";

/// `rendezvous` as --rendezvous-from reads; the eager threshold of `model` replaces it. Throws
/// usage Error, also where both are given.
IdealOptions ideal_network(const std::string& causality, const std::string& rendezvous,
                           const ModelOptions& model);

}  // namespace slackline
