#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/noise.h"

namespace slackline {

/// One change of a program: an action and its arguments by name, as in a scenario file or on the
/// command line ("scale region=solve factor=0.5").
struct Edit {
  std::string action;
  std::map<std::string, std::string, std::less<>> arguments{};

  bool has(std::string_view key) const { return arguments.contains(key); }
  /// Null when it was not given.
  const std::string* find(std::string_view key) const;
  /// Throws usage Error when it was not given.
  const std::string& required(std::string_view key) const;

  // Values by kind; each throws usage Error for what it cannot read.
  std::optional<double> factor(std::string_view key) const;  ///< "0.5" or "50%", not negative
  std::optional<std::int64_t> time_ns(std::string_view key) const;  ///< "3us", may be negative
  std::optional<std::uint64_t> bytes(std::string_view key) const;   ///< "64KiB" or "100"
  std::optional<std::int64_t> integer(std::string_view key) const;
  /// Noise of that amplitude, a factor or a time in ns (none: no noise), with `distribution` and
  /// `seed`.
  Noise noise(std::string_view amplitude) const;
  /// "3", "0,4" or "0-7,12".
  std::optional<std::vector<std::int32_t>> ranks(std::string_view key) const;
};

/// "action key=value ...". A value with blanks stands in double quotes. Throws usage Error,
/// which may name an example.
Edit parse_edit(std::string_view text, std::string_view example = "balance region=solve");
/// The same text again, arguments by name.
std::string to_string(const Edit& edit);

/// The Error for an argument of `edit` that cannot be used.
[[noreturn]] void refuse(const Edit& edit, std::string_view key, std::string_view reason,
                         std::string_view what_to_do = {});

}  // namespace slackline
