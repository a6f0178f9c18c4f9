#include "sim/network/piecewise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/text_parsing.h"

namespace slackline {
namespace {

constexpr std::size_t kMostNumbers = 3;

double number(std::string_view text, std::string_view whole, std::string_view what) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const auto value = number_in<double>(text);
  if (value && *value >= 0 && std::isfinite(*value)) return *value;
  throw usage_error("cannot read " + std::string(what) + " '" + std::string(whole) + "'",
                    "'" + std::string(text) + "' is not a non-negative number",
                    "Example: 0:1e-6:2e-10;65536:3e-6:0.");
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Piecewise::Piecewise(std::string_view text, std::string_view what) {
  if (text.find(':') == std::string_view::npos) {
    segments_.push_back({-std::numeric_limits<double>::infinity(), number(text, text, what), 0});
    return;
  }
  for (const std::string_view item : split(text, ';')) {
    if (item.empty()) continue;
    const auto numbers = split(item, ':');
    if (numbers.size() < 2 || numbers.size() > kMostNumbers) {
      throw usage_error("cannot read " + std::string(what) + " '" + std::string(text) + "'",
                        "'" + std::string(item) + "' is not threshold:value[:slope]",
                        "Example: 0:1e-6:2e-10;65536:3e-6:0.");
    }
    segments_.push_back({number(numbers[0], text, what), number(numbers[1], text, what),
                         numbers.size() == kMostNumbers ? number(numbers[2], text, what) : 0});
  }
  std::ranges::sort(segments_, {}, &Segment::above);
}

const Piecewise::Segment* Piecewise::segment(double x) const {
  const auto after = std::ranges::lower_bound(segments_, x, {}, &Segment::above);
  return after == segments_.begin() ? nullptr : &*(after - 1);
}

double Piecewise::factor(double x) const {
  const Segment* s = segment(x);
  return s == nullptr ? 1 : s->constant;
}

double Piecewise::least_factor() const {
  const auto least = std::ranges::min_element(segments_, {}, &Segment::constant);
  return least == segments_.end() ? 1 : least->constant;
}

double Piecewise::seconds(double x) const {
  const Segment* s = segment(x);
  return s == nullptr ? 0 : s->constant + s->slope * x;
}

}  // namespace slackline
