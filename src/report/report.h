#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/findings.h"
#include "report/json.h"
#include "report/picture.h"
#include "report/unit.h"

namespace slackline {

// A Report is what a command has to say, as a tree of sections. Commands build it (their
// `describe(Result)`), writers turn it into text, JSON, CSV or HTML (report/writers.h); nothing
// else prints. Values stay raw numbers with a unit; each writer formats them in its own way.

/// Nothing, text, or a number.
using Value = std::variant<std::monostate, std::string, double, std::int64_t>;

struct Paragraph {
  std::string text;
};

/// "makespan  64.145 ms": label, value, unit, and one sentence for whoever does not know the word.
struct Fact {
  std::string label;
  Value value;
  Unit unit = Unit::none;
  std::string explanation{};
};
struct Facts {
  std::vector<Fact> facts;
};

struct Column {
  std::string name;
  Unit unit = Unit::none;
  std::string explanation{};
};
/// Every row has as many values as there are columns.
struct Table {
  std::string id;  ///< stable, for scripts and links
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Value>> rows;
};

/// Named lines over one x axis. `x` ascending; every line as long as `x` (NaN: a hole).
struct Line {
  std::string name;
  Unit unit = Unit::none;
  std::vector<double> y;
  bool steps = false;   ///< holds its value until the next x
  int panel = 0;        ///< lines of one panel share a y axis; panels are stacked
  bool points = false;  ///< single points, where it has values, and no line
};
/// A part of the x axis that has a meaning (a tolerance zone).
struct Zone {
  std::string name;
  double from;
  double to;
};
struct Series {
  std::string id;
  std::string title;
  std::string x_name;
  Unit x_unit = Unit::none;
  std::vector<double> x;
  std::vector<Line> lines;
  std::vector<Zone> zones;
  std::optional<double> now{};  ///< today's x, where there is one
};

using Item = std::variant<Paragraph, Facts, Table, Series, PicturePtr>;

struct Section {
  std::string id;
  std::string title;
  std::vector<Item> items{};
  std::vector<Section> children{};
};

/// A condition that a command has checked, for those who wait for its exit status.
struct CheckedCondition {
  enum class Outcome : std::uint8_t { passed, failed, undecided };
  std::string name;  ///< stable: what is checked of what
  Outcome outcome = Outcome::passed;
  std::string sentence;  ///< the figures
};

struct Report {
  std::string command;  ///< "predict"
  std::string title;    ///< what it is about: "predict: lulesh.slk"
  Json options;         ///< the effective options, defaults included
  Json input;           ///< the input's identity: path, format, ranks, calls, checksum
  Json result;          ///< for scripts; its keys are part of the interface
  Findings findings;
  std::vector<Section> sections;
  bool sections_only = false;  ///< its text is its sections, without findings and options
  std::vector<CheckedCondition> checks{};
};

/// Version of the JSON's shape: raised when a key changes its meaning or goes away.
inline constexpr const char* kReportSchema = "slackline/1";

}  // namespace slackline
