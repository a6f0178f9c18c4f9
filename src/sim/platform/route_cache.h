#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_map.h"
#include "sim/platform/platform.h"

namespace slackline {

/// A simulation's own memory of routes already asked for: what repeats costs a look-up. One per
/// thread. Holds about `limit_bytes` at most (then it starts afresh), never all pairs of hosts.
class RouteCache {
 public:
  struct Route {
    std::span<const LinkId> links;  ///< valid until the next call
    double latency = 0;             ///< seconds
  };

  explicit RouteCache(const Platform& platform, std::size_t limit_bytes = std::size_t{64} << 20);

  /// As Platform::route.
  Route route(HostId src, HostId dst);

 private:
  struct Entry {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    double latency = 0;
  };
  struct Hash {
    std::uint64_t operator()(std::uint64_t key) const { return mix_bits(key); }
  };

  const Platform& platform_;
  std::size_t limit_bytes_;
  FlatMap<std::uint64_t, Entry, Hash> entries_;
  std::vector<LinkId> links_;
  std::vector<LinkId> scratch_;
};

}  // namespace slackline
