#include "base/sentences.h"

#include <fmt/format.h>

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

}  // namespace slackline
