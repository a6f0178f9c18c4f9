#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/piecewise_fit.h"

namespace slackline {

/// What the benchmark measures between two ranks (runtime/calibrate/). Names are those of the
/// samples file.
enum class Quantity : std::uint8_t {
  round_trip,         ///< rtt: PRTT(1,0,s), a message there and one back, each written before
  stream,             ///< stream: PRTT(n,0,s), n messages there and one back, each written before
  round_trip_reused,  ///< rtt_reused: from buffers not written since the last message
  stream_reused,      ///< stream_reused: all from one such buffer
  round_trip_same,    ///< rtt_same: written, and received into the buffer that is sent from
  send,               ///< send: in MPI_Send, while the receiver is in the matching receive
  isend,              ///< isend: in MPI_Isend, likewise
  receive,            ///< recv: in MPI_Recv of an eager message that has arrived
  both_ways,  ///< sendrecv: in MPI_Sendrecv of long messages, one in each direction at a time
  test,       ///< test: in an MPI_Test that finds nothing
  probe,      ///< iprobe: in an MPI_Iprobe that finds nothing
  clock,      ///< wtime: in MPI_Wtime
};
inline constexpr std::size_t kQuantities = 12;
std::string_view name_of(Quantity quantity);

/// What a program does with the buffer of a message, on which its time depends within a node.
enum class Buffers : std::uint8_t {
  written,  ///< written before each message, received into another one
  reused,   ///< not written since the last message
  same,     ///< written, and received into
};
/// The names that --buffers takes.
inline constexpr std::array<std::string_view, 3> kBuffersNames{"written", "reused", "same"};
/// An empty name is `written`. Throws usage Error for other names.
Buffers parse_buffers(std::string_view name);

/// A rank that was without its processor for a larger share of the measurement was disturbed.
inline constexpr double kDisturbedCalibration = 0.05;

inline constexpr std::uint64_t kAllEager = std::numeric_limits<std::uint64_t>::max();

/// Round trips between two of more than two ranks, of a short and of a long message.
struct PairSample {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::uint64_t short_bytes = 0;
  double short_ns = 0;
  std::uint64_t long_bytes = 0;
  double long_ns = 0;
  double without_processor = 0;  ///< share of the time; the larger one of both ranks
};

/// Long round trips of ranks 2i and 2i+1, for all i < pairs at the same time.
struct PairsAtOnceSample {
  std::int32_t pairs = 0;
  std::uint64_t bytes = 0;
  double ns = 0;                 ///< mean over the pairs
  double without_processor = 0;  ///< share of the time; the largest one of all ranks
};

struct CalibrationSamples {
  std::string mpi;                        ///< what MPI_Get_library_version says, first line
  std::array<std::string, 2> hosts;       ///< of the two ranks
  std::array<std::string, 2> processors;  ///< that they were bound to
  std::string started;                    ///< UTC, ISO 8601
  double seconds = 0;                     ///< that the measurement took
  /// Share of that time in which a rank was without its processor; the larger one of both ranks.
  double without_processor = 0;
  double unmeasured = 0;  ///< largest share of tasks that a start had no time for
  double clock_ns = 0;    ///< cost of reading the clock, not yet subtracted
  std::optional<std::uint64_t> eager_bytes;  ///< largest size whose send does not wait
  /// Smallest size seen to wait for its receiver; kAllEager when none did.
  std::uint64_t synchronous_bytes = kAllEager;
  std::array<SampleTable, kQuantities> tables;
  SampleTable messages;           ///< n of `stream`, by round and size
  SampleTable messages_reused;    ///< n of `stream_reused`
  std::vector<PairSample> pairs;  ///< each pair several times; empty: there were two ranks
  std::vector<PairsAtOnceSample> pairs_at_once;  ///< each number of pairs several times
  std::int32_t pairs_placed = 0;                 ///< pairs of which each rank had a processor
  std::int32_t pairs_started = 0;                ///< 0: there were two ranks
  std::vector<std::string> rank_hosts;           ///< of all ranks, where there are pairs

  const SampleTable& operator[](Quantity q) const { return tables[static_cast<std::size_t>(q)]; }
  SampleTable& operator[](Quantity q) { return tables[static_cast<std::size_t>(q)]; }
};

/// Reads the file that the benchmark has left, in nanoseconds per call or exchange, with the cost
/// of the clock subtracted. Throws Error when it is no such file, holds less than two rounds, or
/// says why nothing could be measured.
CalibrationSamples read_samples(const std::filesystem::path& path);

}  // namespace slackline
