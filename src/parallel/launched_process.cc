#include "parallel/launched_process.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace slackline {
namespace {

struct LauncherVariables {
  const char* mpi;
  const char* rank;
  const char* size;
};
constexpr std::array kLaunchers{
    LauncherVariables{"openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    LauncherVariables{"mpich", "PMI_RANK", "PMI_SIZE"},
    LauncherVariables{"openmpi", "PMIX_RANK", "SLURM_STEP_NUM_TASKS"}};

std::optional<int> number(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool turned_off() {
  const char* const asked = std::getenv("SLACKLINE_PARALLEL");
  return asked != nullptr && std::string_view(asked) == "off";
}

}  // namespace

LaunchedProcess launched_process() {
  if (turned_off()) return {};
  for (const LauncherVariables& launcher : kLaunchers) {
    const auto rank = number(launcher.rank);
    const auto size = number(launcher.size);
    if (rank && size && *size > 1 && *rank >= 0 && *rank < *size) {
      return {*rank, *size, launcher.mpi};
    }
  }
  return {};
}

}  // namespace slackline
