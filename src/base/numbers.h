#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

namespace slackline {

/// The number at the front of `text`, which is taken off it; none where it begins with none or with
/// one that does not fit. A sign is '-' only; a double may be "inf" or "nan", as std::from_chars
/// has it.
template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// The number that all of `text` is; none where there is anything else.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  const std::optional<Number> value = take_number<Number>(text);
  return text.empty() ? value : std::nullopt;
}

}  // namespace slackline
