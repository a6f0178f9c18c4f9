#include "base/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace slackline {

std::string enumeration(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

std::string named_ranks(const std::vector<std::int32_t>& ranks) {
  if (ranks.empty()) return "";
  std::vector<std::string> numbers;
  for (const std::int32_t rank : ranks) numbers.push_back(std::to_string(rank));
  return (ranks.size() == 1 ? "rank " : "ranks ") + enumeration(numbers);
}

std::string percent_of_ppm(std::int64_t ppm) {
  constexpr double kPpmPerPercent = 1e4;
  return fmt::format("{:g} %", static_cast<double>(ppm) / kPpmPerPercent);
}

namespace {

constexpr std::size_t kNames = 5;
/// What is longer is a signature, of which its begin tells enough.
constexpr std::size_t kLetters = 200;

constexpr std::size_t kLeastBeginning = 3;  // letters that are taken for the beginning of a name

/// Levenshtein's, row by row.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t before = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = before + (a[i] == b[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, before + 1});
    }
  }
  return row.back();
}

/// Each name once, nearest first, with its distance.
std::vector<std::pair<std::size_t, std::string>> ranked_names(std::string_view wanted,
                                                              std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  std::erase(names, std::string());
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (std::string& name : names) {
    const std::string_view begin = std::string_view(name).substr(0, kLetters);
    ranked.emplace_back(distance(wanted.substr(0, kLetters), begin), std::move(name));
  }
  std::ranges::sort(ranked);
  return ranked;
}

}  // namespace

std::string nearest_names(std::string_view wanted, std::vector<std::string> names) {
  const auto ranked = ranked_names(wanted, std::move(names));
  std::string list;
  for (std::size_t i = 0; i < std::min(kNames, ranked.size()); ++i) {
    list += (i == 0 ? "" : ", ") + ranked[i].second;
  }
  return list;
}

std::vector<std::string> likely_names(std::string_view wanted, std::vector<std::string> names) {
  const std::size_t most = std::max<std::size_t>(2, wanted.size() / 3);
  std::vector<std::string> likely;
  std::optional<std::size_t> least;
  for (auto& [changes, name] : ranked_names(wanted, std::move(names))) {
    const bool begins = wanted.size() >= kLeastBeginning && name.starts_with(wanted);
    if (begins) {
      likely.insert(likely.begin(), std::move(name));
    } else if (changes <= std::min(most, least.value_or(most) + 1)) {
      if (!least) least = changes;
      likely.push_back(std::move(name));
    }
  }
  if (likely.size() > kNames) likely.resize(kNames);
  return likely;
}

}  // namespace slackline
