#include "jobs/inject/counts.h"

#include <array>
#include <fstream>
#include <utility>

namespace slackline {
namespace {

namespace fs = std::filesystem;

void add_file(const fs::path& path, InjectionCounts& counts) {
  std::ifstream in(path);
  const std::array<std::pair<std::string_view, std::uint64_t*>, 6> sums{{
      {"sent", &counts.sent},
      {"delayed", &counts.delayed},
      {"late", &counts.late},
      {"late_ns", &counts.late_ns},
      {"foreign", &counts.foreign},
      {"not_one_sided", &counts.not_one_sided},
  }};
  ++counts.ranks;
  for (std::string name; in >> name;) {
    if (name == "obstacle") {
      std::getline(in >> std::ws, counts.obstacle);
      continue;
    }
    std::uint64_t value = 0;
    if (!(in >> value)) return;
    if (name == "interfaces" && value > 0) ++counts.delayed_ranks;
    for (const auto& [known, sum] : sums) {
      if (name == known) *sum += value;
    }
  }
}

}  // namespace

InjectionCounts read_counts(const fs::path& folder) {
  InjectionCounts counts;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".counts") add_file(entry.path(), counts);
  }
  return counts;
}

}  // namespace slackline
