#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibration/loggps_fit.h"

namespace slackline {

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
SmpiTables smpi_tables(const LogGPSFit& fit);

}  // namespace slackline
