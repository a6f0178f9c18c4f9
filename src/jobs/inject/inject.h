#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "jobs/record/launcher.h"

namespace slackline {

/// What one transport of the ranks took. A message of UCX is a packet of it.
struct TransportCounts {
  std::string name{};    ///< UCX's transport, or libfabric's provider
  std::string device{};  ///< UCX's device, or libfabric's domain
  std::uint64_t eager = 0;
  std::uint64_t eager_bytes = 0;
  std::uint64_t rendezvous = 0;
  std::uint64_t rendezvous_bytes = 0;
};

/// The counts of the ranks of a job, each in a file (runtime/inject/command.c).
struct InjectionCounts {
  int ranks = 0;                    ///< that left a file
  int delayed_ranks = 0;            ///< whose messages go through a delayed transport
  std::uint64_t sent = 0;           ///< messages with a time at which they are due
  std::uint64_t delayed = 0;        ///< messages handed on at that time or later
  std::uint64_t late = 0;           ///< of these, first looked at after it
  std::uint64_t late_ns = 0;        ///< by how much together
  std::uint64_t foreign = 0;        ///< from another host: delayed from when they were received
  std::uint64_t not_one_sided = 0;  ///< ranks whose one-sided communication goes another way
  std::vector<TransportCounts> transports{};  ///< that took messages, each once
  std::string obstacle{};                     ///< why a rank could not, in words
};

/// Adds up all files of counts in `folder`; none when it is not there. Lines that are not
/// understood are left out.
InjectionCounts read_counts(const std::filesystem::path& folder);

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

/// Whether the command, or the environment, has Open MPI use libfabric: its pml cm, or mtl ofi.
bool chooses_libfabric(const std::vector<std::string>& command);

/// The variables that make UCX or libfabric carry the messages of the ranks, and the preloaded
/// library delay them. `library` is libslackline_inject.so; `counts` the folder for the ranks'
/// counts. Under Open MPI they select its point-to-point layer over UCX, if `switched`.
Environment injection_environment(const Injection& injection, LauncherKind launcher,
                                  const std::filesystem::path& library,
                                  const std::filesystem::path& counts, bool switched = true);

/// A command with an injection in its ranks, for as long as this object lives: it owns the folder
/// into which the ranks write their counts.
class InjectedCommand {
 public:
  /// Throws Error when the library was not built, or the launcher is not known (find_launcher).
  InjectedCommand(const std::vector<std::string>& command, const std::string& mpi,
                  const Injection& injection);
  ~InjectedCommand();
  InjectedCommand(const InjectedCommand&) = delete;
  InjectedCommand& operator=(const InjectedCommand&) = delete;

  /// What is to be executed; another command that starts jobs, such as `slackline record`, may
  /// stand before the launcher.
  const LaunchPlan& plan() const { return plan_; }
  /// The variables that the plan hands to the ranks.
  const Environment& variables() const { return variables_; }
  const Launcher& launcher() const { return launcher_; }
  /// Whether Open MPI, if it is the job's MPI, was made to use UCX.
  bool switched() const { return switched_; }
  /// What the ranks have counted so far.
  InjectionCounts counts() const;

 private:
  std::filesystem::path folder_;
  Launcher launcher_;
  bool switched_;
  Environment variables_;
  LaunchPlan plan_;
};

/// Why nothing was injected, as a clause; empty when it took hold in all ranks that were seen.
std::string why_not_injected(const InjectionCounts& counts);

}  // namespace slackline
