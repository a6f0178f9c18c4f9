#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "report/report.h"
#include "report/rows.h"
#include "trace/trace.h"

namespace slackline {

/// What the machine took from one rank's computation. Found rank by rank, in one process or in
/// several; plain values, so that it can be sent.
struct RankMachineTime {
  std::int64_t computation_ns = 0;  ///< all time between calls
  std::int64_t lost_ns = 0;         ///< of it, off the processor in interrupted stretches
  std::uint64_t stretches = 0;      ///< of computation between two calls
  std::uint64_t interrupted = 0;    ///< of them, in which the processor was given to others
  std::uint64_t involuntary_switches = 0;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t migrations = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;

  RankMachineTime& operator+=(const RankMachineTime& other);
};

/// How much of a run's computation was the machine's: noise, not the program's work.
struct MachineShare {
  RankMachineTime all{};  ///< sums
  std::int32_t rank = 0;  ///< that lost the largest share
  double rank_lost_share = 0;
  std::optional<double> stolen_share{};  ///< of the processors' time, by the hypervisor
  /// The part of the processors' time that processes outside of the job used.
  std::optional<double> other_processes_share{};

  double lost_share() const;
};

/// Whether the recording counted context switches.
bool counts_interruptions(const Trace& trace);
/// O(calls of the rank), times the logarithm of its interrupted stretches.
RankMachineTime rank_machine_time(const Trace& trace, std::int32_t rank);
MachineShare machine_share(std::span<const RankMachineTime> ranks, const TraceInfo& info);
/// Nothing where context switches were not counted.
std::optional<MachineShare> machine_share(const Trace& trace);

/// As lines of a section.
Facts machine_facts(const MachineShare& share);
extern const Rows<MachineShare> kMachineShare;

}  // namespace slackline
