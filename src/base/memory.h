#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace slackline {

/// What new work may take without pushing out anything else.
struct AvailableMemory {
  std::uint64_t bytes = ~std::uint64_t{0};  ///< the largest number where the system does not say
  std::uint64_t total = ~std::uint64_t{0};  ///< what the machine, or the control group, has
  std::uint64_t reserve = 0;                ///< of `bytes`, to be left alone
  std::string_view limit = "the system";    ///< whose limit that is, for messages
};

/// The smaller of the machine's MemAvailable and what the limits of this process's control groups
/// (version 1 and 2) leave; memory of files that can be read again counts as free. A tenth is the
/// reserve. `root` is where /proc and /sys lie. Throws nothing; some 50 us.
AvailableMemory available_memory(const std::filesystem::path& root = "/");

/// Bytes that are the process's alone, with its page tables: what another one of the same program
/// would need. 0 where the system does not say.
std::uint64_t private_memory(pid_t process, const std::filesystem::path& root = "/");

/// What work needs, before it starts.
struct MemoryNeed {
  std::uint64_t bytes = 0;
  std::string problem;     ///< "cannot start 1,024 processes"
  std::string reason;      ///< how the number came about, "16 MiB each, as the first one has"
  std::string what_to_do;  ///< a sentence
};

/// Throws Error, with both numbers, unless what is available, without the reserve, suffices.
void require_memory(const MemoryNeed& need, const AvailableMemory& available);

}  // namespace slackline
