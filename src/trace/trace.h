#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/findings.h"
#include "trace/call_tree.h"
#include "trace/rank_calls.h"

namespace slackline {

// A Trace is what each rank of one MPI job did, in order: its MPI calls with their arguments, and
// between them computation. It is immutable (a TraceBuilder makes it) and columnar. Ranks are those
// of MPI_COMM_WORLD everywhere; readers translate.

/// Members as world ranks, in communicator order. An intercommunicator has a remote group too;
/// collectives and peers then speak of the other side.
struct Communicator {
  std::vector<std::int32_t> members;
  std::vector<std::int32_t> remote;  ///< empty for an intracommunicator
  std::string name;

  bool is_inter() const { return !remote.empty(); }
};

/// What is known of one rank beside its calls.
struct RankInfo {
  std::string host;
  bool present = true;               ///< false: nothing of this rank was found
  bool finalized = true;             ///< reached MPI_Finalize
  std::int64_t clock_offset_ns = 0;  ///< what was added to its clock at the start of the run
  double clock_drift = 0;            ///< and gained per ns after that
  std::int64_t clock_error_ns = 0;   ///< known within this
};

/// Facts about the recording that no call holds. All optional.
struct TraceInfo {
  std::string program;      ///< command line of the job
  std::string mpi_library;  ///< "Open MPI", "MPICH" or empty
  std::string mpi_version;
  std::string recorder;           ///< who made the trace
  std::string started;            ///< ISO 8601, of rank 0
  std::int64_t cpu_ns = 0;        ///< CPU time of all ranks
  std::int64_t recording_ns = 0;  ///< of which recording, as measured by the recorder
  std::uint64_t lost_calls = 0;
  /// > 0: computation was given in flops, and became time at this many a second (formats/ti).
  double flops_per_second = 0;
  /// Time of the job's processors during the run, their idle time included; 0 unknown.
  std::int64_t processors_ns = 0;
  std::int64_t stolen_ns = 0;  ///< of it, what the hypervisor of a virtual machine gave to others
  std::int64_t other_processes_ns = 0;  ///< of it, what processes outside of the job used
};

class TraceBuilder;

class Trace {
 public:
  /// A job without calls. Communicators 0 and 1 are MPI_COMM_WORLD and MPI_COMM_SELF (members
  /// empty: each rank itself).
  Trace(std::int32_t ranks, bool timed);
  Trace(const TraceBuilder&) = delete;  // TraceBuilder::build()
  Trace& operator=(const TraceBuilder&) = delete;

  std::int32_t ranks() const { return static_cast<std::int32_t>(calls_.size()); }
  /// Timed: measured begin and end of every call. Untimed: only computation between calls.
  bool timed() const { return job_.timed; }
  const RankCalls& calls(std::int32_t rank) const { return calls_[index(rank)]; }
  const RankInfo& rank_info(std::int32_t rank) const { return job_.rank_info[index(rank)]; }
  const std::vector<Communicator>& communicators() const { return job_.communicators; }
  const std::vector<std::string>& regions() const { return job_.regions; }
  /// The call paths of the program's calls of MPI, as they were recorded; RankCalls::frame().
  const CallTree& call_tree() const { return job_.call_tree; }
  /// Names of the counters that were recorded ("PAPI_TOT_INS", "ru_nivcsw"); RankCalls::counter().
  const std::vector<std::string>& counters() const { return job_.counters; }
  const TraceInfo& info() const { return job_.info; }
  const Findings& findings() const { return job_.findings; }
  std::uint64_t call_count() const;
  /// The rank's index in communicator `comm`, or -1.
  std::int32_t rank_in(std::uint32_t comm, std::int32_t world_rank) const;

 private:
  friend class TraceBuilder;
  static std::size_t index(std::int32_t rank) { return static_cast<std::size_t>(rank); }

  /// Everything but the calls, in one value, so that a copy has all of it.
  struct Job {
    std::vector<RankInfo> rank_info;
    std::vector<Communicator> communicators;
    std::vector<std::string> regions;
    std::vector<std::string> counters;
    CallTree call_tree;
    TraceInfo info;
    Findings findings;
    bool timed = false;
  };

  std::vector<RankCallsBuilder> calls_;
  Job job_;
};

/// Two traces hold the same calls, communicators and regions (findings and info aside).
bool same_content(const Trace& a, const Trace& b);

}  // namespace slackline
