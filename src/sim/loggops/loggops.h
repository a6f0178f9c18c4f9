#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/goal/program.h"

namespace slackline {

/// A recorded pattern of interruptions by the operating system, repeated for ever.
struct NoisePattern {
  struct Interruption {
    std::int64_t begin_ns;
    std::int64_t length_ns;
  };
  std::vector<Interruption> interruptions;  ///< by begin; empty: no noise
  std::uint64_t seed = 1;                   ///< decides where in the pattern each rank begins
  bool coscheduled = false;                 ///< all ranks begin at the same place
};

/// Text of one interruption a line: begin and length in ns, separated by blanks; lines that begin
/// with # are comments. Throws Error with line.
NoisePattern read_noise_pattern(std::string_view text, std::string_view name);

/// The parameters of LogGOPS (Hoefler, Schneider, Lumsdaine: LogGOPSim, 2010).
struct LogGOPS {
  std::int64_t latency_fs = 0;              ///< L
  std::int64_t overhead_fs = 0;             ///< o
  std::int64_t gap_fs = 0;                  ///< g: a network card is busy that long with a message
  std::int64_t gap_per_byte_fs = 0;         ///< G
  std::int64_t overhead_per_byte_fs = 0;    ///< O
  std::uint64_t eager_threshold_bytes = 0;  ///< S
  NoisePattern noise{};
  /// What LogGOPSim does and the model does not mean: a message of no bytes costs less than one of
  /// one byte, and a rendezvous blocks the sender's cpu and card of the receiver's numbers.
  bool simulator_flaws = false;
};

struct LogGOPSRun {
  std::vector<double> finish_ns;  ///< of each rank: when its last cpu becomes free
  double makespan_ns = 0;
  std::uint64_t events = 0;  ///< operations and messages processed
};

/// LogGOPSim's timing, exactly: one event after the other, each rank's cpus and network cards
/// serialise what they do, messages steal the receiver's cpu when they arrive, ties go to what was
/// created first. Times are integers of the largest unit in which all parameters are whole.
///
/// `name` is the program's, for messages. Throws Error when operations are left at the end
/// (messages without partner, cycles), and when a time exceeds 63 bits. O((operations + messages)
/// log ranks), whatever the number of messages that wait; some 50 bytes an operation.
LogGOPSRun simulate_loggops(const GoalProgram& program, const LogGOPS& model,
                            std::string_view name);

}  // namespace slackline
