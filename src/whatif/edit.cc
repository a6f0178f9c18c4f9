#include "whatif/edit.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text_parsing.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::int64_t kMostListedRanks = 1 << 24;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

/// Takes one word off the front of `text`; quotes are removed, blanks inside of them kept.
std::string take_word(std::string_view& text) {
  std::string word;
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size() && (quoted || !is_blank(text[i])); ++i) {
    if (text[i] == '"') {
      quoted = !quoted;
    } else {
      word += text[i];
    }
  }
  if (quoted)
    throw usage_error(fmt::format("cannot read '{}'", text), "the closing quote is missing");
  text.remove_prefix(i);
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return word;
}

/// "4" or "0-7", appended; false where it is neither.
bool append_ranks(std::string_view item, std::vector<std::int32_t>& ranks) {
  const std::size_t dash = item.find('-');
  const auto first = number_in<std::int32_t>(item.substr(0, dash));
  const auto last =
      dash == std::string_view::npos ? first : number_in<std::int32_t>(item.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first || *last - *first > kMostListedRanks) {
    return false;
  }
  for (std::int64_t rank = *first; rank <= *last; ++rank) {
    ranks.push_back(static_cast<std::int32_t>(rank));
  }
  return std::ssize(ranks) <= kMostListedRanks;
}

}  // namespace

const std::string* Edit::find(std::string_view key) const {
  const auto found = arguments.find(key);
  return found == arguments.end() ? nullptr : &found->second;
}

const std::string& Edit::required(std::string_view key) const {
  const std::string* value = find(key);
  if (value != nullptr) return *value;
  throw usage_error(fmt::format("cannot apply '{}'", to_string(*this)),
                    fmt::format("{} is missing", key), fmt::format("Add {}=VALUE.", key));
}

void refuse(const Edit& edit, std::string_view key, std::string_view reason,
            std::string_view what_to_do) {
  const std::string* value = edit.find(key);
  throw usage_error(
      fmt::format("cannot use {}={} in '{}'", key, value == nullptr ? "" : *value, edit.action),
      reason, what_to_do);
}

std::optional<double> Edit::factor(std::string_view key) const {
  const std::string* text = find(key);
  if (text == nullptr) return std::nullopt;
  std::string_view digits = *text;
  const bool percent = digits.ends_with('%');
  if (percent) digits.remove_suffix(1);
  const std::optional<double> value = number_in<double>(digits);
  if (!value || !std::isfinite(*value) || *value < 0) {
    refuse(*this, key, "it is not a non-negative factor", "Examples: 0.5 or 50%.");
  }
  return percent ? *value / 100 : *value;
}

std::optional<std::int64_t> Edit::time_ns(std::string_view key) const {
  const std::string* text = find(key);
  if (text == nullptr) return std::nullopt;
  const bool negative = text->starts_with('-');
  const std::int64_t fs = parse_time_fs(std::string_view(*text).substr(negative ? 1 : 0), key);
  const std::int64_t ns = (fs + kFemtosPerNano / 2) / kFemtosPerNano;
  return negative ? -ns : ns;
}

std::optional<std::uint64_t> Edit::bytes(std::string_view key) const {
  const std::string* text = find(key);
  if (text == nullptr) return std::nullopt;
  return parse_bytes(*text, key);
}

std::optional<std::int64_t> Edit::integer(std::string_view key) const {
  const std::string* text = find(key);
  if (text == nullptr) return std::nullopt;
  const std::optional<std::int64_t> value = number_in<std::int64_t>(*text);
  if (!value) refuse(*this, key, "it is not an integer");
  return value;
}

Noise Edit::noise(std::string_view amplitude) const {
  const std::int64_t seed = integer("seed").value_or(1);
  if (seed < 0) refuse(*this, "seed", "it is negative", "Example: 2.");
  Noise noise{.seed = static_cast<std::uint64_t>(seed)};
  const std::string* shape = find("distribution");
  noise.exponential = shape != nullptr && *shape == "exponential";
  if (shape != nullptr && !noise.exponential && *shape != "uniform") {
    refuse(*this, "distribution", "no such distribution", "Choose uniform or exponential.");
  }
  const std::string* text = find(amplitude);
  if (text == nullptr) return noise;
  const bool is_time = text->ends_with('s');
  (is_time ? noise.time : noise.share) =
      is_time ? static_cast<double>(*time_ns(amplitude)) : *factor(amplitude);
  if (noise.time < 0) refuse(*this, amplitude, "it is negative");
  return noise;
}

std::optional<std::vector<std::int32_t>> Edit::ranks(std::string_view key) const {
  const std::string* text = find(key);
  if (text == nullptr) return std::nullopt;
  std::vector<std::int32_t> ranks;
  std::string_view rest = *text;
  while (true) {
    const std::size_t comma = rest.find(',');
    if (!append_ranks(rest.substr(0, comma), ranks)) {
      refuse(*this, key, "it is not a list of ranks", "Examples: 0,4 or 0-7.");
    }
    if (comma == std::string_view::npos) return ranks;
    rest.remove_prefix(comma + 1);
  }
}

Edit parse_edit(std::string_view text, std::string_view example) {
  const std::string_view whole = text;
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  Edit edit{take_word(text)};
  if (edit.action.empty()) throw usage_error("cannot read an edit", "it is empty");
  while (!text.empty()) {
    const std::string word = take_word(text);
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw usage_error(fmt::format("cannot read '{}'", whole),
                        fmt::format("'{}' is not key=value", word),
                        fmt::format("Example: '{}'.", example));
    }
    const auto [at, added] =
        edit.arguments.try_emplace(word.substr(0, equals), word.substr(equals + 1));
    if (!added) {
      throw usage_error(fmt::format("cannot read '{}'", whole),
                        fmt::format("{} is given twice", at->first));
    }
  }
  return edit;
}

std::string to_string(const Edit& edit) {
  std::string text = edit.action;
  for (const auto& [key, value] : edit.arguments) {
    const bool quoted = value.empty() || value.find_first_of(" \t\n") != std::string::npos;
    text += quoted ? fmt::format(" {}=\"{}\"", key, value) : fmt::format(" {}={}", key, value);
  }
  return text;
}

}  // namespace slackline
