#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
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
  absent,         ///< no such file, one that cannot be read, or not this user's own
  for_other_key,  ///< whole, but of another input or other choices
  other_version,  ///< written by another version of the format
  damaged,        ///< cut short, changed, or not what passes can run over
};

struct CacheAnswer {
  CacheState state = CacheState::absent;
  std::optional<CachedReduction> cached;
};

/// Reads a cache file if it was written for `key`, which must say everything that the reduction
/// depends on, and if it is a regular file that belongs to this user and that nobody else can
/// write. Throws nothing. One pass over the file compares its hash (XXH3-64), a second one checks
/// that passes may run over its arrays: neither a damaged file nor a forged one leads out of them.
CacheAnswer read_reduction_cache(const std::filesystem::path& path, std::string_view key);

/// The same of the bytes of a file, aligned for 64-bit numbers; `storage` is what keeps them.
CacheAnswer parse_reduction_cache(std::span<const std::byte> bytes, std::string_view key,
                                  std::shared_ptr<const void> storage);

/// Bytes that the file would have.
std::uint64_t reduction_cache_bytes(std::string_view key, const ReducedLogGPS& reduced,
                                    std::string_view about);

/// Writes a cache file, as a whole or not at all, for this user only (mode 0600). False when it
/// cannot be written (a folder that is read-only, a full disk): whoever asked goes on without it.
bool write_reduction_cache(const std::filesystem::path& path, std::string_view key,
                           const ReducedLogGPS& reduced, std::string_view about);

/// Whether `reduced`, which comes from a file, is one that passes may run over: every edge belongs
/// to a node and reads a slot that an earlier node has written, every node writes a slot that there
/// is, wide counts are referred to in their order, no slot is unused, sums stay below kMostCount,
/// and the largest sums are `reduced.longest`. One pass over nodes and edges; 40 bytes a slot, of
/// which there are no more than nodes.
bool is_sound(const ReducedLogGPS& reduced);

}  // namespace slackline
