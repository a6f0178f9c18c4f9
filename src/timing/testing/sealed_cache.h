#pragma once

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace slackline {

/// Where fields of a cache's header lie (reduction_cache.cc).
inline constexpr std::size_t kCacheHeaderBytes = 128;
inline constexpr std::size_t kCacheHashAt = 80;

/// `file`, the bytes of a cache, with the hash that they should have: what somebody writes who
/// forges one.
inline std::string sealed_cache(std::string file) {
  if (file.size() < kCacheHeaderBytes) return file;
  std::memset(file.data() + kCacheHashAt, 0, sizeof(std::uint64_t));
  const std::uint64_t seed = XXH3_64bits(file.data(), kCacheHeaderBytes);
  const std::uint64_t hash =
      XXH3_64bits_withSeed(file.data() + kCacheHeaderBytes, file.size() - kCacheHeaderBytes, seed);
  std::memcpy(file.data() + kCacheHashAt, &hash, sizeof hash);
  return file;
}

}  // namespace slackline
