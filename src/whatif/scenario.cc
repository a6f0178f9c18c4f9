#include "whatif/scenario.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/arithmetic.h"
#include "base/error.h"
#include "calls/call_matching.h"
#include "calls/run_span.h"
#include "trace/trace_builder.h"
#include "whatif/actions.h"
#include "whatif/program_writer.h"
#include "whatif/request_numbers.h"
#include "whatif/selection.h"

namespace slackline {
namespace {

std::string place(std::string_view file, const toml::source_position& at) {
  return fmt::format("{}:{}:{}", file, at.line, at.column);
}

[[noreturn]] void refuse_toml(std::string_view file, const toml::node& node,
                              std::string_view problem, std::string_view why) {
  throw Error(fmt::format("{}: {}", place(file, node.source().begin), problem), why,
              "Fix the scenario at that line.");
}

/// Any scalar, as the command line would have it.
std::string text_of(const toml::node& node, std::string_view file, std::string_view key) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  refuse_toml(file, node, fmt::format("cannot use the value of {}", key),
              "it is neither a string nor a number");
}

Edit edit_from(const toml::table& table, std::string_view file) {
  Edit edit;
  for (const auto& [key, value] : table) {
    const std::string text = text_of(value, file, key.str());
    if (key.str() == "action") {
      edit.action = text;
    } else {
      edit.arguments.emplace(std::string(key.str()), text);
    }
  }
  if (edit.action.empty()) refuse_toml(file, table, "an edit has no action", "action is missing");
  return edit;
}

void add_edits(const toml::node& node, std::string_view file, Scenario& scenario) {
  const toml::array* list = node.as_array();
  if (list == nullptr)
    refuse_toml(file, node, "edit is not a list", "each edit belongs under [[edit]]");
  for (const toml::node& item : *list) {
    const toml::table* table = item.as_table();
    if (table == nullptr) refuse_toml(file, item, "cannot use an edit", "it is not a table");
    scenario.edits.push_back(edit_from(*table, file));
  }
}

const EditAction& action_of(const Edit& edit) {
  const auto found = std::ranges::find(edit_actions(), edit.action, &EditAction::name);
  if (found != edit_actions().end()) return *found;
  std::string names;
  for (const EditAction& action : edit_actions()) {
    names += (names.empty() ? "" : ", ") + std::string(action.name);
  }
  throw usage_error(fmt::format("cannot apply '{}'", to_string(edit)), "no such action",
                    "Choose one of " + names + ".");
}

void check_arguments(const Edit& edit, const EditAction& action) {
  for (const auto& [key, value] : edit.arguments) {
    if (Selection::knows(key) || std::ranges::find(action.keys, key) != action.keys.end()) continue;
    refuse(edit, key, "the action has no such argument", "'slackline whatif --help' lists them.");
  }
}

/// What edits of computation may change.
std::int64_t computation_ns(const Trace& trace) {
  std::int64_t sum = 0;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    for (std::size_t i = rank_span(calls).first_call; i <= calls.size(); ++i) {
      sum = saturated_sum(sum, calls.useful_ns(i));
      sum = saturated_sum(sum, calls.paused_ns(i, PauseKind::blocked));
    }
  }
  return sum;
}

/// Defects of a program that an edit must not add to.
std::uint64_t unmatched(const Trace& trace) {
  const CallMatching matching(trace);
  std::uint64_t count = 0;
  for (const Findings::Entry& entry : matching.findings().entries()) {
    count += entry.count;
  }
  return count;
}

}  // namespace

Scenario parse_scenario(std::string_view toml, std::string_view file) {
  toml::table root;
  try {
    root = toml::parse(toml);
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}: cannot read the scenario", place(file, error.source().begin)),
                error.description(), "Fix the TOML file at that line.");
  }
  Scenario scenario;
  for (const auto& [key, node] : root) {
    if (key.str() == "name") {
      scenario.name = text_of(node, file, "name");
    } else if (key.str() == "description") {
      scenario.description = text_of(node, file, "description");
    } else if (key.str() == "edit") {
      add_edits(node, file, scenario);
    } else {
      refuse_toml(file, node, fmt::format("unknown key {}", key.str()),
                  "a scenario has name, description and [[edit]]");
    }
  }
  return scenario;
}

void require_selected(const EditedProgram& program) {
  for (const AppliedEdit& applied : program.log) {
    if (applied.selected > 0) continue;
    throw Error(fmt::format("cannot apply '{}'", to_string(applied.edit)),
                fmt::format("it selects no {}", applied.unit),
                "'slackline hotspots' and 'slackline info' list what there is.");
  }
}

EditedProgram apply(const Scenario& scenario, const ProgramView& given) {
  if (scenario.edits.empty()) return {{untimed_copy(given.trace), given.samples}};
  EditedProgram program{{Trace(0, false)}};
  std::optional<std::uint64_t> defects;  // only edits of calls can add to them
  for (const Edit& edit : scenario.edits) {
    // The first edit sees the times of a timed trace.
    const ProgramView previous = program.log.empty() ? given : program.view();
    const EditAction& action = action_of(edit);
    check_arguments(edit, action);
    std::optional<Trace> numbered;
    if (!action.keeps_calls) numbered = with_distinct_requests(previous.trace);
    const ProgramView source{numbered ? *numbered : previous.trace, previous.samples};
    if (!action.keeps_calls && !defects) defects = unmatched(source.trace);
    AppliedEdit applied{.edit = edit, .computation_before_ns = computation_ns(source.trace)};
    Change change;
    static_cast<Program&>(program) = action.apply(edit, source, change);
    applied.changed = change.changed;
    applied.selected = change.selected;
    applied.unit = change.unit;
    applied.computation_after_ns = computation_ns(program.trace);
    if (!action.keeps_calls && unmatched(program.trace) > *defects) {
      throw Error(fmt::format("cannot apply '{}'", to_string(edit)),
                  "matching messages or collectives would no longer match",
                  "Select both sides of the communication.");
    }
    program.log.push_back(std::move(applied));
  }
  TraceBuilder edited = std::move(program.trace);
  edited.info().recorder = "slackline whatif";
  program.trace = std::move(edited).build();
  return program;
}

bool keeps_calls(const Scenario& scenario) {
  return std::ranges::all_of(scenario.edits,
                             [](const Edit& edit) { return action_of(edit).keeps_calls; });
}

}  // namespace slackline
