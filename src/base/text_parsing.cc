#include "base/text_parsing.h"

#include <charconv>

namespace slackline {

std::optional<NumberedName> numbered_name(const std::string& name) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t last = name.find_last_of(kDigits);
  if (last == std::string::npos) return std::nullopt;
  const std::size_t before = name.find_last_not_of(kDigits, last);
  const std::size_t first = before == std::string::npos ? 0 : before + 1;
  NumberedName result{name.substr(0, first), name.substr(last + 1), 0};
  const auto [end, error] =
      std::from_chars(name.data() + first, name.data() + last + 1, result.number);
  if (error != std::errc{} || result.number >= kNumberedNamesEnd) return std::nullopt;
  return result;
}

}  // namespace slackline
