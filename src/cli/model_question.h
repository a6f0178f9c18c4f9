#pragma once

#include <string>
#include "cli/command_parser.h"

#include "cli/model_options.h"
#include "cli/network_options.h"
#include "cli/output.h"
#include "formats/open/open.h"
#include "graph/execution_graph.h"
#include "report/report.h"

namespace slackline {

/// What predict, sensitivity, tolerance, critical-path and report have in common: a trace, a model,
/// an answer.
struct ModelQuestion {
  std::string trace{};
  OpenOptions open{};
  ModelOptions model{};
  OutputOptions output{};
  NetworkOptions network{};  ///< of the commands that take add_network_options()
};

/// Declares the trace, the model's options and the output's. `output` has the letter -O, or -o when
/// `overhead` leaves it free.
void add_model_question(CommandParser& parser, ModelQuestion& question,
                        OverheadShortName overhead = OverheadShortName::lower);

/// A trace that has been read, and its graph under the model.
struct OpenedQuestion {
  OpenedTrace opened;
  ModelChoice model;
  ExecutionGraph graph;
  bool has_graph = true;  ///< false: complete() builds it

  const Trace& trace() const { return opened.trace; }
};

/// When the graph is built: with the trace, or by complete() while others look at the trace.
enum class GraphTime : std::uint8_t { now, later };
/// Whether the answer names calls. Of a GOAL file only then a list of calls is made.
enum class CallDetail : std::uint8_t { none, named };

/// An empty name means the newest recording in the current folder (see newest_recording()).
OpenedQuestion open_question(const ModelQuestion& question, CallDetail detail = CallDetail::named,
                             GraphTime time = GraphTime::now);
/// The graph of a question, which it builds if that was left for later.
const ExecutionGraph& complete(OpenedQuestion& question);

/// Declares --fix-clocks, of the commands that speak of measured times.
void add_fix_clocks(CommandParser& parser, OpenOptions& options);

/// The newest folder "slackline-trace*" here. Throws usage Error if there is none.
std::string newest_recording();

/// Identity of an input, for Report::input.
Json input_to_json(const OpenedTrace& opened);

/// Adds what the critical path pays by parts of the network, where pairs of ranks differ, and if
/// `pairs` by pairs of ranks.
void add_pairwise(Report& report, const OpenedQuestion& opened, bool pairs);
inline constexpr const char* kPairsHelp =
    "Sensitivity by pairs of ranks: messages and bytes on the critical path";

/// Adds command, title, options, input and findings, and writes the report.
void answer(Report report, std::string_view command, const OpenedQuestion& opened,
            const ModelQuestion& question, Json own_options = Json::object());

}  // namespace slackline
