#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibration/samples.h"

namespace slackline {

/// What of a node's bandwidth B in one direction sending and receiving at the same time have
/// together: B_s + B_r = factor * B, between 1 (one port) and 2 (they do not disturb each other).
/// Source: Bedaride et al. 2013, section 4.2.
struct DuplexContention {
  Estimate factor;
  double residual = 0;  ///< root mean square of the relative error of the times that it explains
};

struct SharedBandwidth {
  double factor = 0;  ///< 0: there are fewer than three long messages of either kind
  double residual = 0;
};
/// Sizes from which messages count as long ones, in bytes.
inline constexpr double kLongMessage = 1 << 20;
/// The factor of long messages: `one_way` times alone, `both_ways` one in each direction. O(n).
SharedBandwidth shared_bandwidth(std::vector<WeightedPoint> one_way,
                                 std::vector<WeightedPoint> both_ways);

/// The parameters of LogGPS between two ranks, in nanoseconds and bytes, with 95 % intervals, and
/// the piecewise functions of the message size behind them.
///
/// o_send and o_recv are the times within MPI_Send and MPI_Recv of the smallest messages, where
/// the receiver is ready and where the message has arrived (Degomme et
/// al. 2017, SMPI, "calibration"); L = PRTT(1,0,1)/2 - o_send - o_recv, and o is
/// their mean, or where that would make L negative half of PRTT(1,0,1)/2. g and G are the line
/// g + (s-1) G = (PRTT(n,0,s) - PRTT(1,0,s)) / (n-1) (Hoefler, Lichei and Rehm 2007), which leaves
/// the least relative error over all sizes; protocol by protocol it is `stream`. S is the largest
/// size whose MPI_Send returns although the receiver is late.
struct LogGPSFit {
  Estimate latency;           ///< L
  Estimate overhead;          ///< o, the mean of the following two
  Estimate send_overhead;     ///< o_send
  Estimate receive_overhead;  ///< o_recv
  Estimate gap;               ///< g
  Estimate gap_per_byte;      ///< G, ns per byte
  Estimate eager_bytes;       ///< S
  /// Largest size that is transferred although its receive is not posted yet; larger ones up to S
  /// are detached: their send returns, and they wait for the receive.
  Estimate asynchronous_bytes;
  std::optional<DuplexContention> contention;  ///< empty: not measured
  bool all_eager = false;       ///< no size waited for its receiver: S is a lower bound
  Estimate test, probe, clock;  ///< a call that finds nothing; reading MPI_Wtime
  /// What a message takes more than its median: percentiles 0 to 100 over short eager messages.
  std::vector<double> noise_ns;

  PiecewiseFit one_way;         ///< PRTT(1,0,s)/2 of written buffers
  PiecewiseFit stream;          ///< g + (s-1) G
  PiecewiseFit one_way_reused;  ///< of buffers used otherwise; empty: not measured
  PiecewiseFit stream_reused;
  PiecewiseFit one_way_same;
  PiecewiseFit send;       ///< MPI_Send
  PiecewiseFit isend;      ///< MPI_Isend
  PiecewiseFit receive;    ///< MPI_Recv; eager sizes only
  PiecewiseFit both_ways;  ///< MPI_Sendrecv; long messages only
  /// How far the starts of the benchmark are apart: the largest median round trip of a size over
  /// the least one, less 1, as the median over all sizes. 0: one start.
  double spread = 0;

  /// Throws Error when it was not measured.
  const PiecewiseFit& one_way_of(Buffers buffers) const;
};

/// LogGPSFit::spread of the round trips. O(n log n).
double spread_of_starts(const SampleTable& round_trips);

/// Percentiles 0 to 100 of the noise of one message, from round trips of up to `eager_bytes` and
/// 4 KiB. A round trip is two messages: each of them has half of the mean deviation from the median
/// and half of its variance, so that two of them vary like the round trips. The last percentile is
/// not the maximum: values between the last two have the mean that was measured there. O(n log n).
std::vector<double> message_noise(const SampleTable& round_trips, double eager_bytes);

/// Throws Error when a quantity that is needed was never measured.
LogGPSFit fit_loggps(const CalibrationSamples& samples, const PiecewiseOptions& options);

/// The same measurement as SimGrid's SMPI model takes it.
struct SmpiTables {
  double latency_ns = 0;  ///< of the route between the two hosts that the factors are for
  double bandwidth_bytes_per_s = 0;                          ///< of its links
  std::vector<std::pair<std::string, std::string>> options;  ///< name and value, as SimGrid reads
  /// Sizes whose MPI_Send and MPI_Recv, each measured by itself, take longer than a message one
  /// way; os and or have been scaled to it. Empty: none.
  std::vector<double> scaled_sizes{};
  /// What a simulation with these options makes of a message one way, for each measured size.
  std::vector<double> one_way_ns{};
  /// What a host sends and receives together, which is a link of the platform; empty: unknown.
  std::optional<double> limiter_bytes_per_s{};
};

/// os, or and ois from the fits of MPI_Send, MPI_Recv and MPI_Isend; latency and bandwidth factors
/// from what of PRTT(1,0,s)/2 is left without os and or (nothing, where these are longer and
/// therefore scaled), against the route's nominal values, which
/// are L and the bandwidth of the largest messages. SimGrid adds 16 bytes to each message, which is
/// taken into account. Source: Degomme et al. 2017; rules of SimGrid 3.32 for detached messages.
SmpiTables smpi_tables(const LogGPSFit& fit, Buffers buffers = Buffers::written);

}  // namespace slackline
