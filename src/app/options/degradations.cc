#include "app/options/degradations.h"

#include <algorithm>

#include "base/units.h"

namespace slackline {

std::vector<std::int64_t> parse_degradations(const std::vector<std::string>& texts) {
  if (texts.empty()) return {10'000, 20'000, 50'000};
  std::vector<std::int64_t> ppm;
  for (const std::string& text : texts) {
    ppm.push_back(parse_degradation_ppm(text, "degradation (--degrade)"));
  }
  std::ranges::sort(ppm);
  ppm.erase(std::ranges::unique(ppm).begin(), ppm.end());
  return ppm;
}

std::vector<double> ratios_of(const std::vector<std::int64_t>& ppm) {
  std::vector<double> ratios;
  for (const std::int64_t p : ppm) ratios.push_back(static_cast<double>(p) / 1e6);
  return ratios;
}

}  // namespace slackline
