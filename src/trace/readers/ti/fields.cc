#include "trace/readers/ti/fields.h"

#include <charconv>
#include <cmath>

namespace slackline::ti {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr double kLargest = 9e18;

}  // namespace

void Fields::cut(std::string_view line) {
  words_.clear();
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = line.find_first_of(kBlanks, at);
    words_.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlanks, end);
  }
}

double Fields::number(std::size_t i) const {
  if (i >= words_.size()) throw BadField{i};
  const std::string_view text = words_[i];
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw BadField{i};
  }
  return value;
}

std::int64_t Fields::integer(std::size_t i) const {
  const double value = number(i);
  if (std::abs(value) > kLargest) throw BadField{i};
  return static_cast<std::int64_t>(value);
}

std::int64_t Fields::integer(std::size_t i, std::int64_t missing) const {
  return i < words_.size() ? integer(i) : missing;
}

}  // namespace slackline::ti
