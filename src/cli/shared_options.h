#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/options/loggops_options.h"
#include "app/options/model_request.h"
#include "app/options/reading_options.h"
#include "app/options/run_request.h"
#include "cli/command_parser.h"
#include "cli/output.h"

// Declarations of the options that several commands share.

namespace slackline {

/// The positional argument of commands that read one trace, and --memory.
void add_trace(CommandParser& parser, std::string& trace, ReadingOptions& reading);

/// --memory.
void add_memory(CommandParser& parser, ReadingOptions& reading);

/// --collectives.
void add_collectives(CommandParser& parser, std::vector<std::string>& collectives,
                     const std::string& group);

/// --computation.
void add_computation(CommandParser& parser, std::string& computation, const std::string& group);

/// -L, --overhead, -G, -S, --network, --machine, --params, --collectives, --rendezvous and
/// --computation.
void add_model_options(CommandParser& parser, ModelOptions& options);

/// The trace, the model's options and the output's.
void add_model_request(CommandParser& parser, ModelRequest& request, OutputOptions& output);

/// --interval.
void add_interval(CommandParser& parser, std::string& interval);

/// --topology, --ranks-per-node, --placement, --hosts and --intra-node.
void add_network_options(CommandParser& parser, NetworkOptions& options);

/// Are the platform's options the command's own, or those of a group that commands share?
enum class PlatformGroup : unsigned char { own, shared };
/// --platform and what goes with it.
void add_platform_options(CommandParser& parser, PlatformOptions& options,
                          PlatformGroup group = PlatformGroup::shared);

/// --on, --fix-clocks, the model's and the network's options, and those of the platform.
void add_run_options(CommandParser& parser, RunRequest& request);

/// --model loggops and its own parameters.
void add_loggops_options(CommandParser& parser, LogGOPSOptions& options);

/// --cache and --no-cache.
void add_cache_option(CommandParser& parser, CacheOptions& options);

/// --degrade.
void add_degradations(CommandParser& parser, std::vector<std::string>& degradations);

/// --also, --bootstrap and --seed: intervals from other runs and from resampled computation.
void add_uncertainty(CommandParser& parser, std::vector<std::string>& also, std::size_t& bootstrap,
                     std::uint64_t& seed);

/// --fix-clocks and --keep-clocks, of the commands that use measured times.
void add_reading_options(CommandParser& parser, ReadingOptions& reading);

/// --pairs.
void add_pairs(CommandParser& parser, bool& pairs);

}  // namespace slackline
