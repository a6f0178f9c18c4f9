#pragma once

#include <optional>
#include <string>
#include <vector>
#include "cli/command_parser.h"

#include "analysis/model/model_choice.h"

namespace slackline {

/// What is asked of the network and of the MPI library, as typed. Shared by the commands that
/// predict.
struct ModelOptions {
  std::optional<std::string> latency;          ///< -L
  std::optional<std::string> overhead;         ///< -o
  std::optional<std::string> gap_per_byte;     ///< -G
  std::optional<std::string> eager_threshold;  ///< -S
  std::string network;                         ///< --network; empty: the default one
  std::string params_file;                     ///< --params
  std::vector<std::string> collectives;  ///< --collectives, each as CollectiveChoice::add reads
  std::string rendezvous;                ///< --rendezvous
};

/// Whether `-o` is the overhead, as in the literature, or only `--overhead` is (`report`, whose
/// `-o` is the page that it writes).
enum class OverheadShortName { lower, none };

/// Declares -L, -o, -G, -S, --network, --params, --collectives and --rendezvous.
void add_model_options(CommandParser& parser, ModelOptions& options,
                       OverheadShortName short_name = OverheadShortName::lower);

/// The same in the library's terms. Later wins: the network's values, the file's, the options'.
/// Throws usage Error; reads --params. The collectives' automatic selector is left automatic: it
/// depends on the trace (CollectiveChoice::resolve_automatic).
ModelChoice resolve_model(const ModelOptions& options);

}  // namespace slackline
