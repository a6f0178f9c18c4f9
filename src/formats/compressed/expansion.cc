#include "formats/compressed/expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/error.h"
#include "base/text_parsing.h"

namespace slackline {
namespace {

constexpr std::uint64_t kUsualRatio = 64;  // as in the native format
constexpr std::uint64_t kAlways = std::uint64_t{64} << 20;

std::uint64_t largest_ratio() {
  const char* const asked = std::getenv("SLACKLINE_MAX_EXPANSION");
  if (asked == nullptr || *asked == '\0') return kUsualRatio;
  const std::uint64_t ratio = number_in<std::uint64_t>(asked).value_or(0);
  if (ratio > 0) return ratio;
  throw usage_error(fmt::format("cannot use SLACKLINE_MAX_EXPANSION={}", asked),
                    "it is not a positive integer", "Example: SLACKLINE_MAX_EXPANSION=1000.");
}

}  // namespace

std::uint64_t most_content(std::uint64_t stored) {
  const std::uint64_t ratio = largest_ratio();
  const bool fits = stored <= std::numeric_limits<std::uint64_t>::max() / ratio;
  return std::max(kAlways, fits ? ratio * stored : std::numeric_limits<std::uint64_t>::max());
}

void check_expansion(std::uint64_t content, std::uint64_t stored, std::string_view name) {
  if (content <= most_content(stored)) return;
  throw Error(fmt::format("cannot read '{}'", name),
              fmt::format("its content is more than {} times as large as the file of {} bytes",
                          largest_ratio(), stored),
              "If you trust the file, set SLACKLINE_MAX_EXPANSION to a larger number.");
}

}  // namespace slackline
