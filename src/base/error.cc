#include "base/error.h"

#include <cerrno>
#include <system_error>

namespace slackline {
namespace {

bool ends_a_sentence(std::string_view text) {
  return !text.empty() && std::string_view(".?!").find(text.back()) != std::string_view::npos;
}

std::string sentences(std::string_view problem, std::string_view why, std::string_view what_to_do) {
  std::string text(problem);
  const bool lists = why.starts_with(kListItem);
  if (!why.empty()) text.append(lists ? ":" : ": ").append(why);
  if (!ends_a_sentence(text)) text.push_back('.');
  if (!what_to_do.empty()) text.append(lists ? kListItem : " ").append(what_to_do);
  return text;
}

}  // namespace

std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 2000;
  constexpr std::size_t kEnd = 200;
  if (text.size() <= kMost) return std::string(text);
  const auto inside_character = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  std::size_t first = kMost - kEnd;
  std::size_t last = text.size() - kEnd;
  while (first > 0 && inside_character(first)) --first;
  while (last < text.size() && inside_character(last)) ++last;
  return std::string(text.substr(0, first)) + " [" + std::to_string(last - first) +
         " bytes left out] " + std::string(text.substr(last));
}

Error::Error(std::string_view problem, std::string_view why, std::string_view what_to_do, Kind kind)
    : std::runtime_error(sentences(shortened(problem), shortened(why), shortened(what_to_do))),
      kind_(kind) {}

Error usage_error(std::string_view problem, std::string_view why, std::string_view what_to_do) {
  return Error(problem, why, what_to_do, Error::Kind::usage);
}

std::string errno_text() {
  return std::generic_category().message(errno);
}

void expects(bool condition, const char* what) {
  if (!condition) throw std::logic_error(std::string("precondition violated: ") + what);
}

void ensures(bool condition, const char* what) {
  if (!condition) throw std::logic_error(std::string("postcondition violated: ") + what);
}

}  // namespace slackline
