// What such a line costs is mostly numbers, so:
//
// Labels resemble the one that stood at the same place of the line before: as a rule all digits but
// the last two are the same. If so, one comparison of eight bytes says where the number ends and
// what it is, up to two digits. Tags are mostly the same as before altogether.
//
// Other numbers are read eight digits at a time: of a word of text the bytes before the first one
// that is no digit are moved to the word's end, and three multiplications add pairs, fours and
// eights of them. Without a loop there is no branch that depends on how long a number is, which
// nobody can predict.
//
// And a line begins where the one before has ended, which would be known only when all its numbers
// have been read, one after the other. So the end of a line with such numbers is looked for first,
// 32 bytes at a time, and the next line is begun with that; that its parts end there, too, is
// merely checked, which the processor expects and does not wait for.

#include "formats/goal/usual_lines.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

/// The beginning of the line after the one at `at`; null if that is not within reach. Reads 32
/// bytes.
const char* next_line(const char* at) {
#ifdef __SSE2__
  const __m128i newline = _mm_set1_epi8('\n');
  const auto newlines = [&](const char* from) {
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(text, newline)));
  };
  const unsigned found = newlines(at) | newlines(at + 16) << 16;
  return found == 0 ? nullptr : at + std::countr_zero(found) + 1;
#else
  const void* found = std::memchr(at, '\n', 32);
  return found == nullptr ? nullptr : static_cast<const char*>(found) + 1;
#endif
}

constexpr std::uint64_t kPowers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// What is behind the first eight digits of a number of at most 16; null if it has more.
const char* more_digits(const char* at, std::uint64_t& value) {
  std::uint64_t rest = 0;
  const unsigned count = leading_digits(load_8(at), rest);
  if (count == 8) return nullptr;
  if (count > 0) value = value * kPowers[count] + rest;
  return at + count;
}

/// A number of at most 16 digits; null if there is none.
inline const char* number(const char* at, std::uint64_t& value) {
  const unsigned count = leading_digits(load_8(at), value);
  at += count;
  if (count == 8) [[unlikely]]
    return more_digits(at, value);
  return count > 0 ? at : nullptr;
}

/// Only numbers of this many digits are remembered: with what is behind them they fit in a word.
constexpr unsigned kMostRemembered = 7;

}  // namespace

/// A number like the last one at this place of a line: the same but for two digits, with the same
/// character behind. Moves `at` behind that.
[[gnu::always_inline]] inline bool GoalUsualLines::LastLabel::resembles(const char*& at,
                                                                        std::uint64_t& value) {
  const std::uint64_t word = load_8(at);
  const std::uint64_t digits = (word >> shift & 0xffff) ^ 0x3030;
  const bool two_digits = (((digits + 0x7676) | digits) & 0x8080) == 0;
  if ((word & mask) != text || !two_digits) return false;
  value = base + 10 * (digits & 0xff) + (digits >> 8);
  at += length;
  return true;
}

/// `at`: a number of that many digits that begins with no zero.
void GoalUsualLines::LastLabel::remember(const char* at, unsigned digits, std::uint64_t value) {
  if (digits < 3 || digits > kMostRemembered) return;
  length = digits + 1;
  shift = 8 * (digits - 2);
  mask = ~std::uint64_t{0} >> (8 * (kMostRemembered - digits)) & ~(std::uint64_t{0xffff} << shift);
  text = load_8(at) & mask;
  base = value - value % 100;
}

/// A label's number that stands there and `behind` it, when it resembles no other.
const char* GoalUsualLines::new_label(const char* at, LastLabel& last, char behind,
                                      std::uint64_t& value) {
  const char* end = number(at, value);
  if (end == nullptr || *end != behind || (*at == '0' && end != at + 1)) return nullptr;
  last.remember(at, static_cast<unsigned>(end - at), value);
  return end + 1;
}

/// " tag T" and the end of the line, or the end alone.
[[gnu::always_inline]] inline const char* GoalUsualLines::tag(const char* at,
                                                              std::uint64_t& value) {
  if (!begins_with(at, " tag ")) return *at == '\n' ? at + 1 : nullptr;
  at += 5;
  const std::uint64_t word = load_8(at);
  if ((word & tag_.mask) == tag_.text) {
    value = tag_.value;
    return at + tag_.length;
  }
  const char* end = number(at, value);
  if (end == nullptr || *end != '\n' || value >= kGoalAny) return nullptr;
  const auto digits = static_cast<unsigned>(end - at);
  if (digits <= kMostRemembered) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (8 * (kMostRemembered - digits));
    tag_ = {.text = word & mask, .mask = mask, .value = value, .length = digits + 1};
  }
  return end + 1;
}

