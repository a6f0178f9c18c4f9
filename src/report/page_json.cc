#include "report/report_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "report/command_names.h"
#include "report/writers.h"

// A page is allowed 150 kB beside three bytes a call, and two thirds of these are its own program.
// What costs most in JSON are doubles with all of their 17 digits and lists of them that stand
// there twice, once to be shown and once for scripts. Scripts have `--format json`; a page rounds.

namespace slackline {
namespace {

// Entries that a list for scripts may have: fewer of them in a report that says much else.
constexpr std::array<std::size_t, 4> kLongLists{100, 32, 16, 8};
// Size of the JSON, compressed in haste, as base64; in the page it is a few per cent less.
constexpr std::size_t kWantedBytes = 35'500;
constexpr int kDigits = 8;
constexpr int kDigitsOfSmall = 5;
constexpr double kSmall = 10;
constexpr double kLargestWhole = 1e15;
constexpr int kTextWidth = 100;
constexpr std::size_t kSummaryBytes = 5000;

double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int digits = std::abs(value) < kSmall ? kDigitsOfSmall : kDigits;
  const int power = digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  const double scale = std::pow(10.0, std::abs(power));
  return power >= 0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
}

void round_numbers(JsonTree& json) {
  if (json.is_number_float()) {
    const double value = rounded(json.get<double>());
    // "12" is shorter than "12.0".
    if (std::abs(value) < kLargestWhole && value == std::floor(value)) {
      json = static_cast<std::int64_t>(value);
    } else {
      json = value;
    }
    return;
  }
  if (!json.is_structured()) return;
  for (JsonTree& element : json) round_numbers(element);
}

/// Removes lists with more than `most` entries from objects, at any depth; `names` are theirs.
void drop_long_lists(JsonTree& json, std::size_t most, const std::string& path,
                     std::set<std::string>& names) {
  if (json.is_array()) {
    for (JsonTree& element : json) drop_long_lists(element, most, path, names);
    return;
  }
  if (!json.is_object()) return;
  for (auto element = json.begin(); element != json.end();) {
    const std::string name = path.empty() ? element.key() : path + "." + element.key();
    JsonTree& value = element.value();
    if (value.is_array() && value.size() > most) {
      names.insert(name);
      element = json.erase(element);
    } else {
      drop_long_lists(value, most, name, names);
      ++element;
    }
  }
}

std::uint64_t packed_size(const JsonTree& json) {
  return base64_size(compress(page_text(json)).zlib.size());
}

/// Nothing of it can be told in text.
bool is_only_drawn(const Section& section) {
  return section.children.empty() && std::ranges::all_of(section.items, [](const Item& item) {
           return std::holds_alternative<PicturePtr>(item);
         });
}

}  // namespace

std::string page_text(const JsonTree& json) {
  return dumped(json, -1);
}

JsonTree page_json(const Report& report, BlobList& blobs) {
  JsonTree json = report_json(report, true, blobs);
  round_numbers(json["result"]);
  round_numbers(json["sections"]);
  std::set<std::string> names;
  for (const std::size_t most : kLongLists) {
    drop_long_lists(json["result"], most, "", names);
    if (packed_size(json) <= kWantedBytes) break;
  }
  if (!names.empty()) json["left_out"] = names;
  return json;
}

std::string static_summary(const Report& report) {
  Report summary{.command = report.command,
                 .title = report.title,
                 .options = report.options,
                 .input = report.input,
                 .result = {},
                 .findings = report.findings,
                 .sections = {}};
  const auto text = [&] { return write_text(summary, {.colour = false, .width = kTextWidth}); };
  std::string shown = text();
  for (const Section& section : report.sections) {
    if (is_only_drawn(section)) continue;
    summary.sections.push_back(section);
    std::string longer = text();
    if (longer.size() > kSummaryBytes) {
      return shown + "\nThe timeline, the curves and all tables need JavaScript; 'slackline " +
             std::string(present_command_name(report.command)) + "' prints the report as text.\n";
    }
    shown = std::move(longer);
  }
  return shown;
}

}  // namespace slackline
