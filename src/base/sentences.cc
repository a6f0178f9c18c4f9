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

std::string percent_of_ppm(std::int64_t ppm) {
  constexpr double kPpmPerPercent = 1e4;
  return fmt::format("{:g} %", static_cast<double>(ppm) / kPpmPerPercent);
}

}  // namespace slackline
