#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace slackline::ti {

/// Numbers are read as SimGrid does: as floating point, truncated where an integer is meant, so
/// that 5e4 is a count. Nothing when the word is no number, or its integer has more than 64 bits.
std::optional<double> parse_number(std::string_view word);
std::optional<std::int64_t> parse_integer(std::string_view word);

/// The first word of a line; empty when there is none.
std::string_view first_word(std::string_view line);

/// The words of one line: rank, action, arguments.
class Fields {
 public:
  /// Takes the first line off `text` and cuts it at blanks and tabs.
  void take_line(std::string_view& text);

  std::size_t size() const { return words_.size(); }
  /// The first word; empty when there is none.
  std::string_view first() const { return words_.empty() ? std::string_view{} : word(0); }
  std::string_view word(std::size_t i) const { return {words_[i].begin, words_[i].size}; }
  /// Throws BadField when there is no number at `i`.
  double number(std::size_t i) const {
    return has_digits(i) ? static_cast<double>(words_[i].digits) : other_number(i);
  }
  std::int64_t integer(std::size_t i) const {
    return has_digits(i) ? words_[i].digits : other_integer(i);
  }
  std::int64_t integer(std::size_t i, std::int64_t missing) const {
    return i < words_.size() ? integer(i) : missing;
  }

 private:
  static constexpr std::int64_t kNoDigits = -1;
  struct Word {
    const char* begin;
    std::size_t size;
    std::int64_t digits;  ///< the number, when the word is digits alone, and few
  };

  bool has_digits(std::size_t i) const {
    return i < words_.size() && words_[i].digits != kNoDigits;
  }
  double other_number(std::size_t i) const;
  std::int64_t other_integer(std::size_t i) const;
  template <class Peek>
  const char* cut(const char* at, Peek peek);

  std::vector<Word> words_;
};

/// A field that is missing or no number; what is wrong with it.
struct BadField {
  std::size_t index;
};

/// Bytes of one element of the datatype that SimGrid numbers so; 0 for null and unknown ones.
/// Source: SimGrid's src/smpi/mpi/smpi_datatype.cpp, on a 64-bit Linux.
std::uint32_t datatype_bytes(std::int64_t id);

inline constexpr std::int64_t kDouble = 0;
inline constexpr std::int64_t kByte = 6;

/// Numbers that SMPI writes in place of a rank or tag (its smpi.h). Older versions wrote the second
/// one for MPI_ANY_SOURCE.
inline constexpr std::int64_t kAnySource = -555;
inline constexpr std::int64_t kFormerAnySource = -333;
inline constexpr std::int64_t kNoRank = -666;  ///< MPI_PROC_NULL
inline constexpr std::int64_t kAnyTag = -444;

}  // namespace slackline::ti
