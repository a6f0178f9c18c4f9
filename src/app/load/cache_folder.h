#pragma once

#include <cstdint>
#include <filesystem>

namespace slackline {

/// What all caches of a user may take together.
inline constexpr std::uint64_t kMostCacheBytes = std::uint64_t{1} << 30;

/// $XDG_CACHE_HOME/slackline, else ~/.cache/slackline; empty where neither variable holds an
/// absolute path.
std::filesystem::path user_cache_folder();

/// Makes `folder` (mode 0700) if it is not there, and room for a cache of `bytes` in it: of its
/// caches the oldest are removed until all together take no more than `most_bytes`. False where
/// that is not possible. Throws nothing.
bool make_cache_room(const std::filesystem::path& folder, std::uint64_t bytes,
                     std::uint64_t most_bytes = kMostCacheBytes);

}  // namespace slackline
