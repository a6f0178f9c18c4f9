#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/unicode.h"
#include "report/writers.h"

namespace slackline {
namespace {

/// Control characters, which XML cannot hold, are replaced by printable().
std::string xml_text(std::string_view text) {
  return escaped_xml(printable(text));
}

std::string result_of(const CheckedCondition& check) {
  const std::string sentence = xml_text(check.sentence);
  switch (check.outcome) {
    case CheckedCondition::Outcome::failed:
      return fmt::format("<failure message=\"{}\"/>", sentence);
    case CheckedCondition::Outcome::undecided:
      return fmt::format("<skipped message=\"{}\"/>", sentence);
    case CheckedCondition::Outcome::passed:
      break;
  }
  return fmt::format("<system-out>{}</system-out>", sentence);
}

}  // namespace

std::string write_junit(const Report& report) {
  const auto count = [&](CheckedCondition::Outcome outcome) {
    return std::ranges::count(report.checks, outcome, &CheckedCondition::outcome);
  };
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "<testsuite name=\"slackline {}\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
      "skipped=\"{}\">\n",
      xml_text(report.command), report.checks.size(), count(CheckedCondition::Outcome::failed),
      count(CheckedCondition::Outcome::undecided));
  for (const CheckedCondition& check : report.checks) {
    out += fmt::format("<testcase classname=\"slackline.{}\" name=\"{}\">{}</testcase>\n",
                       xml_text(report.command), xml_text(check.name), result_of(check));
  }
  return out + "</testsuite>\n</testsuites>\n";
}

}  // namespace slackline
