#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/samples.h"
#include "whatif/edit.h"

namespace slackline {

/// A named list of edits: a hypothesis about a program ("Verifying Causal Connections between
/// Distant Performance Phenomena", Hermanns et al. 2008, section 3).
struct Scenario {
  std::string name{};
  std::string description{};
  std::vector<Edit> edits{};
};

/// What an edit did.
struct AppliedEdit {
  Edit edit;
  std::uint64_t changed = 0;   ///< 0: it found nothing to change
  std::uint64_t selected = 0;  ///< of them, those that it could change; 0: the program has none
  std::string_view unit{};     ///< of what: "stretches of computation", "messages", ...
  /// Computation of all ranks together.
  std::int64_t computation_before_ns = 0;
  std::int64_t computation_after_ns = 0;
};

/// A scenario file:
///   name = "balanced"
///   description = "..."
///   [[edit]]
///   action = "balance"
///   region = "force_compute"
/// Throws Error with line and column.
Scenario parse_scenario(std::string_view toml, std::string_view file);

/// An edited program, which is untimed: its times are a model's or a machine's to say.
struct EditedProgram : Program {
  std::vector<AppliedEdit> log{};
};

/// Applies the edits one after the other, each to what those before it left. Throws usage Error for
/// an edit that is not understood, and Error when messages or collectives that belonged together no
/// longer do. Linear in calls for each edit.
EditedProgram apply(const Scenario& scenario, const ProgramView& program);

/// Throws Error for an edit that selected nothing of the program.
void require_selected(const EditedProgram& program);

/// Whether the edited program has the calls of the original one, in the same order, and only the
/// computation between them may differ. Throws usage Error for an unknown action.
bool keeps_calls(const Scenario& scenario);

}  // namespace slackline
