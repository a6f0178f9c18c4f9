#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "jobs/record/launcher.h"

namespace slackline {

/// Between which ranks something is injected.
enum class InjectedPairs { all, within_hosts, between_hosts };

/// What is added to every message between two ranks. Messages of a rank to itself are left alone.
struct Injection {
  std::int64_t latency_ns = 0;
  std::int64_t gap_fs_per_byte = 0;  ///< of the paced bandwidth; 0: unlimited
  std::int64_t jitter_ns = 0;        ///< at most, evenly distributed
  InjectedPairs pairs = InjectedPairs::all;
  /// The largest eager message; larger ones use a rendezvous. The same for all latencies, since UCX
  /// would choose it by the speed of the transport.
  std::uint64_t eager_limit = 64 * 1024;
  std::string transports = "posix,self";  ///< UCX_TLS
};

/// "10 us", "10 us and 1 GB/s", "nothing": for messages.
std::string describe_injection(const Injection& injection);

/// The variables that make UCX carry the messages of the ranks, and the preloaded library delay
/// them. `library` is libslackline_inject.so; `counts` the folder for the ranks' counts. Under Open
/// MPI they select its point-to-point layer over UCX.
Environment injection_environment(const Injection& injection, LauncherKind launcher,
                                  const std::filesystem::path& library,
                                  const std::filesystem::path& counts);

}  // namespace slackline
