#pragma once

#include <string>

#include "analysis/efficiency/ideal_replay.h"
#include "app/options/model_options.h"
#include "app/options/option_list.h"

namespace slackline {

/// Size from which blocking sends wait for their receive on the ideal network, unless -S says so.
inline constexpr const char* kRendezvousFrom = "32KiB";

/// --rendezvous-from.
void declare_rendezvous_from(OptionList& options, std::string& rendezvous);

/// `rendezvous` as --rendezvous-from reads; the eager threshold of `model` replaces it. Throws
/// usage Error, also where both are given.
IdealOptions ideal_network(const std::string& causality, const std::string& rendezvous,
                           const ModelOptions& model);

}  // namespace slackline
