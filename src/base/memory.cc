#include "base/memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

#include "base/error.h"
#include "base/units.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kKibi = 1024;

/// The number behind `name` in a file of lines "name: number" or "name number"; an empty name: the
/// first word.
std::optional<std::uint64_t> number_in(const fs::path& file, std::string_view name = {}) {
  std::ifstream in(file);
  std::string word;
  if (!name.empty()) {
    while (in >> word && word != name) in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  std::uint64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

/// The names that the two versions of control groups have for the same.
struct GroupFiles {
  const char* limit;
  const char* used;
  const char* reclaimable;  ///< in memory.stat
};
constexpr GroupFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                               "total_inactive_file"};
constexpr GroupFiles kVersion2{"memory.max", "memory.current", "inactive_file"};

void apply_limit(const fs::path& folder, const GroupFiles& files, AvailableMemory& available) {
  const std::optional<std::uint64_t> limit = number_in(folder / files.limit);
  const std::optional<std::uint64_t> used = number_in(folder / files.used);
  if (!limit || !used) return;  // "max", or not there
  const std::uint64_t reclaimable =
      number_in(folder / "memory.stat", files.reclaimable).value_or(0);
  const std::uint64_t held = *used - std::min(*used, reclaimable);
  const std::uint64_t left = *limit - std::min(*limit, held);
  if (left < available.bytes) available = {left, *limit, 0, "the limit of the control group"};
}

/// Groups are nested, and each has a limit of its own. In a container the path may be one of the
/// host, of which only the root is there.
void apply_limits(const fs::path& root, const std::string& group, const GroupFiles& files,
                  AvailableMemory& available) {
  for (fs::path path = fs::path(group).relative_path();; path = path.parent_path()) {
    apply_limit(root / path, files, available);
    if (path.empty()) return;
  }
}

}  // namespace

AvailableMemory available_memory(const fs::path& root) {
  AvailableMemory available;
  const fs::path machine = root / "proc/meminfo";
  if (const auto kibi = number_in(machine, "MemAvailable:")) {
    available = {*kibi * kKibi, number_in(machine, "MemTotal:").value_or(*kibi) * kKibi, 0,
                 "MemAvailable"};
  }
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:memory:/path" or "0::/path"
    const std::size_t controllers = line.find(':') + 1;
    const std::size_t path = line.find(':', controllers) + 1;
    if (controllers == 0 || path == 0) continue;
    const std::string_view named =
        std::string_view(line).substr(controllers, path - 1 - controllers);
    const fs::path mounted = root / "sys/fs/cgroup";
    if (named.empty()) apply_limits(mounted, line.substr(path), kVersion2, available);
    if (named == "memory")
      apply_limits(mounted / "memory", line.substr(path), kVersion1, available);
  }
  constexpr std::uint64_t kReservedPart = 10;
  if (available.bytes != AvailableMemory{}.bytes) {
    available.reserve = available.bytes / kReservedPart;
  }
  return available;
}

std::uint64_t private_memory(pid_t process, const fs::path& root) {
  const fs::path folder = root / "proc" / std::to_string(process);
  const std::uint64_t tables = number_in(folder / "status", "VmPTE:").value_or(0);
  if (const auto dirty = number_in(folder / "smaps_rollup", "Private_Dirty:")) {
    return (*dirty + tables) * kKibi;
  }
  const std::uint64_t resident = number_in(folder / "status", "RssAnon:").value_or(0);
  return (resident + tables) * kKibi;
}

void require_memory(const MemoryNeed& need, const AvailableMemory& available) {
  if (need.bytes <= available.bytes - available.reserve) return;
  const auto text = [](std::uint64_t bytes) { return format_bytes(static_cast<double>(bytes)); };
  throw Error(need.problem,
              fmt::format("about {} of memory are needed ({}), and {} are available ({})",
                          text(need.bytes), need.reason, text(available.bytes), available.limit),
              need.what_to_do);
}

}  // namespace slackline
