#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_map.h"
#include "sim/network/network_model.h"
#include "sim/platform/platform.h"
#include "sim/sharing/bandwidth_sharing.h"
#include "sim/sharing/link_view.h"

namespace slackline {

/// What all messages between two hosts have in common. Seconds, bytes per second.
struct NetworkPath {
  double latency = 0;     ///< of the route, without the model's factor
  double narrowest = 0;   ///< the least bandwidth of the route's links
  double bound = 0;       ///< of a flow's rate: `narrowest`, or the TCP window
  double penalty = 0;     ///< the inverse of a flow's weight
  double rate_alone = 0;  ///< with no other message on the network
  std::uint32_t first_share = 0, share_count = 0;
  bool lone_fatpipe = false;  ///< one fatpipe is all of the route: no other flow can limit this one
  LinkId down = kNoLink;      ///< a link without which no message gets through
};

/// The paths between hosts, the most recently used ones remembered. Cost: O(1) for a path that is
/// remembered; else that of the platform's route. Memory: at most 64 MB of shares.
class PathCache {
 public:
  /// All must outlive it.
  PathCache(const Platform& platform, const LinkView& links, const NetworkModel& model);

  /// Valid until the next call. Throws Error when there is no route.
  const NetworkPath& path(HostId from, HostId to);
  /// The links of both directions with their weights, each once, in the order of the route. Valid
  /// until the next call of path().
  std::span<const LinkShare> shares(const NetworkPath& path) const {
    return {shares_.data() + path.first_share, path.share_count};
  }
  /// A link has changed: all paths are to be made anew.
  void clear();

 private:
  NetworkPath make_path(HostId from, HostId to);
  void add_share(NetworkPath& path, LinkId link, double weight);

  struct Hash {
    std::uint64_t operator()(std::uint64_t key) const { return mix_bits(key); }
  };

  const Platform& platform_;
  const LinkView& links_;
  const NetworkModel& model_;
  FlatMap<std::uint64_t, std::uint32_t, Hash> index_;
  std::vector<NetworkPath> paths_;
  std::size_t most_paths_;
  std::vector<LinkShare> shares_;
  std::vector<LinkId> forth_, back_;  // scratch: a route and the one back
};

}  // namespace slackline
