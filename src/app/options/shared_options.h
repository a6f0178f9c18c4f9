#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/options/model_options.h"
#include "app/options/option_list.h"
#include "app/options/reading_options.h"
#include "app/options/run_request.h"

// Declarations of the options that several requests share.

namespace slackline {

/// The positional argument of requests that read one trace, and --memory.
void declare_trace(OptionList& options, std::string& trace, ReadingOptions& reading);
/// --buffers: which of a calibration's messages.
void declare_buffers(OptionList& options, std::string& buffers, const std::string& help);
/// --memory.
void declare_memory(OptionList& options, ReadingOptions& reading);
/// Replaces the help of --memory, for commands that can analyse a trace in stretches.
void describe_memory_of_stretches(OptionList& options);
/// --fix-clocks and --keep-clocks, of requests that use measured times.
void declare_clocks(OptionList& options, ReadingOptions& reading,
                    OptionCallers callers = OptionCallers::all);

/// --collectives.
void declare_collectives(OptionList& options, std::vector<std::string>& collectives);
/// --computation.
void declare_computation(OptionList& options, std::string& computation);
/// -L, --overhead, -G, -S, --network, --machine, --params, --collectives, --rendezvous and
/// --computation.
void declare(OptionList& options, ModelOptions& model);
/// --model loggops and its own parameters.
void declare(OptionList& options, LogGOPSOptions& loggops);
/// --topology, --ranks-per-node, --placement, --hosts and --intra-node.
void declare(OptionList& options, NetworkOptions& network);
/// --platform and what goes with it.
void declare(OptionList& options, PlatformOptions& platform);
/// The same among the command's own options.
void declare_platform(OptionList& options, PlatformOptions& platform);

/// The trace, --memory, the model's and the network's options.
void declare(OptionList& options, ModelRequest& request);
/// --on, --fix-clocks, --keep-clocks, the model's and the network's options, and those of the
/// platform; the trace is the caller's.
void declare(OptionList& options, RunRequest& request);

/// --interval.
void declare_interval(OptionList& options, std::string& interval);
/// --cache and --no-cache.
void declare(OptionList& options, CacheOptions& cache);
/// --degrade.
void declare_degradations(OptionList& options, std::vector<std::string>& degradations);
/// --also, --bootstrap and --seed: intervals from other runs and from resampled computation.
void declare_uncertainty(OptionList& options, std::vector<std::string>& also,
                         std::size_t& bootstrap, std::uint64_t& seed);
/// --pairs.
void declare_pairs(OptionList& options, bool& pairs);

}  // namespace slackline
