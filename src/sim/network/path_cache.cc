#include "sim/network/path_cache.h"

#include <algorithm>
#include <limits>

namespace slackline {
namespace {

// SimGrid's network/crosstraffic: the share of a flow's rate that acknowledgements take on the way
// back.
constexpr double kAcknowledgements = 0.05;
// How many paths are remembered: those that repeat are between neighbours; in an all-to-all none
// does.
constexpr std::size_t kPathsPerHost = 32;
constexpr std::size_t kFewestPaths = 1024;
constexpr std::size_t kMostPaths = std::size_t{1} << 18;
constexpr std::size_t kMostShares = std::size_t{1} << 22;  // of all of these: 64 MB

}  // namespace

PathCache::PathCache(const Platform& platform, const LinkView& links, const NetworkModel& model)
    : platform_(platform),
      links_(links),
      model_(model),
      most_paths_(std::clamp(kPathsPerHost * platform.host_count(), kFewestPaths, kMostPaths)) {}

NetworkPath PathCache::make_path(HostId from, HostId to) {
  NetworkPath path;
  path.first_share = static_cast<std::uint32_t>(shares_.size());
  platform_.route(from, to, forth_);
  path.narrowest = std::numeric_limits<double>::infinity();
  for (const LinkId link : forth_) path.latency += links_.latency(link);
  path.penalty = path.latency;
  for (const LinkId link : forth_) {
    const double bandwidth = links_.bandwidth(link);
    path.narrowest = std::min(path.narrowest, bandwidth);
    path.penalty += model_.weight_s / bandwidth;
    add_share(path, link, 1);
  }
  path.lone_fatpipe = forth_.size() == 1 && links_.is_fatpipe(forth_[0]);
  path.bound = path.narrowest;
  if (model_.tcp_gamma > 0 && path.latency > 0) {
    path.bound = std::min(path.bound, model_.tcp_gamma / (2 * path.latency));
  }
  if (path.latency <= 0 || path.penalty <= 0) path.penalty = 1;
  if (model_.cross_traffic) {
    platform_.route(to, from, back_);
    for (const LinkId link : back_) add_share(path, link, kAcknowledgements);
  }
  path.rate_alone = path.bound;
  for (const LinkShare& share : shares(path)) {
    if (links_.is_down(share.link)) path.down = share.link;
    path.rate_alone = std::min(path.rate_alone, links_.bandwidth(share.link) / share.weight);
  }
  return path;
}

/// The weights of a shared link add up, of a fatpipe the larger one counts.
void PathCache::add_share(NetworkPath& path, LinkId link, double weight) {
  LinkShare* const shares = shares_.data() + path.first_share;
  for (std::uint32_t i = 0; i < path.share_count; ++i) {
    if (shares[i].link != link) continue;
    const double before = shares[i].weight;
    shares[i].weight = links_.is_fatpipe(link) ? std::max(before, weight) : before + weight;
    return;
  }
  shares_.push_back({link, weight});
  ++path.share_count;
}

void PathCache::clear() {
  index_.clear();
  paths_.clear();
  shares_.clear();
}

const NetworkPath& PathCache::path(HostId from, HostId to) {
  const std::uint64_t key = std::uint64_t{from} << 32 | to;
  if (const std::uint32_t* known = index_.find(key)) return paths_[*known];
  if (paths_.size() == most_paths_ || shares_.size() > kMostShares) clear();
  const auto index = static_cast<std::uint32_t>(paths_.size());
  paths_.push_back(make_path(from, to));
  index_[key] = index;
  return paths_[index];
}

}  // namespace slackline
