#include "app/load/simulated_time.h"

#include <memory>

#include "app/load/loaded_graph.h"
#include "app/load/loaded_program.h"
#include "app/load/machine.h"
#include "base/error.h"
#include "base/units.h"
#include "graph/goal/goal_graph.h"
#include "sim/loggops/loggops.h"

namespace slackline {
namespace {

SimulatedTime on_platform(const LoadedGraph& loaded, const PlatformOptions& options,
                          Findings& findings) {
  const auto machine =
      std::make_shared<const Machine>(resolve_machine(options, loaded.trace(), findings));
  return {"platform", [machine](const Trace& program) {
            return ns_of_seconds(
                simulate(program, machine->platform, machine->hosts, machine->simulation).makespan);
          }};
}

SimulatedTime under_loggops(const LoadedGraph& loaded, const LogGOPSOptions& options) {
  if (loaded.model.pairs != nullptr) {
    throw usage_error("cannot use a topology with --model loggops",
                      "all its messages have the same L and G",
                      "Omit --topology, --ranks-per-node and --placement.");
  }
  return {"loggops", [&loaded, model = resolve_loggops(loaded.model, options)](const Trace& trace) {
            Findings of_conversion;
            const GoalProgram program = goal_of_trace(trace, loaded.model.graph, of_conversion);
            return simulate_loggops(program, model, loaded.opened.path).makespan_ns;
          }};
}

}  // namespace

SimulatedTime simulated_time(const LoadedGraph& loaded, const PlatformOptions& platform,
                             const LogGOPSOptions& loggops, Findings& findings) {
  if (platform.given() && loggops.wanted()) {
    throw usage_error("cannot use both --platform and --model loggops",
                      "each simulates the program in its own way", "Choose one of them.");
  }
  if (platform.given()) return on_platform(loaded, platform, findings);
  if (loggops.wanted()) return under_loggops(loaded, loggops);
  return {};
}

}  // namespace slackline
