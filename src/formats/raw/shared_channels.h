#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/findings.h"
#include "trace/trace.h"

namespace slackline::raw {

/// Finds messages of one rank whose order on their channel MPI does not define, or defines
/// otherwise than by the times at which they were posted (kThreadsShareChannel):
/// - Calls of different threads that overlap in time (MPI 4.0, 3.5), starts of persistent requests
///   among them.
/// - Several partitioned requests: they match in the order in which they were made (MPI 4.0, 4.2),
///   while a message is recorded when it starts.
class SharedChannels {
 public:
  SharedChannels(std::int32_t rank, bool several_threads, Findings& findings)
      : rank_(rank), several_threads_(several_threads), findings_(findings) {}

  /// The rank's calls in the order of their begin; peers are ranks of the world.
  void take(const Call& call);

 private:
  /// Whether it sends, peer, tag and communicator.
  using Channel = std::tuple<bool, std::int32_t, std::int32_t, std::uint32_t>;
  struct Use {
    std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();  ///< of the call that ends last
    std::uint16_t thread = 0;                                        ///< of that call
    std::uint32_t partitioned = 0;  ///< requests that are not freed
  };

  void post(const Channel& channel, const Call& call);
  void start(const Call& call);
  void make_partitioned(const Channel& channel, const Call& call);
  void free_request(std::uint32_t serial);
  void note(const Channel& channel, const Call& call);

  std::int32_t rank_;
  bool several_threads_;
  Findings& findings_;
  std::map<Channel, Use> uses_;
  std::unordered_map<std::uint32_t, Channel> partitioned_;  ///< by the request's present serial
};

}  // namespace slackline::raw
