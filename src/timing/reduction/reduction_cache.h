#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "timing/reduction/reduced_graph.h"

namespace slackline {

/// What a cache file holds.
struct CachedReduction {
  ReducedLogGPS reduced;  ///< lies in the mapped file
  std::string about;      ///< whatever whoever wrote it wants to know again
};

/// Why there is nothing to be had from a cache file.
enum class CacheState : std::uint8_t {
  usable,
  absent,         ///< no such file, or one that cannot be read
  for_other_key,  ///< whole, but of another input or other choices
  other_version,  ///< written by another version of the format
  damaged,        ///< cut short, or its bytes are not those that were written
};

struct CacheAnswer {
  CacheState state = CacheState::absent;
  std::optional<CachedReduction> cached;
};

/// Reads a cache file if it was written for `key`, which must say everything that the reduction
/// depends on. Throws nothing. One pass over the file compares its hash (XXH3-64): a damaged file
/// is never taken for a whole one.
CacheAnswer read_reduction_cache(const std::filesystem::path& path, std::string_view key);

/// Writes a cache file, as a whole or not at all. False when it cannot be written (a folder that is
/// read-only, a full disk): whoever asked goes on without it.
bool write_reduction_cache(const std::filesystem::path& path, std::string_view key,
                           const ReducedLogGPS& reduced, std::string_view about);

}  // namespace slackline
