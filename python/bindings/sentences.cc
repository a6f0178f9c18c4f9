#include "bindings/module_parts.h"

#include <algorithm>
#include <regex>

namespace slackline::python {
namespace {

// Quoted text that is no value of an option: file names, and commands of a shell. Then an option
// with or without a value, which is quoted, a quantity, a list of settings, one of the words that
// options take, or the name of what belongs there (FILE). At last -o for an output.
const char* const kPattern =
    "(\\B'[^']*')"
    "|--([a-z][a-z-]*)"
    "(?:[ =]('[^']*'|[0-9][\\w/:,]*(?:\\.[\\w/:,]+)*|[a-z]+=[^ ]*[^ .,;]"
    "|(?:measured|predicted|simulated|model|loggp?o?ps|wall|cpu)\\b|[A-Z]+\\b))?"
    "| with -o\\b";

std::string value_in_python(const std::string& value) {
  if (value.front() == '\'') return value;
  const bool placeholder =
      value.size() > 1 && std::ranges::all_of(value, [](char c) { return c >= 'A' && c <= 'Z'; });
  return placeholder ? value : "'" + value + "'";
}

std::string argument(const std::smatch& match) {
  std::string name = match[2].str();
  std::ranges::replace(name, '-', '_');
  if (name == "from") name += '_';
  return match[3].matched ? name + "=" + value_in_python(match[3].str()) : name;
}

}  // namespace

std::string in_python_terms(const std::string& sentence) {
  static const std::regex pattern(kPattern);
  std::string result;
  auto from = sentence.cbegin();
  bool after_value = false;
  for (std::sregex_iterator at(sentence.begin(), sentence.end(), pattern), end; at != end; ++at) {
    const std::string between(from, (*at)[0].first);
    result += after_value && between == " " && (*at)[2].matched ? ", " : between;
    after_value = (*at)[3].matched;
    if ((*at)[1].matched) result += (*at)[1].str();
    if ((*at)[2].matched) result += argument(*at);
    from = (*at)[0].second;
  }
  return result.append(from, sentence.cend());
}

}  // namespace slackline::python
