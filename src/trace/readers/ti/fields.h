#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace slackline::ti {

/// The words of one line: rank, action, arguments. Numbers are read as SimGrid does: as floating
/// point, truncated where an integer is meant, so that 5e4 is a count.
class Fields {
 public:
  /// Cuts `line` at blanks and tabs.
  void cut(std::string_view line);

  std::size_t size() const { return words_.size(); }
  std::string_view word(std::size_t i) const { return words_[i]; }
  /// Throws BadField when there is no number at `i`.
  double number(std::size_t i) const;
  std::int64_t integer(std::size_t i) const;
  std::int64_t integer(std::size_t i, std::int64_t missing) const;

 private:
  std::vector<std::string_view> words_;
};

/// A field that is missing or no number; what is wrong with it.
struct BadField {
  std::size_t index;
};

}  // namespace slackline::ti
