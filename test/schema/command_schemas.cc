// Prints the schemas of what commands write as JSON, which their types are, as JSON by command:
// {"options": ..., "input": ..., "result": ...}.

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "app/requests/schemas.h"

namespace slackline {
namespace {

/// "simulate" of a trace and of a program.
CommandSchema any_simulate_schema() {
  const CommandSchema trace = simulate_schema();
  const CommandSchema program = simulate_online_schema();
  return {one_of({trace.options, program.options}), one_of({trace.input, program.input}),
          one_of({trace.result, program.result})};
}

struct Command {
  std::string_view name;
  CommandSchema (*schema)();
};

constexpr std::array kCommands{Command{"advise", advise_schema},
                               Command{"calibrate", calibrate_schema},
                               Command{"check", check_schema},
                               Command{"convert", convert_schema},
                               Command{"critical-path", critical_path_schema},
                               Command{"diff", diff_schema},
                               Command{"efficiency", efficiency_schema},
                               Command{"gains", gains_schema},
                               Command{"history", history_schema},
                               Command{"hotspots", hotspots_schema},
                               Command{"info", info_schema},
                               Command{"monitor", monitor_schema},
                               Command{"place", place_schema},
                               Command{"platform", platform_schema},
                               Command{"predict", predict_schema},
                               Command{"query", query_schema},
                               Command{"replay", replay_schema},
                               Command{"report", report_schema},
                               Command{"sensitivity", sensitivity_schema},
                               Command{"simulate", any_simulate_schema},
                               Command{"tolerance", tolerance_schema},
                               Command{"top", top_schema},
                               Command{"validate", validate_schema},
                               Command{"wait-states", wait_states_schema},
                               Command{"whatif", whatif_schema}};

std::string text_of(const Command& command) {
  const CommandSchema schema = command.schema();
  return "\"" + std::string(command.name) + "\": {\"options\": " + schema_text(schema.options) +
         ", \"input\": " + schema_text(schema.input) +
         ", \"result\": " + schema_text(schema.result) + "}";
}

}  // namespace
}  // namespace slackline

int main() {
  std::string separator = "{";
  for (const slackline::Command& command : slackline::kCommands) {
    std::printf("%s%s", separator.c_str(), slackline::text_of(command).c_str());
    separator = ",\n";
  }
  std::puts("}");
}
