#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/goal/program.h"

namespace slackline {

/// A recorded pattern of interruptions by the operating system, repeated for the whole run.
struct NoisePattern {
  struct Interruption {
    std::int64_t begin_ns;
    std::int64_t length_ns;
  };
  std::vector<Interruption> interruptions;  ///< in order of begin; empty: no noise
  std::uint64_t seed = 1;                   ///< determines where in the pattern each rank begins
  bool coscheduled = false;                 ///< all ranks begin at the same place in the pattern
};

/// Reads text with one interruption per line: begin and length in ns, separated by blanks; lines
/// that begin with # are comments. `name` is the file's, for messages. Throws Error with the line.
/// Cost: O(text).
NoisePattern read_noise_pattern(std::string_view text, std::string_view name);

/// The parameters of LogGOPS, times in femtoseconds (Hoefler, Schneider, Lumsdaine: "LogGOPSim:
/// Simulating Large-Scale Applications in the LogGOPS Model", HPDC 2010).
struct LogGOPS {
  std::int64_t latency_fs = 0;              ///< L
  std::int64_t overhead_fs = 0;             ///< o
  std::int64_t gap_fs = 0;                  ///< g: how long a network card is busy with a message
  std::int64_t gap_per_byte_fs = 0;         ///< G
  std::int64_t overhead_per_byte_fs = 0;    ///< O
  std::uint64_t eager_threshold_bytes = 0;  ///< S
  NoisePattern noise{};
  /// Reproduces LogGOPSim's deviations from the model: a message of no bytes costs less than one of
  /// one byte, and a rendezvous blocks the sender's cpu and card with the receiver's numbers.
  bool loggopsim_deviations = false;
};

struct LogGOPSRun {
  std::vector<double> finish_ns;  ///< of each rank: when its last cpu becomes free
  double makespan_ns = 0;
  std::uint64_t events = 0;  ///< operations and messages processed
};

/// Simulates a GOAL program with exactly LogGOPSim's timing: each rank's cpus and network cards
/// serialise what they do, messages take the receiver's cpu when they arrive, and of events at one
/// time the one that was created first comes first. Times are integers of the largest unit in which
/// all parameters are whole.
///
/// `name` is the program's, for messages. Throws Error when operations are left at the end
/// (messages without partner, cycles), and when a time exceeds 63 bits. Cost: O((operations +
/// messages) log ranks), whatever the number of waiting messages; about 50 bytes an operation.
LogGOPSRun simulate_loggops(const GoalProgram& program, const LogGOPS& model,
                            std::string_view name);

}  // namespace slackline
