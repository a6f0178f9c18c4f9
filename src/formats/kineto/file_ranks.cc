#include "formats/kineto/reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>
#include <tuple>

namespace slackline {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kSeparators = "-_=. ";
// Where a local rank is named, too, it is not the one that tells profiles apart.
constexpr std::string_view kLocal = "local";
constexpr std::array<std::string_view, 4> kWords{"rank", "worker", "process", "gpu"};
// A number that counts files leaves out a few at most; others are dates, steps, process ids.
constexpr std::size_t kMostOfEach = 4;

// A number in a name, and the text before it, in small letters.
struct Numbered {
  std::string before;
  std::int32_t number;  // -1: too long
};

std::vector<Numbered> numbers_of(std::string_view name) {
  std::vector<Numbered> numbers;
  std::string before;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find_first_not_of(kDigits, at), name.size());
    if (end == at) {
      before += static_cast<char>(std::tolower(static_cast<unsigned char>(name[at++])));
      continue;
    }
    std::int32_t number = -1;
    if (std::from_chars(name.data() + at, name.data() + end, number).ec != std::errc()) number = -1;
    numbers.push_back({std::move(before), number});
    before.clear();
    at = end;
  }
  numbers.push_back({std::move(before), -1});  // what follows the last number
  return numbers;
}

bool all_different(std::vector<std::int32_t> numbers) {
  std::ranges::sort(numbers);
  return numbers.front() >= 0 && std::ranges::adjacent_find(numbers) == numbers.end();
}

// The first number after `word`, but for those of a node ("local_rank0").
std::optional<std::int32_t> number_after(const std::vector<Numbered>& numbers,
                                         std::string_view word) {
  for (const Numbered& numbered : numbers) {
    std::string_view before = numbered.before;
    const std::size_t last = before.find_last_not_of(kSeparators);
    before = before.substr(0, last == std::string_view::npos ? 0 : last + 1);
    if (numbered.number < 0 || !before.ends_with(word)) continue;
    before.remove_suffix(word.size());
    const std::size_t end = before.find_last_not_of(kSeparators);
    const bool local = end != std::string_view::npos && before.substr(0, end + 1).ends_with(kLocal);
    if (!local) return numbered.number;
  }
  return std::nullopt;
}

using NumbersOfNames = std::vector<std::vector<Numbered>>;

std::vector<std::int32_t> after_word(const NumbersOfNames& names, std::string_view word) {
  std::vector<std::int32_t> ranks;
  for (const auto& numbers : names) {
    const auto number = number_after(numbers, word);
    if (!number) return {};
    ranks.push_back(*number);
  }
  return all_different(ranks) ? ranks : std::vector<std::int32_t>();
}

// The column of numbers that counts the files, if the names have the same text between numbers.
std::vector<std::int32_t> counting(const NumbersOfNames& names) {
  const auto same_text = [&](const std::vector<Numbered>& other) {
    return std::ranges::equal(names.front(), other, {}, &Numbered::before, &Numbered::before);
  };
  if (!std::ranges::all_of(names, same_text)) return {};
  for (std::size_t column = 0; column + 1 < names.front().size(); ++column) {
    std::vector<std::int32_t> numbers;
    for (const auto& of_name : names) numbers.push_back(of_name[column].number);
    if (!all_different(numbers)) continue;
    const auto [least, most] = std::ranges::minmax(numbers);
    if (least == 0 && static_cast<std::size_t>(most) < kMostOfEach * names.size()) return numbers;
  }
  return {};
}

}  // namespace

std::vector<std::int32_t> ranks_in_names(std::span<const std::string> names) {
  if (names.size() < 2) return {};
  NumbersOfNames numbers;
  for (const std::string& name : names) numbers.push_back(numbers_of(name));
  for (const std::string_view word : kWords) {
    if (auto ranks = after_word(numbers, word); !ranks.empty()) return ranks;
  }
  return counting(numbers);
}

bool natural_less(std::string_view a, std::string_view b) {
  const auto key = [](std::string_view name) {
    std::vector<std::tuple<std::string, std::size_t, std::string>> parts;  // digits by length first
    while (!name.empty()) {
      const std::size_t digit = std::min(name.find_first_of(kDigits), name.size());
      const std::size_t end = std::min(name.find_first_not_of(kDigits, digit), name.size());
      std::string_view digits = name.substr(digit, end - digit);
      digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
      parts.emplace_back(name.substr(0, digit), digits.size(), digits);
      name.remove_prefix(end);
    }
    return parts;
  };
  const auto left = key(a);
  const auto right = key(b);
  return left == right ? a < b : left < right;
}

}  // namespace slackline
