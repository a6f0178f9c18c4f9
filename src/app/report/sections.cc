#include "app/report/sections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace slackline {
namespace {

/// The sections of what was measured, by the word that people ask for. Everything else in a report
/// is what models and simulations say.
constexpr std::array kSections{
    std::pair<std::string_view, std::string_view>{"diagnosis", "judgement"},
    std::pair<std::string_view, std::string_view>{"questions", "answers"},
    std::pair<std::string_view, std::string_view>{"questions", "scope"},
    std::pair<std::string_view, std::string_view>{"timeline", "timeline"},
    std::pair<std::string_view, std::string_view>{"time", "time_shares"},
    std::pair<std::string_view, std::string_view>{"time", "training_steps_section"},
    std::pair<std::string_view, std::string_view>{"machine", "machine"},
    std::pair<std::string_view, std::string_view>{"waits", "wait_states"},
    std::pair<std::string_view, std::string_view>{"waits", "causes"},
    std::pair<std::string_view, std::string_view>{"phases", "monitor"},
    std::pair<std::string_view, std::string_view>{"efficiency", "efficiency"},
    std::pair<std::string_view, std::string_view>{"efficiency", "openmp"},
    std::pair<std::string_view, std::string_view>{"path", "critical_path"},
    std::pair<std::string_view, std::string_view>{"imbalance", "imbalance"},
    std::pair<std::string_view, std::string_view>{"imbalance", "training_stragglers_section"},
    std::pair<std::string_view, std::string_view>{"regions", "regions-section"},
    std::pair<std::string_view, std::string_view>{"regions", "counters-section"},
    std::pair<std::string_view, std::string_view>{"collectives", "collectives-section"},
    std::pair<std::string_view, std::string_view>{"matrices", "matrices"},
    std::pair<std::string_view, std::string_view>{"clocks", "clocks"}};
constexpr std::string_view kModel = "model";

std::string_view name_of_section(std::string_view id) {
  const auto* const found =
      std::ranges::find(kSections, id, &std::pair<std::string_view, std::string_view>::second);
  return found == kSections.end() ? kModel : found->first;
}

}  // namespace

std::vector<std::string> section_names() {
  std::vector<std::string> names;
  for (const auto& [name, id] : kSections) {
    if (names.empty() || names.back() != name) names.emplace_back(name);
  }
  names.emplace_back(kModel);
  return names;
}

void check_section_names(const std::vector<std::string>& names) {
  const std::vector<std::string> known = section_names();
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw usage_error(fmt::format("unknown section '{}'", name), "no such name",
                      fmt::format("Choose from {}.", fmt::join(known, ", ")));
  }
}

void require_training_sections(const std::vector<std::string>& names, const Report& report) {
  std::vector<std::string_view> present;
  for (const Section& section : report.sections) {
    const std::string_view name = name_of_section(section.id);
    if (std::ranges::find(present, name) == present.end()) present.push_back(name);
  }
  for (const std::string& name : names) {
    if (std::ranges::find(present, name) != present.end()) continue;
    throw usage_error(fmt::format("this training run has no section '{}'", name),
                      "its profiles have nothing that it would show",
                      fmt::format("Choose from {}.", fmt::join(present, ", ")));
  }
}

void select_sections(const std::vector<std::string>& names, Report& report) {
  if (names.empty()) return;
  std::erase_if(report.sections, [&](const Section& section) {
    return std::ranges::find(names, name_of_section(section.id)) == names.end();
  });
}

}  // namespace slackline