/// SIZEb to|from RANK, a tag, and the end of the line.
template <GoalKind kind>
[[gnu::always_inline]] inline const char* GoalUsualLines::transfer(const char* at) {
  constexpr bool kSend = kind == GoalKind::send;
  std::uint64_t size = 0;
  std::uint64_t peer = 0;
  std::uint64_t tag_value = 0;
  at = number(at, size);
  if (at == nullptr) return nullptr;
  if (kSend ? !begins_with(at, "b to ") : !begins_with(at, "b from ")) return nullptr;
  at = number(at + (kSend ? 5 : 7), peer);
  if (at == nullptr || peer >= rank_count_) return nullptr;
  at = tag(at, tag_value);
  if (at == nullptr) return nullptr;
  rank_.add({.kind = kind,
             .peer = static_cast<std::uint32_t>(peer),
             .tag = static_cast<std::uint32_t>(tag_value),
             .size = size});
  return at;
}

/// What stands behind the label. Everything up to the end of the line.
[[gnu::always_inline]] inline const char* GoalUsualLines::operation(const char* at) {
  const char* next = nullptr;
  const char* expected = next_line(at);
  if (begins_with(at, "send ")) {
    next = transfer<GoalKind::send>(at + 5);
  } else if (begins_with(at, "recv ")) {
    next = transfer<GoalKind::recv>(at + 5);
  } else if (begins_with(at, "calc ")) {
    std::uint64_t length = 0;
    const char* end = number(at + 5, length);
    if (end == nullptr || *end != '\n') return nullptr;
    rank_.add({.kind = GoalKind::calc, .size = length});
    next = end + 1;
  }
  if (next == nullptr) return nullptr;
  labels_.continue_row();
  if (next != expected) return next;
  // The compiler must not know that they are equal and take the one that is known later.
  asm("" : "+r"(expected));
  return expected;
}

/// "requires" and a label.
[[gnu::always_inline]] inline const char* GoalUsualLines::dependency(const char* at,
                                                                     std::uint64_t dependent) {
  const bool on_start = *at == 'i';
  at += on_start ? 1 : 0;
  if (!begins_with(at, "requires ")) return nullptr;
  at += 9;
  if (!prefix_stands(at)) return nullptr;
  at += prefix_.size();
  std::uint64_t on = 0;
  if (!required_.resembles(at, on)) [[unlikely]] {
    at = new_label(at, required_, '\n', on);
    if (at == nullptr) return nullptr;
  }
  const std::uint32_t later = labels_.find_in_row(dependent);
  const std::uint32_t earlier = labels_.find_in_row(on);
  if (later == GoalLabels::kUnknown || earlier == GoalLabels::kUnknown || later == earlier) {
    return nullptr;
  }
  rank_.add_dependency(later, earlier, on_start);
  return at;
}

[[gnu::always_inline]] inline bool GoalUsualLines::prefix_stands(const char* at) const {
  return *at == prefix_.front() &&
         (prefix_.size() == 1 || std::memcmp(at, prefix_.data(), prefix_.size()) == 0);
}

/// The line behind the one at `at`; null, and nothing done, if it is unusual.
[[gnu::always_inline]] inline const char* GoalUsualLines::line(const char* at) {
  if (!prefix_stands(at)) return nullptr;
  at += prefix_.size();
  std::uint64_t label = 0;
  bool defines = defined_.resembles(at, label);
  if (!defines && !dependent_.resembles(at, label)) [[unlikely]] {
    std::uint64_t ignored = 0;
    const char* end = number(at, ignored);
    if (end == nullptr) return nullptr;
    defines = *end == ':';
    at = defines ? new_label(at, defined_, ':', label) : new_label(at, dependent_, ' ', label);
    if (at == nullptr) return nullptr;
  }
  if (!defines) return dependency(at, label);
  if (*at != ' ' || !labels_.continues_row(label, rank_.size())) return nullptr;
  return operation(at + 1);
}

const char* GoalUsualLines::take(const char* at, const char* end) {
  prefix_ = labels_.row_prefix();
  if (prefix_.empty() || prefix_.size() > kUsualPrefix) return at;
  while (end - at > kLongestLine) {
    const char* next = line(at);
    if (next == nullptr) break;
    at = next;
  }
  return at;
}

}  // namespace slackline
