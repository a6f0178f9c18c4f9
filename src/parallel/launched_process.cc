#include "parallel/launched_process.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/text_parsing.h"

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
  return text == nullptr ? std::nullopt : number_in<int>(text);
}

std::string_view asked_for() {
  const char* const asked = std::getenv("SLACKLINE_PARALLEL");
  return asked == nullptr ? std::string_view() : std::string_view(asked);
}

/// What a rank has told the process that it started.
std::optional<LaunchedProcess> relayed(std::string_view asked) {
  LaunchedProcess me;
  const std::string text(asked);
  const int read = std::sscanf(text.c_str(), "relay:%d,%d,%d", &me.relay, &me.rank, &me.size);
  const bool whole = read == 3 && me.relay >= 0 && me.rank >= 0 && me.rank < me.size;
  return whole ? std::optional(me) : std::nullopt;
}

}  // namespace

LaunchedProcess launched_process() {
  const std::string_view asked = asked_for();
  if (asked == "off") return {};
  if (const auto me = relayed(asked)) return *me;
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
