// Platform files, XML or TOML: what is let through can tell routes.

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/findings.h"
#include "fuzz.h"
#include "sim/platform/read_platform.h"

namespace {

using namespace slackline;

void ask_for_routes(const Platform& platform) {
  constexpr std::uint32_t kAsked = 6;
  const std::uint32_t hosts = std::min(platform.host_count(), kAsked);
  std::vector<LinkId> links;
  for (std::uint32_t from = 0; from < hosts; ++from) {
    for (std::uint32_t to = 0; to < hosts; ++to) {
      try {
        platform.route(from, to, links);
      } catch (const Error&) {
        continue;
      }
      for (const LinkId link : links) platform.link_name(link);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Findings findings;
  try {
    const Platform platform = text.starts_with('<') ? parse_platform_xml(text, "fuzz", findings)
                                                    : parse_platform_toml(text, "fuzz", findings);
    ++fuzz::accepted;
    ask_for_routes(platform);
  } catch (const Error&) {
  }
  return 0;
}
