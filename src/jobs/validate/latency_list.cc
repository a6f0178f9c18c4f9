#include "jobs/validate/latency_list.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::int64_t kTimesOfRange = 10;

std::int64_t parse_ns(std::string_view text) {
  if (text == "0") return 0;
  return (parse_time_fs(text, "--latencies") + kFemtosPerNano / 2) / kFemtosPerNano;
}

void add(std::string_view item, std::vector<std::int64_t>& latencies) {
  const std::size_t dots = item.find("..");
  if (dots == std::string_view::npos) {
    latencies.push_back(parse_ns(item));
    return;
  }
  const std::int64_t from = parse_ns(item.substr(0, dots));
  const std::int64_t to = parse_ns(item.substr(dots + 2));
  if (to <= from) {
    throw usage_error("cannot use '" + std::string(item) + "' as --latencies",
                      "the range does not ascend", "Example: 0,10us..100us.");
  }
  for (std::int64_t i = 0; i < kTimesOfRange; ++i) {
    latencies.push_back(from + (to - from) * i / (kTimesOfRange - 1));
  }
}

}  // namespace

std::vector<std::int64_t> parse_latencies(std::string_view text) {
  std::vector<std::int64_t> latencies{0};
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    add(text.substr(0, comma), latencies);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  std::ranges::sort(latencies);
  latencies.erase(std::ranges::unique(latencies).begin(), latencies.end());
  return latencies;
}

}  // namespace slackline
