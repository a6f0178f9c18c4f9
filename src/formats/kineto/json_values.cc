#include "formats/kineto/json_values.h"

#include <array>
#include <utility>

#include "base/file.h"

namespace slackline {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kScalarEnds = ",]} \t\r\n";

// What a character outside of strings does to the depth of brackets.
enum class Mark : char { none, open, close, quote };

constexpr std::array<Mark, 256> kMarks = [] {
  std::array<Mark, 256> marks{};
  marks['{'] = marks['['] = Mark::open;
  marks['}'] = marks[']'] = Mark::close;
  marks['"'] = Mark::quote;
  return marks;
}();

}  // namespace

bool JsonValues::more() {
  window_.erase(0, at_);
  at_ = 0;
  const bool any = source_->append_to(window_);
  if (any && !std::exchange(begun_, true)) {
    at_ = window_.size() - without_byte_order_mark(window_).size();
  }
  window_.reserve(window_.size() + kPadding);
  return any;
}

char JsonValues::peek() {
  while (true) {
    at_ = window_.find_first_not_of(kSpace, at_);
    if (at_ != std::string::npos) return window_[at_];
    at_ = window_.size();
    if (!more()) return '\0';
  }
}

bool JsonValues::take(char c) {
  if (peek() != c || at_ == window_.size()) return false;
  ++at_;
  return true;
}

// Offsets below are relative to at_, which more() moves to the front of the window.

std::optional<std::size_t> JsonValues::end_of_string(std::size_t at) {
  for (++at;; ++at) {
    const std::size_t found = window_.find_first_of("\"\\", at_ + at);
    if (found == std::string::npos) {
      at = window_.size() - at_ - 1;
      if (!more()) return std::nullopt;
      continue;
    }
    at = found - at_;
    if (window_[found] == '"') return at + 1;
    ++at;  // the escaped character, which may not have been read yet
    while (at_ + at >= window_.size()) {
      if (!more()) return std::nullopt;
    }
  }
}

std::optional<std::size_t> JsonValues::end_of_brackets(std::size_t at) {
  std::size_t depth = 0;
  while (true) {
    if (at_ + at >= window_.size()) {
      if (!more()) return std::nullopt;
      continue;
    }
    const Mark mark = kMarks[static_cast<unsigned char>(window_[at_ + at])];
    if (mark == Mark::quote) {
      const auto end = end_of_string(at);
      if (!end) return std::nullopt;
      at = *end;
      continue;
    }
    ++at;
    if (mark == Mark::open) ++depth;
    if (mark == Mark::close && --depth == 0) return at;
  }
}

std::size_t JsonValues::end_of_scalar(std::size_t at) {
  while (true) {
    const std::size_t found = window_.find_first_of(kScalarEnds, at_ + at);
    if (found != std::string::npos) return found - at_;
    at = window_.size() - at_;
    if (!more()) return at;
  }
}

std::optional<std::string_view> JsonValues::value() {
  const char first = peek();
  if (at_ == window_.size()) return std::nullopt;
  std::optional<std::size_t> end;
  if (first == '"') {
    end = end_of_string(0);
  } else if (first == '{' || first == '[') {
    end = end_of_brackets(0);
  } else {
    end = end_of_scalar(0);
    if (*end == 0) end.reset();
  }
  if (!end) return std::nullopt;
  const std::string_view text(window_.data() + at_, *end);
  at_ += *end;
  return text;
}

}  // namespace slackline
