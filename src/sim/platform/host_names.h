#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/platform/platform.h"

namespace slackline {

/// Hosts that a platform may have: a short text cannot name more than what a machine has.
inline constexpr std::uint64_t kMostHosts = std::uint64_t{1} << 20;

/// A range of consecutive numbers in the names of a cluster's hosts.
struct NumberRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  std::uint32_t count() const { return last - first + 1; }
};

/// Reads ranges as "0-9,12,20-30"; throws usage Error naming `what`.
std::vector<NumberRange> parse_radical(std::string_view text, std::string_view what);

/// The names of hosts, kept as rules where a cluster gives one: prefix, number, suffix.
class HostNames {
 public:
  /// Adds one host, or as many as `numbers` says; their ids follow the last one's. Throws usage
  /// Error when a name is there already.
  void add(std::string name);
  void add(std::string prefix, std::string suffix, std::vector<NumberRange> numbers);

  std::string name(HostId host) const;
  std::optional<HostId> find(std::string_view name) const;
  std::uint32_t count() const { return count_; }

 private:
  struct Rule {
    HostId first;
    std::string prefix;
    std::string suffix;
    std::vector<NumberRange> numbers;  // empty: the prefix is the whole name
  };

  static std::optional<std::uint32_t> index_in(const Rule& rule, std::string_view name);

  std::vector<Rule> rules_;
  std::vector<std::uint32_t> numbered_rules_;
  std::unordered_map<std::string, HostId> single_;
  std::uint32_t count_ = 0;
};

}  // namespace slackline
