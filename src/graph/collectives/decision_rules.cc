#include "graph/collectives/decision_rules.h"

#include <charconv>

namespace slackline::collectives {

std::string_view algorithm_for_bytes(std::string_view algorithms, std::uint64_t bytes) {
  for (;;) {
    const std::string_view word = algorithms.substr(0, algorithms.find(' '));
    const std::size_t sign = word.find('<');
    if (sign == std::string_view::npos) return word;
    std::string_view number = word.substr(sign + 1);
    const bool inclusive = number.starts_with('=');
    if (inclusive) number.remove_prefix(1);
    std::uint64_t limit = 0;
    std::from_chars(number.data(), number.data() + number.size(), limit);
    if (bytes < limit || (inclusive && bytes == limit)) return word.substr(0, sign);
    algorithms.remove_prefix(word.size() + 1);
  }
}

}  // namespace slackline::collectives
