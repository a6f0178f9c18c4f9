#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace slackline {

/// A file's name around its last number, as recorders name the files of the ranks of one run: the
/// number of "run-0003.bin" is 3.
struct NumberedName {
  std::string before;
  std::string after;
  std::size_t number = 0;

  /// Is it of the same run?
  bool like(const NumberedName& other) const {
    return before == other.before && after == other.after;
  }
};

/// Numbers from there on are none: no job has so many ranks.
inline constexpr std::size_t kNumberedNamesEnd = std::size_t{1} << 20;

/// None if the name has no number, or if it is too large.
std::optional<NumberedName> numbered_name(const std::string& name);

}  // namespace slackline
