#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace slackline {

/// What the ranks of a job say of the injection, each in a file (runtime/inject/counts.c).
struct InjectionCounts {
  int ranks = 0;                    ///< that left a file
  int delayed_ranks = 0;            ///< whose messages go through a delayed transport
  std::uint64_t sent = 0;           ///< messages with a time at which they are due
  std::uint64_t delayed = 0;        ///< messages handed on at that time or later
  std::uint64_t late = 0;           ///< of these, first looked at after it
  std::uint64_t late_ns = 0;        ///< by how much together
  std::uint64_t foreign = 0;        ///< from another host: delayed from their arrival on
  std::uint64_t not_one_sided = 0;  ///< ranks whose one-sided communication goes another way
  std::string obstacle{};           ///< why a rank could not, in words
};

/// Adds up all files of counts in `folder`; none when it is not there. Lines that are not
/// understood are left out.
InjectionCounts read_counts(const std::filesystem::path& folder);

}  // namespace slackline
