// Numbers eight digits at a time: of a word of text the bytes before the first one that is no digit
// are moved to the word's end, and three multiplications add pairs, fours and eights of them.
// Without a loop there is no branch that depends on how long a number is, which nobody can predict.

#include "trace/goal/usual_lines.h"

#include <bit>
#include <cstring>
#include <string_view>

namespace slackline {
namespace {

static_assert(std::endian::native == std::endian::little, "digits are read as a word");

/// No usual line is longer. (Label, verb, size, rank and tag with 16 digits each.)
constexpr std::ptrdiff_t kLongestLine = 160;
constexpr std::size_t kUsualPrefix = 16;

std::uint64_t load_8(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

template <std::size_t n>
bool begins_with(const char* at, const char (&text)[n]) {
  return std::memcmp(at, text, n - 1) == 0;
}

/// Digits at the beginning of a word, and their value. 0 to 8 of them.
unsigned leading_digits(std::uint64_t word, std::uint64_t& value) {
  const std::uint64_t digits = word ^ 0x3030303030303030u;
  const std::uint64_t others = ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
  const unsigned count = others == 0 ? 8 : static_cast<unsigned>(std::countr_zero(others)) / 8;
  if (count == 0) return 0;
  std::uint64_t v = digits << (8 * (8 - count));
  v = v * 10 + (v >> 8);
  v = ((v & 0x000000ff000000ffu) * (100 + (1000000ull << 32)) +
       ((v >> 16) & 0x000000ff000000ffu) * (1 + (10000ull << 32))) >>
      32;
  value = v;
  return count;
}

constexpr std::uint64_t kPowers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// A number of at most 16 digits; null if there is none.
const char* number(const char* at, std::uint64_t& value) {
  unsigned count = leading_digits(load_8(at), value);
  at += count;
  if (count < 8) return count > 0 ? at : nullptr;
  std::uint64_t rest = 0;
  count = leading_digits(load_8(at), rest);
  if (count == 8) return nullptr;
  if (count > 0) value = value * kPowers[count] + rest;
  return at + count;
}

}  // namespace

const char* GoalUsualLines::take(const char* at, const char* end) {
  while (end - at > kLongestLine) {
    const char* next = line(at);
    if (next == nullptr) break;
    at = next;
  }
  return at;
}

/// The line behind the one at `at`; null, and nothing done, if it is unusual.
const char* GoalUsualLines::line(const char* at) {
  std::uint64_t own = 0;
  at = label(at, own);
  if (at == nullptr) return nullptr;
  if (*at == ':' && at[1] == ' ') return operation(at + 2, own);
  return *at == ' ' ? dependency(at + 1, own) : nullptr;
}

const char* GoalUsualLines::label(const char* at, std::uint64_t& number_of_label) const {
  const std::string_view prefix = labels_.row_prefix();
  if (prefix.size() == 1) {
    if (*at != prefix.front()) return nullptr;
  } else if (prefix.empty() || prefix.size() > kUsualPrefix ||
             std::memcmp(at, prefix.data(), prefix.size()) != 0) {
    return nullptr;
  }
  at += prefix.size();
  if (*at == '0' && at[1] >= '0' && at[1] <= '9') return nullptr;
  return number(at, number_of_label);
}

const char* GoalUsualLines::operation(const char* at, std::uint64_t own) {
  if (!labels_.continues_row(own, rank_.size())) return nullptr;
  if (begins_with(at, "calc ")) {
    std::uint64_t length = 0;
    at = number(at + 5, length);
    if (at == nullptr || *at != '\n') return nullptr;
    rank_.add({.kind = GoalKind::calc, .size = length});
    labels_.continue_row();
    return at + 1;
  }
  if (begins_with(at, "send ")) return transfer(at + 5, GoalKind::send);
  if (begins_with(at, "recv ")) return transfer(at + 5, GoalKind::recv);
  return nullptr;
}

const char* GoalUsualLines::transfer(const char* at, GoalKind kind) {
  std::uint64_t size = 0;
  std::uint64_t peer = 0;
  std::uint64_t tag = 0;
  at = number(at, size);
  if (at == nullptr) return nullptr;
  const bool send = kind == GoalKind::send;
  if (send ? !begins_with(at, "b to ") : !begins_with(at, "b from ")) return nullptr;
  at = number(at + (send ? 5 : 7), peer);
  if (at == nullptr || peer >= rank_count_) return nullptr;
  if (begins_with(at, " tag ")) at = number(at + 5, tag);
  if (at == nullptr || *at != '\n' || tag >= kGoalAny) return nullptr;
  rank_.add({.kind = kind,
             .peer = static_cast<std::uint32_t>(peer),
             .tag = static_cast<std::uint32_t>(tag),
             .size = size});
  labels_.continue_row();
  return at + 1;
}

const char* GoalUsualLines::dependency(const char* at, std::uint64_t dependent) {
  const bool on_start = *at == 'i';
  at += on_start ? 1 : 0;
  if (!begins_with(at, "requires ")) return nullptr;
  std::uint64_t on = 0;
  at = label(at + 9, on);
  if (at == nullptr || *at != '\n') return nullptr;
  const std::uint32_t later = labels_.find_in_row(dependent);
  const std::uint32_t earlier = labels_.find_in_row(on);
  if (later == GoalLabels::kUnknown || earlier == GoalLabels::kUnknown || later == earlier) {
    return nullptr;
  }
  rank_.add_dependency(later, earlier, on_start);
  return at + 1;
}

}  // namespace slackline
