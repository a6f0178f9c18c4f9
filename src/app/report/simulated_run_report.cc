#include "app/report/run_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "analysis/simulation/simulation_report.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr const char* kId = "simulated";

/// Tables and sections of a simulation beside those of other runs: ids of their own.
void name_apart(Section& section) {
  section.id = std::string(kId) + "-" + section.id;
  for (Item& item : section.items) {
    if (auto* table = std::get_if<Table>(&item)) table->id = std::string(kId) + "-" + table->id;
  }
}

std::string length_sentence(const SimulatedRun& run, const Prediction& prediction) {
  const double simulated_ns = ns_of_seconds(run.simulation.makespan);
  std::string sentence =
      fmt::format("Simulated run time on {}: {}", run.machine, format_time_ns(simulated_ns));
  if (prediction.measured && prediction.measured->makespan_ns > 0) {
    const auto measured_ns = static_cast<double>(prediction.measured->makespan_ns);
    sentence += fmt::format(" ({:+.1f} % relative to the measured {})",
                            100 * (simulated_ns / measured_ns - 1), format_time_ns(measured_ns));
  }
  return sentence +
         fmt::format("; the model below, with its own L and G and without contention, predicts {}.",
                     format_time_ns(prediction.makespan_ns));
}

auto simulated_object(const SimulationJson& simulation) {
  return Object{"simulation"_key = simulation};
}

}  // namespace

const JsonType& declared_type(const SimulatedRunJsonTag*) {
  return json_type_by<simulated_object>();
}

Described<SimulatedRunJson> simulated_run_report(const SimulatedRun& run, const Trace& trace,
                                                 const Prediction& prediction) {
  auto details = describe(run.simulation, trace, run.platform, run.links_shown);
  Section section{.id = "simulation", .title = "Simulation with contention"};
  section.items.emplace_back(Paragraph{length_sentence(run, prediction)});
  section.items.emplace_back(Paragraph{contention_sentence(run.simulation, run.platform)});
  std::vector<Section>& parts = details.sections;
  // Its sentence is said already.
  std::ranges::move(parts.front().items | std::views::drop(1), std::back_inserter(section.items));
  parts.erase(parts.begin());
  // Where messages lose time comes first.
  std::ranges::stable_partition(parts, [](const Section& part) { return part.id == "links"; });
  for (Section& part : parts) {
    name_apart(part);
    section.children.push_back(std::move(part));
  }
  Described<SimulatedRunJson> report{simulated_object(details.result)};
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace slackline
