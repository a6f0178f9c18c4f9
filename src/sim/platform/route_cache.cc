#include "sim/platform/route_cache.h"

namespace slackline {

namespace {
// The table is at least a quarter full.
constexpr std::size_t kBytesPerEntry = 4 * 25;
}  // namespace

RouteCache::RouteCache(const Platform& platform, std::size_t limit_bytes)
    : platform_(platform), limit_bytes_(limit_bytes) {}

RouteCache::Route RouteCache::route(HostId src, HostId dst) {
  const std::uint64_t key = (std::uint64_t{src} << 32) | dst;
  if (const Entry* known = entries_.find(key)) {
    return {std::span(links_).subspan(known->first, known->count), known->latency};
  }
  Entry entry;
  entry.latency = platform_.route(src, dst, scratch_);
  entry.count = static_cast<std::uint32_t>(scratch_.size());
  if (links_.size() * sizeof(LinkId) + entries_.size() * kBytesPerEntry > limit_bytes_) {
    entries_ = {};
    links_.clear();
  }
  entry.first = static_cast<std::uint32_t>(links_.size());
  links_.insert(links_.end(), scratch_.begin(), scratch_.end());
  entries_[key] = entry;
  return {std::span(links_).subspan(entry.first, entry.count), entry.latency};
}

}  // namespace slackline
