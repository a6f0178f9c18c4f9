#include "formats/goal/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace slackline {

std::uint64_t Cursor::number(std::string_view what, std::uint64_t most) {
  skip_blanks();
  const char* begin = at_;
  std::uint64_t value = 0;
  bool overflow = false;
  for (; at_ < end_ && is_digit(*at_); ++at_) {
    const auto digit = static_cast<std::uint64_t>(*at_ - '0');
    overflow = overflow || value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10;
    value = 10 * value + digit;
  }
  if (at_ == begin) {
    fail(begin, fmt::format("expected {}", what),
         at_end() ? "the file ends here" : "a non-negative decimal integer is required",
         "GOAL has no signs and no fractions.");
  }
  if (overflow || value > most) {
    fail(begin, fmt::format("{} is too large", what), fmt::format("the maximum is {}", most),
         "Check the unit of the file and that it is intact.");
  }
  return value;
}

void Cursor::fail(const char* where, std::string_view problem, std::string_view why,
                  std::string_view what_to_do) const {
  const std::string_view before = whole_.substr(0, static_cast<std::size_t>(where - whole_.data()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_begin = before.rfind('\n');
  const std::size_t column =
      before.size() - (line_begin == std::string_view::npos ? 0 : line_begin + 1) + 1;
  if (what_to_do.empty() && at_end()) what_to_do = "Check that the file is complete.";
  throw Error(fmt::format("{}:{}:{}: {}", name_, line, column, problem), why, what_to_do);
}

void Cursor::skip_comment() {
  const char* begin = at_;
  const char kind = at_ + 1 < end_ ? at_[1] : '\0';
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  if (kind == '/') {
    const std::size_t line_end = rest.find('\n');
    at_ = line_end == std::string_view::npos ? end_ : at_ + line_end;
  } else if (kind == '*') {
    const std::size_t close = rest.find("*/", 2);
    if (close == std::string_view::npos)
      fail(begin, "a comment is not closed", "*/ is missing", {});
    at_ += close + 2;
  } else {
    fail(begin, "unexpected '/'", "comments begin with // or /*", {});
  }
}

}  // namespace slackline
