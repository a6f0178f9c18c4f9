#include "sim/platform/host_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text_parsing.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::uint32_t kLargestNumber = 0x7FFFFFFF;

std::optional<std::uint32_t> whole_number(std::string_view text) {
  const auto value = number_in<std::uint32_t>(text);
  return value && *value <= kLargestNumber ? value : std::nullopt;
}

Error taken(std::string_view name) {
  return usage_error(fmt::format("cannot add a host '{}'", name), "the name is already used",
                     "Give it another name.");
}

std::uint32_t sum_of(const std::vector<NumberRange>& numbers) {
  std::uint32_t sum = 0;
  for (const NumberRange& range : numbers) sum += range.count();
  return sum;
}

bool overlap(const std::vector<NumberRange>& a, const std::vector<NumberRange>& b) {
  for (const NumberRange& x : a) {
    for (const NumberRange& y : b) {
      if (x.first <= y.last && y.first <= x.last) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<NumberRange> parse_radical(std::string_view text, std::string_view what) {
  std::vector<NumberRange> ranges;
  std::uint64_t total = 0;
  for (std::string_view rest = text; !rest.empty() || ranges.empty();) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const std::size_t dash = part.find('-');
    const auto first = whole_number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : whole_number(part.substr(dash + 1));
    if (!first || !last || *last < *first) {
      throw usage_error(fmt::format("cannot use '{}' as {}", text, what),
                        fmt::format("'{}' is not a range of numbers", part),
                        "Example: 0-9,12,20-30.");
    }
    ranges.push_back({*first, *last});
    total += ranges.back().count();
    if (part.size() + 1 >= rest.size()) break;
    rest.remove_prefix(part.size() + 1);
  }
  if (total > kMostHosts) {
    throw usage_error(fmt::format("cannot use '{}' as {}", text, what),
                      fmt::format("a platform has at most {} hosts", format_count(kMostHosts)),
                      "Reduce the range.");
  }
  return ranges;
}

void HostNames::add(std::string name) {
  if (find(name)) throw taken(name);
  single_.emplace(name, count_);
  rules_.push_back({count_, std::move(name), {}, {}});
  ++count_;
}

void HostNames::add(std::string prefix, std::string suffix, std::vector<NumberRange> numbers) {
  Rule rule{count_, std::move(prefix), std::move(suffix), std::move(numbers)};
  for (const std::uint32_t other : numbered_rules_) {
    const Rule& known = rules_[other];
    if (known.prefix == rule.prefix && known.suffix == rule.suffix &&
        overlap(known.numbers, rule.numbers)) {
      throw taken(fmt::format("{}{}{}", rule.prefix, rule.numbers.front().first, rule.suffix));
    }
  }
  for (const auto& [name, id] : single_) {
    if (index_in(rule, name)) throw taken(name);
  }
  count_ += sum_of(rule.numbers);
  numbered_rules_.push_back(static_cast<std::uint32_t>(rules_.size()));
  rules_.push_back(std::move(rule));
}

std::string HostNames::name(HostId host) const {
  const auto after = std::upper_bound(rules_.begin(), rules_.end(), host,
                                      [](HostId id, const Rule& rule) { return id < rule.first; });
  const Rule& rule = *std::prev(after);
  std::uint32_t index = host - rule.first;
  for (const NumberRange& range : rule.numbers) {
    if (index < range.count())
      return fmt::format("{}{}{}", rule.prefix, range.first + index, rule.suffix);
    index -= range.count();
  }
  return rule.prefix;
}

std::optional<HostId> HostNames::find(std::string_view name) const {
  if (const auto found = single_.find(std::string(name)); found != single_.end()) {
    return found->second;
  }
  for (const std::uint32_t numbered : numbered_rules_) {
    const Rule& rule = rules_[numbered];
    if (const auto index = index_in(rule, name)) return rule.first + *index;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> HostNames::index_in(const Rule& rule, std::string_view name) {
  if (name.size() <= rule.prefix.size() + rule.suffix.size() || !name.starts_with(rule.prefix) ||
      !name.ends_with(rule.suffix)) {
    return std::nullopt;
  }
  name.remove_prefix(rule.prefix.size());
  name.remove_suffix(rule.suffix.size());
  const auto number = whole_number(name);
  if (!number || (name.front() == '0' && name.size() > 1)) return std::nullopt;
  std::uint32_t before = 0;
  for (const NumberRange& range : rule.numbers) {
    if (*number >= range.first && *number <= range.last) return before + *number - range.first;
    before += range.count();
  }
  return std::nullopt;
}

}  // namespace slackline
