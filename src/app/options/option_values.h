#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/efficiency/ideal_replay.h"
#include "app/options/model_options.h"
#include "app/options/option_list.h"
#include "calls/run_span.h"
#include "trace/trace.h"

namespace slackline {

/// --interval: "common" (or empty; from the last return from MPI_Init to the first entry into
/// MPI_Finalize), "program" (from the first return to the last entry), "run" (all of it), or
/// "1.5s..2s" from the start of the run. In the trace's own time; nothing for "common". Throws
/// usage Error.
std::optional<TimeInterval> resolve_interval(const std::string& text, const Trace& trace);
std::optional<TimeInterval> resolve_interval(const std::string& text, const RunSpan& run);

/// Relative increases of the run time, each as "1%": in millionths, ascending, without duplicates;
/// 1 %, 2 % and 5 % when none were given. Throws usage Error.
std::vector<std::int64_t> parse_degradations(const std::vector<std::string>& texts);

/// As ratios.
std::vector<double> ratios_of(const std::vector<std::int64_t>& ppm);

/// Size from which blocking sends wait for their receive on the ideal network, unless -S says so.
inline constexpr const char* kRendezvousFrom = "32KiB";

/// --rendezvous-from.
void declare_rendezvous_from(OptionList& options, std::string& rendezvous);

/// `rendezvous` as --rendezvous-from reads; the eager threshold of `model` replaces it. Throws
/// usage Error, also where both are given.
IdealOptions ideal_network(const std::string& causality, const std::string& rendezvous,
                           const ModelOptions& model);

}  // namespace slackline
