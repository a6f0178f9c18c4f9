#include "report/command_names.h"

#include <algorithm>
#include <array>

namespace slackline {
namespace {

struct Renamed {
  std::string_view former;
  std::string_view present;
};
constexpr std::array kRenamed{Renamed{"wait-states", "waits"}, Renamed{"critical-path", "path"},
                              Renamed{"monitor", "phases"}};

}  // namespace

std::string_view present_command_name(std::string_view name) {
  const auto* const found = std::ranges::find(kRenamed, name, &Renamed::former);
  return found == kRenamed.end() ? name : found->present;
}

std::string_view former_command_name(std::string_view name) {
  const auto* const found = std::ranges::find(kRenamed, name, &Renamed::present);
  return found == kRenamed.end() ? std::string_view() : found->former;
}

}  // namespace slackline
