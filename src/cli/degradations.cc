#include "cli/degradations.h"

#include <algorithm>

#include "base/units.h"

namespace slackline {

void add_degradations(CommandParser& parser, std::vector<std::string>& degradations) {
  parser.add_option("--degrade", degradations, "How much slower the run may become, as 1%,2%,5%")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)  // or it would swallow the trace that follows
      ->default_str("1%,2%,5%");
}

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

Json degradations_to_json(const std::vector<std::int64_t>& ppm) {
  Json json = Json::array();
  for (const std::int64_t p : ppm) json.push_back(static_cast<double>(p) / 1e6);
  return json;
}

}  // namespace slackline
